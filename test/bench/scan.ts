/** Measures latency and throughput of scans against a bare load of the same page in the same browser. */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "puppeteer-core";
import { loadConfig } from "../../src/app/config.ts";
import { workerFiles } from "../../src/app/placement.ts";
import { createLog } from "../../src/base/log.ts";
import { openBrowsers } from "../../src/browser/browser.ts";
import { loadCatalog } from "../../src/catalog/load.ts";
import type { Evidence } from "../../src/evidence/evidence.ts";
import { performJudge } from "../../src/scan/judge-task.ts";
import { openScanner, type Scanner } from "../../src/scan/scanner.ts";
import { defaultDeadlines } from "../../src/scan/task.ts";
import { egressTo } from "../support/servers.ts";
import { launchPlainBrowser } from "../support/test-browser.ts";
import { startChild } from "./child.ts";
import type { Row } from "./report.ts";
import { policyHost, type SiteReady, siteHost } from "./site.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** Time a scan may add to the load and to the settle time. */
const overheadMsMax = 150;
/** Time a screenshot may add to that. */
const screenshotMsMax = 60;
const judgeMsMax = 5;
const judgeTurns = 100;
const throughputRatioMin = 0.6;
/** A scan mostly waits for a quiet network: only several scans for each core saturate a machine. */
const scansPerCore = 4;
const throughputRounds = 3;
/** Scans of one throughput round, as a multiple of its concurrency. */
const waves = 4;
/** Rows that need DNSSEC, which the site's resolver does not validate. */
const rowsOfValidation = ["dnssec", "mail-dane"];
/** Input for the default settings. */
const noSettings = { flags: {}, env: {}, configFile: null };

export async function benchScan({ pairs }: { readonly pairs: number }): Promise<readonly Row[]> {
  const dir = mkdtempSync(join(tmpdir(), "assay-bench-browser-"));
  const site = await startChild<SiteReady>("site.ts");
  const browser = await launchPlainBrowser();
  const load = () => bareLoad(browser, `https://127.0.0.1:${site.ready.httpsPort}/`);
  try {
    const rows = [...(await oneAtATime(dir, site.ready, load, pairs))];
    for (const concurrency of new Set([loadConfig(noSettings)["scan.concurrency"], scansPerCore * availableParallelism()])) {
      rows.push(...(await manyAtATime(dir, site.ready, load, concurrency)));
    }
    return rows;
  } finally {
    await browser.close();
    await site.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Milliseconds for a new context and the load event: the minimum of any browser scan. */
async function bareLoad(browser: Browser, url: string): Promise<number> {
  const beganMs = performance.now();
  // The browser's default proxy is a closed port, so that it cannot send anything by accident.
  const context = await browser.createBrowserContext({ proxyServer: "direct://", proxyBypassList: [] });
  const page = await context.newPage();
  await page.goto(url, { waitUntil: "load" });
  const tookMs = performance.now() - beganMs;
  await context.close();
  return tookMs;
}

function scannerOf(dir: string, { httpsPort, httpPort, dns, rootPem }: SiteReady, concurrency: number, screenshots = true): Scanner {
  const log = createLog({ level: "warn", format: "text" });
  const limits = { childBytesMax: 1_024 ** 3, browserBytesMax: 2 * 1_024 ** 3 };
  const browsers = openBrowsers({ path: null, dir, sandbox: "auto", limits, log });
  const scanner = openScanner({
    egress: egressTo(
      { [`${siteHost}:443`]: { port: httpsPort }, [`${policyHost}:443`]: { port: httpsPort }, [`${siteHost}:80`]: { port: httpPort } },
      { dnsServers: [dns] },
    ),
    caPems: [rootPem],
    deadlines: defaultDeadlines,
    concurrency,
    checksDir: null,
    browsers,
    workerFiles,
    log,
    screenshots,
  });
  const close = () => scanner.close().then(() => browsers.stop());
  return { ...scanner, close };
}

interface CompleteScan {
  readonly tookMs: number;
  readonly screenshotBytes: number;
  readonly evidence: Evidence;
  /** Milliseconds by name of probe. */
  readonly timings: Readonly<Record<string, number>>;
}

/** @throws Error if the scan is not complete: an incomplete one would be too fast. */
async function completeScan(scanner: Scanner): Promise<CompleteScan> {
  const beganMs = performance.now();
  const outcome = await scanner.scanUrl(`https://${siteHost}/`, () => {});
  const tookMs = performance.now() - beganMs;
  if (outcome.status === "failed") throw new Error(`the scan failed: ${outcome.code}`);
  const failures = outcome.result.ledger
    .filter(({ key, state }) => state === "notChecked" && !rowsOfValidation.includes(key))
    .map(({ key, notCheckedBecause }) => `${key} (${notCheckedBecause})`);
  if (!outcome.result.measured || failures.length > 0) throw new Error(`the scan is not complete: ${failures.join(", ")}`);
  return { tookMs, screenshotBytes: outcome.screenshot?.length ?? 0, evidence: outcome.evidence, timings: outcome.timings };
}

async function oneAtATime(dir: string, site: SiteReady, load: () => Promise<number>, pairs: number): Promise<readonly Row[]> {
  const scanner = scannerOf(dir, site, 1);
  const plainScanner = scannerOf(dir, site, 1, false);
  const loads: number[] = [];
  const scans: CompleteScan[] = [];
  const plainScans: CompleteScan[] = [];
  try {
    for (let pair = -3; pair < pairs; pair++) {
      const loaded = await load();
      const scanned = await completeScan(scanner);
      const plain = await completeScan(plainScanner);
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
  const catalog = await loadCatalog({ checksDir: null });
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

async function manyAtATime(dir: string, site: SiteReady, load: () => Promise<number>, concurrency: number): Promise<readonly Row[]> {
  const scanner = scannerOf(dir, site, concurrency);
  const scan = () => completeScan(scanner);
  const loads: number[] = [];
  const scans: number[] = [];
  try {
    await perSecond(scan, concurrency, 1);
    await perSecond(load, concurrency, 1);
    for (let round = 0; round < throughputRounds; round++) {
      loads.push(await perSecond(load, concurrency, waves));
      scans.push(await perSecond(scan, concurrency, waves));
    }
  } finally {
    await scanner.close();
  }
  const ratios: Spread = spreadOf(scans.map((rate, at) => rate / (loads[at] ?? Number.NaN)));
  return [
    { name: `scans, ${concurrency} at a time`, unit: "/s", measured: spreadOf(scans), baseline: spreadOf(loads) },
    {
      name: "  of bare loads",
      unit: "ratio",
      measured: ratios,
      target: { text: `at least ${throughputRatioMin}`, met: ratios.median >= throughputRatioMin },
    },
  ];
}

/** Completions per second with `concurrency` at a time. */
async function perSecond(task: () => Promise<unknown>, concurrency: number, times: number): Promise<number> {
  let left = concurrency * times;
  const beganMs = performance.now();
  const lane = async () => {
    while (left-- > 0) await task();
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return (concurrency * times * 1_000) / (performance.now() - beganMs);
}
