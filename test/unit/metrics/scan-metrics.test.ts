/** Metrics of scans: outcomes, stages and readings, without anything that a site wrote. */
import { expect, test } from "vitest";
import { addGauge, openMetrics } from "../../../src/metrics/metrics.ts";
import { createScanMetrics } from "../../../src/metrics/scan-metrics.ts";
import { knownScans } from "../../support/finished-scans.ts";

const { evidence } = knownScans.shop;
const berlin = { location: "berlin" };

async function linesOf(use: (scans: ReturnType<typeof createScanMetrics>) => void): Promise<readonly string[]> {
  const metrics = openMetrics({ version: "1.2.3" });
  use(createScanMetrics(metrics.registry, [berlin]));
  return (await metrics.text()).split("\n");
}

test("scans are counted by outcome, and outcomes of every scan exist from the start", async () => {
  const lines = await linesOf(({ ended }) => {
    ended("finished", berlin);
    ended("finished", berlin);
    ended("returned", berlin);
    ended("failed", { location: "local", lane: "free" });
  });
  expect(lines.filter((line) => line.startsWith("assay_scans_total"))).toEqual([
    'assay_scans_total{outcome="finished",location="berlin"} 2',
    'assay_scans_total{outcome="failed",location="berlin"} 0',
    'assay_scans_total{outcome="returned",location="berlin"} 1',
    'assay_scans_total{outcome="failed",location="local",lane="free"} 1',
  ]);
});

test("each stage ends when the next begins, and the last one with the evidence", async () => {
  const lines = await linesOf(({ begin }) => {
    const timer = begin();
    timer.stage("resolving");
    timer.stage("browsing");
    timer.end(evidence);
    begin().end(null);
  });
  const counts = lines.filter((line) => /_seconds_count/.test(line));
  expect(counts).toEqual([
    "assay_scan_duration_seconds_count 2",
    'assay_scan_stage_duration_seconds_count{stage="resolving"} 1',
    'assay_scan_stage_duration_seconds_count{stage="browsing"} 1',
  ]);
  expect(lines).toContain('assay_readings_total{reading="page",result="read"} 1');
});

test("no label names a site", async () => {
  const { host, url } = evidence.subject;
  const text = (await linesOf(({ begin }) => begin().end(evidence))).join("\n");
  expect([text.includes(host), text.includes(url)]).toEqual([false, false]);
});

test("a gauge is read at each request", async () => {
  const { registry, text } = openMetrics({ version: "1.2.3" });
  let value = 1;
  addGauge(registry, "assay_worker_slots", "Slots.", () => value);
  expect(await text()).toContain("\nassay_worker_slots 1\n");
  value = 2;
  expect(await text()).toContain("\nassay_worker_slots 2\n");
});
