/** Whole scans against the bare load of the same page by the same browser, in turn: how long one takes, and how many fit into a second. */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer, { type Browser } from "puppeteer-core";
import { loadConfig } from "../../src/app/config.ts";
import { createLog } from "../../src/base/log.ts";
import { type BrowserHost, openBrowser } from "../../src/browser/browser.ts";
import { loadCatalog } from "../../src/catalog/load.ts";
import type { Evidence } from "../../src/evidence/evidence.ts";
import { performJudge } from "../../src/scan/judge-task.ts";
import { openScanner, type Scanner } from "../../src/scan/scanner.ts";
import { defaultDeadlines } from "../../src/scan/task.ts";
import { egressTo } from "../support/servers.ts";
import { startChild } from "./child.ts";
import type { Row } from "./report.ts";
import { policyHost, type SiteSaid, siteHost } from "./site.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** What a scan may add to the load and to the wait for a quiet network. */
const overheadMsMax = 150;
/** What a picture of the page may add to that. */
const screenshotMsMax = 60;
const judgeMsMax = 5;
const judgeTurns = 100;
const throughputRatioMin = 0.6;
/** A scan waits most of its time for the network to be quiet: a machine is full only with several of them for each core. */
const scansPerCore = 4;
const throughputRounds = 3;
/** Rounds of a throughput measurement are so many times as long as its concurrency. */
const waves = 4;
/** What an installation does that was told nothing. */
const noSettings = { flags: {}, env: {}, configFile: null };

export async function benchScan({ pairs }: { readonly pairs: number }): Promise<readonly Row[]> {
  const dir = mkdtempSync(join(tmpdir(), "assay-bench-browser-"));
  const site = await startChild<SiteSaid>("site.ts");
  const host = openBrowser({ path: null, dir, sandbox: "auto" });
  const browser = await puppeteer.connect({ browserWSEndpoint: await host.endpoint(), acceptInsecureCerts: true });
  const load = () => bareLoad(browser, `https://127.0.0.1:${site.said.httpsPort}/`);
  try {
    const rows = [...(await oneAtATime(host, site.said, load, pairs))];
    for (const concurrency of new Set([loadConfig(noSettings)["scan.concurrency"], scansPerCore * availableParallelism()])) {
      rows.push(...(await manyAtATime(host, site.said, load, concurrency)));
    }
    return rows;
  } finally {
    await browser.disconnect();
    await host.stop();
    await site.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A fresh context, the load event, and away with it: what any scan with a browser has to do. In milliseconds. */
async function bareLoad(browser: Browser, url: string): Promise<number> {
  const beganMs = performance.now();
  // The browser's own proxy is a closed port, so that nothing leaves it by accident.
  const context = await browser.createBrowserContext({ proxyServer: "direct://", proxyBypassList: [] });
  const page = await context.newPage();
  await page.goto(url, { waitUntil: "load" });
  const tookMs = performance.now() - beganMs;
  await context.close();
  return tookMs;
}

function scannerOf(host: BrowserHost, { httpsPort, httpPort, dns, rootPem }: SiteSaid, concurrency: number, screenshots = true): Scanner {
  return openScanner({
    egress: egressTo(
      { [`${siteHost}:443`]: { port: httpsPort }, [`${policyHost}:443`]: { port: httpsPort }, [`${siteHost}:80`]: { port: httpPort } },
      { dnsServers: [dns] },
    ),
    caPems: [rootPem],
    deadlines: defaultDeadlines,
    concurrency,
    checksDir: null,
    browser: host,
    workerFile: join(import.meta.dirname, "../../src/app/worker.ts"),
    log: createLog({ level: "warn", format: "text" }),
    screenshots,
  });
}

interface ScanTaken {
  readonly tookMs: number;
  readonly screenshotBytes: number;
  readonly evidence: Evidence;
  /** Milliseconds by name of probe. */
  readonly timings: Readonly<Record<string, number>>;
}

/** @throws Error when the scan was not a whole one: that would be quick, and worth nothing. */
async function wholeScan(scanner: Scanner): Promise<ScanTaken> {
  const beganMs = performance.now();
  const outcome = await scanner.scanUrl(`https://${siteHost}/`, () => {});
  const tookMs = performance.now() - beganMs;
  if (outcome.status === "failed") throw new Error(`the scan failed: ${outcome.code}`);
  // The site's own resolver asks nobody, and so has nothing to validate.
  const failures = outcome.result.ledger
    .flatMap(({ notCheckedBecause }) => notCheckedBecause ?? [])
    .filter((because) => because !== "dnssec: unsupported");
  if (!outcome.result.measured || failures.length > 0) throw new Error(`the scan is not whole: ${failures.join(", ")}`);
  return { tookMs, screenshotBytes: outcome.screenshot?.length ?? 0, evidence: outcome.evidence, timings: outcome.timings };
}

async function oneAtATime(host: BrowserHost, site: SiteSaid, load: () => Promise<number>, pairs: number): Promise<readonly Row[]> {
  const scanner = scannerOf(host, site, 1);
  const blind = scannerOf(host, site, 1, false);
  const loads: number[] = [];
  const scans: ScanTaken[] = [];
  const blindScans: ScanTaken[] = [];
  try {
    for (let pair = -3; pair < pairs; pair++) {
      const loaded = await load();
      const scanned = await wholeScan(scanner);
      const blindly = await wholeScan(blind);
      // The first ones warm both sides up.
      if (pair < 0) continue;
      loads.push(loaded);
      scans.push(scanned);
      blindScans.push(blindly);
    }
  } finally {
    await scanner.close();
    await blind.close();
  }
  const [seeing, unseeing] = [scans, blindScans].map((series) => spreadOf(series.map(({ tookMs }) => tookMs))) as [Spread, Spread];
  const screenshotMs = seeing.median - unseeing.median;
  const overhead = spreadOf(scans.map(({ tookMs }, at) => tookMs - (loads[at] ?? 0) - defaultDeadlines.settleMs));
  return [
    {
      name: "scan, one at a time",
      unit: "ms",
      measured: seeing,
      against: spreadOf(loads),
      note: `against the bare load of the page; inside the scan, at the median: ${timingsShown(scans)}`,
    },
    {
      name: `  beyond load and settle time (${defaultDeadlines.settleMs} ms)`,
      unit: "ms",
      measured: overhead,
      aim: { words: `at most ${overheadMsMax} ms`, met: overhead.median <= overheadMsMax },
    },
    {
      name: "  without a screenshot",
      unit: "ms",
      measured: unseeing,
      aim: { words: `at most ${screenshotMsMax} ms less`, met: screenshotMs <= screenshotMsMax },
      note: `the picture costs ${screenshotMs.toFixed(0)} ms and has ${((scans[0]?.screenshotBytes ?? 0) / 1_000).toFixed(0)} KB`,
    },
    ...(await judging((scans[0] as ScanTaken).evidence)),
  ];
}

/** The whole catalog on the evidence of one scan, thawed for each turn as it is when it comes from another thread. */
async function judging(evidence: Evidence): Promise<readonly Row[]> {
  const catalog = await loadCatalog({ checksDir: null });
  const text = JSON.stringify(evidence);
  const turnsMs: number[] = [];
  for (let turn = -judgeTurns; turn < judgeTurns; turn++) {
    const thawed = JSON.parse(text) as Evidence;
    const beganMs = performance.now();
    performJudge({ evidence: thawed, hung: [] }, catalog, () => {});
    // The first half warms up.
    if (turn >= 0) turnsMs.push(performance.now() - beganMs);
  }
  const measured = spreadOf(turnsMs);
  const met = measured.median < judgeMsMax;
  return [
    { name: `  judging alone, ${catalog.checks.length} checks`, unit: "ms", measured, aim: { words: `under ${judgeMsMax} ms`, met } },
  ];
}

function timingsShown(scans: readonly ScanTaken[]): string {
  const names = Object.keys(scans[0]?.timings ?? {});
  return names.map((name) => `${name} ${spreadOf(scans.map(({ timings }) => timings[name] ?? 0)).median.toFixed(0)} ms`).join(", ");
}

async function manyAtATime(host: BrowserHost, site: SiteSaid, load: () => Promise<number>, concurrency: number): Promise<readonly Row[]> {
  const scanner = scannerOf(host, site, concurrency);
  const scan = () => wholeScan(scanner);
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
    { name: `scans, ${concurrency} at a time`, unit: "/s", measured: spreadOf(scans), against: spreadOf(loads) },
    {
      name: "  of bare loads",
      unit: "ratio",
      measured: ratios,
      aim: { words: `at least ${throughputRatioMin}`, met: ratios.median >= throughputRatioMin },
    },
  ];
}

/** How many of them end in a second, when `concurrency` are always under way. */
async function perSecond(act: () => Promise<unknown>, concurrency: number, times: number): Promise<number> {
  let left = concurrency * times;
  const beganMs = performance.now();
  const lane = async () => {
    while (left-- > 0) await act();
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return (concurrency * times * 1_000) / (performance.now() - beganMs);
}
