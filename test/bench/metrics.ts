/** Measures a scrape of the metrics over a store with very many scans, and the cost of timing a request. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetricsHandler, openServerMetrics } from "../../src/app/observation.ts";
import { progressStages } from "../../src/evidence/scan.ts";
import { observeRequests } from "../../src/http/observe-requests.ts";
import { createHttpMetrics } from "../../src/metrics/metrics.ts";
import { openStore } from "../../src/store/store.ts";
import { evidence } from "../support/evidence.ts";
import { storeManyScans } from "./many-scans.ts";
import type { Row } from "./report.ts";
import { type Spread, spreadOf } from "./spread.ts";

const storedMany = 100_000;
const waiting = 200;
const scrapeMsMax = 5;
/** As many as API and pages have, each with as many codes as it is likely to answer. */
const routes = Array.from({ length: 60 }, (_, at) => `/route-${at}/:token/state`);
const codes = [200, 304, 404];
const requestsPerRound = 20_000;

interface Costs {
  readonly scrapeMs: Spread;
  readonly kilobytes: number;
  /** Time of one request, in microseconds. */
  readonly plainUs: Spread;
  readonly timedUs: Spread;
}

export async function benchMetrics({ rounds }: { readonly rounds: number }): Promise<readonly Row[]> {
  const few = await costsOf(0, rounds);
  const many = await costsOf(storedMany, rounds);
  return [
    {
      name: `scrape, ${storedMany} scans stored`,
      unit: "ms",
      measured: many.scrapeMs,
      baseline: few.scrapeMs,
      target: { text: `at most ${scrapeMsMax} ms`, met: many.scrapeMs.median <= scrapeMsMax },
      note: `${many.kilobytes} KB with ${routes.length * codes.length} series of requests and ${waiting} scans in the queue; the baseline is an empty store`,
    },
    { name: "  request that is timed, by an empty handler", unit: "us", measured: many.timedUs, baseline: many.plainUs },
  ];
}

async function costsOf(stored: number, rounds: number): Promise<Costs> {
  const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-metrics-"));
  try {
    if (stored > 0) await storeManyScans(dataDir, stored);
    const store = openStore(dataDir);
    const urls = Array.from({ length: waiting }, (_, at) => `https://site-${at}.example/`);
    await store.scans.queueAll({ accountId: 1, urls, idempotency: null, now: new Date() });
    const metrics = openServerMetrics({ store, dataDir, fleet: null });
    const observe = createHttpMetrics(metrics.registry);
    for (const route of routes) for (const code of codes) observe(route, code, 0.001);
    const timer = metrics.scans.begin();
    progressStages.forEach(timer.stage);
    timer.end(evidence());
    const costs = await measure(createMetricsHandler(metrics), observe, rounds);
    await store.close();
    return costs;
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

async function measure(
  metrics: ReturnType<typeof createMetricsHandler>,
  observe: ReturnType<typeof createHttpMetrics>,
  rounds: number,
): Promise<Costs> {
  const answer = new Response(null, { status: 200 });
  const plain = { fetch: () => answer, server: null };
  const timed = observeRequests(plain, routes, observe);
  const request = new Request("http://nas/route-59/token/state");
  const scrape = new Request("http://nas/metrics");
  const series: { readonly [K in "scrapeMs" | "plainUs" | "timedUs"]: number[] } = { scrapeMs: [], plainUs: [], timedUs: [] };
  let text = "";
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    const startMs = performance.now();
    text = await (await metrics.fetch(scrape)).text();
    const scrapeMs = performance.now() - startMs;
    const [plainUs, timedUs] = [plain, timed].map(({ fetch }) => {
      const fromMs = performance.now();
      for (let at = 0; at < requestsPerRound; at++) fetch(request);
      return ((performance.now() - fromMs) * 1_000) / requestsPerRound;
    });
    if (round === 0) continue;
    series.scrapeMs.push(scrapeMs);
    series.plainUs.push(plainUs ?? Number.NaN);
    series.timedUs.push(timedUs ?? Number.NaN);
  }
  return {
    scrapeMs: spreadOf(series.scrapeMs),
    plainUs: spreadOf(series.plainUs),
    timedUs: spreadOf(series.timedUs),
    kilobytes: Math.round(text.length / 1_000),
  };
}
