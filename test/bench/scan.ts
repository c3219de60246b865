/** Measures the latency of scans, one at a time, against bare loads of the page in a plain browser. */
import { builtInCatalog } from "../../src/catalog/catalog.ts";
import type { Evidence } from "../../src/evidence/evidence.ts";
import { performJudge } from "../../src/scan/judge-task.ts";
import { defaultDeadlines } from "../../src/scan/task.ts";
import { type BareLoads, openBareLoads } from "./bare-load.ts";
import { startChild } from "./child.ts";
import { noteProgress, type Row } from "./report.ts";
import { type CompleteScan, openScannerUnderTest } from "./scanner.ts";
import type { SiteReady } from "./site.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** Time a scan may add to the load and to the settle time. */
const overheadMsMax = 150;
/** Time a screenshot may add to that. */
const screenshotMsMax = 60;
const judgeMsMax = 5;
const judgeTurns = 100;

export async function benchScan({ pairs }: { readonly pairs: number }): Promise<readonly Row[]> {
  const site = await startChild<SiteReady>("site.ts");
  const loads = await openBareLoads(`https://127.0.0.1:${site.ready.httpsPort}/`, { browsers: 1 });
  try {
    return await oneAtATime(site.ready, loads, pairs);
  } finally {
    await loads.close();
    await site.stop();
  }
}

async function oneAtATime(site: SiteReady, bare: BareLoads, pairs: number): Promise<readonly Row[]> {
  const scanner = openScannerUnderTest(site, { concurrency: 1, screenshots: true });
  const plainScanner = openScannerUnderTest(site, { concurrency: 1, screenshots: false });
  const loads: number[] = [];
  const scans: CompleteScan[] = [];
  const plainScans: CompleteScan[] = [];
  try {
    for (let pair = -3; pair < pairs; pair++) {
      noteProgress(pair < 0 ? "warm-up" : `scan ${pair + 1} of ${pairs}, and one without a screenshot`);
      const loaded = await bare.load(0);
      const scanned = await scanner.scan();
      const plain = await plainScanner.scan();
      // The first ones are a warm-up.
      if (pair < 0) continue;
      loads.push(loaded);
      scans.push(scanned);
      plainScans.push(plain);
    }
  } finally {
    await scanner.close();
    await plainScanner.close();
  }
  const [withScreenshot, without] = [scans, plainScans].map((series) => spreadOf(series.map(({ tookMs }) => tookMs))) as [Spread, Spread];
  const screenshotMs = withScreenshot.median - without.median;
  const overhead = spreadOf(scans.map(({ tookMs }, at) => tookMs - (loads[at] ?? 0) - defaultDeadlines.settleMs));
  return [
    {
      name: "scan, one at a time",
      unit: "ms",
      measured: withScreenshot,
      baseline: spreadOf(loads),
      note: `the baseline is the bare load of the page; medians inside the scan: ${formatTimings(scans)}`,
    },
    {
      name: `  beyond load and settle time (${defaultDeadlines.settleMs} ms)`,
      unit: "ms",
      measured: overhead,
      target: { text: `at most ${overheadMsMax} ms`, met: overhead.median <= overheadMsMax },
    },
    {
      name: "  without a screenshot",
      unit: "ms",
      measured: without,
      target: { text: `at most ${screenshotMsMax} ms less`, met: screenshotMs <= screenshotMsMax },
      note: `the screenshot costs ${screenshotMs.toFixed(0)} ms and has ${((scans[0]?.screenshotBytes ?? 0) / 1_000).toFixed(0)} KB`,
    },
    ...(await judging((scans[0] as CompleteScan).evidence)),
  ];
}

/** Judges one evidence with the whole catalog. The evidence is parsed for each turn, as when it comes from another thread. */
async function judging(evidence: Evidence): Promise<readonly Row[]> {
  const catalog = builtInCatalog();
  const text = JSON.stringify(evidence);
  const turnsMs: number[] = [];
  for (let turn = -judgeTurns; turn < judgeTurns; turn++) {
    const parsed = JSON.parse(text) as Evidence;
    const beganMs = performance.now();
    performJudge({ evidence: parsed, hung: [] }, catalog, () => {});
    // The first half is a warm-up.
    if (turn >= 0) turnsMs.push(performance.now() - beganMs);
  }
  const measured = spreadOf(turnsMs);
  const met = measured.median < judgeMsMax;
  return [
    { name: `  judging alone, ${catalog.checks.length} checks`, unit: "ms", measured, target: { text: `under ${judgeMsMax} ms`, met } },
  ];
}

function formatTimings(scans: readonly CompleteScan[]): string {
  const names = Object.keys(scans[0]?.timings ?? {});
  return names.map((name) => `${name} ${spreadOf(scans.map(({ timings }) => timings[name] ?? 0)).median.toFixed(0)} ms`).join(", ");
}
