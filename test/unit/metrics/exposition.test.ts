/** Text of the metrics that every process has: names with a prefix and a base unit, each with help and type. */
import { expect, test } from "vitest";
import { addGauge, openMetrics } from "../../../src/metrics/metrics.ts";

test("each family has help, type and a value, and the release is a label", async () => {
  const metrics = openMetrics({ version: "1.2.3" });
  addGauge(metrics.registry, "assay_test_scans", "Scans of this test.", () => 7);
  const lines = (await metrics.text()).trim().split("\n");
  const names = (kind: string) => lines.filter((line) => line.startsWith(`# ${kind} `)).map((line) => line.split(" ")[2]);
  expect(names("HELP")).toEqual(names("TYPE"));
  expect(names("TYPE").filter((name) => !/^(assay|process)_[a-z_]+$/.test(name ?? ""))).toEqual([]);
  expect(lines).toContain('assay_build_info{version="1.2.3"} 1');
  expect(lines).toContain("assay_test_scans 7");
});
