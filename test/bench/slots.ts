/** Measures scan slots: their start, their memory, and scans a minute beside bare loads of the same page. */
import { availableParallelism } from "node:os";
import { loadConfig } from "../../src/settings/config.ts";
import { programVariant, startAppliance } from "./appliance.ts";
import { openBareLoads } from "./bare-load.ts";
import { startChild } from "./child.ts";
import { childPids, processMemory, proportionalMB } from "./memory.ts";
import { noteProgress, type Row } from "./report.ts";
import { openScannerUnderTest, slotStartMs } from "./scanner.ts";
import type { SiteReady } from "./site.ts";
import { spreadOf } from "./spread.ts";

/** A scan mostly waits for a quiet network: only several scans for each core saturate a machine. */
const scansPerCore = 4;
const slotsOfMemory = [1, 2, 4];
/** Scans of each slot before and while memory is read. */
const warmUpScans = 5;
const scansWhileReading = 10;
const memoryEveryMs = 300;
const throughputRatioMin = 0.75;
/** Scans of one throughput round, as a multiple of its concurrency. */
const waves = 4;
const perMinute = 60_000;

export interface SlotsInput {
  readonly starts: number;
  readonly rounds: number;
  /** Measures one number of slots only. */
  readonly short: boolean;
}

export async function* benchSlots({ starts, rounds, short }: SlotsInput): AsyncGenerator<Row> {
  yield await startRow(starts);
  for (const slots of short ? [1] : slotsOfMemory) yield* await memoryRows(slots);
  const site = await startChild<SiteReady>("site.ts");
  const full = loadConfig({ flags: {}, env: {}, configFile: null })["scan.concurrency"];
  const concurrencies = new Set(short ? [full] : [1, 2, full, scansPerCore * availableParallelism()]);
  try {
    for (const concurrency of concurrencies)
      yield* await throughputRows(site.ready, { concurrency, rounds, hasTarget: concurrency >= full });
  } finally {
    await site.stop();
  }
}

async function startRow(starts: number): Promise<Row> {
  const took: number[] = [];
  // The first one fills the page cache.
  await slotStartMs();
  for (let start = 0; start < starts; start++) {
    noteProgress(`start of a slot: ${start + 1} of ${starts}`);
    took.push(await slotStartMs());
  }
  return { name: "start of a slot, to a page that answers", unit: "ms", measured: spreadOf(took) };
}

/** Read while the slots scan, in proportional memory. */
async function memoryRows(slots: number): Promise<readonly Row[]> {
  noteProgress(`memory of ${slots} slots: starting`);
  const appliance = await startAppliance({ concurrency: slots });
  try {
    noteProgress(`memory of ${slots} slots: ${slots * (warmUpScans + scansWhileReading)} scans`);
    await appliance.runScans(slots * warmUpScans);
    const [program, browsers]: [number[], number[]] = [[], []];
    let isScanning = true;
    const scanning = appliance.runScans(slots * scansWhileReading).finally(() => {
      isScanning = false;
    });
    // It may fail during a pause of the loop, and is awaited after it.
    scanning.catch(() => {});
    while (isScanning) {
      await Bun.sleep(memoryEveryMs);
      const memory = processMemory(appliance.pid);
      program.push(memory.proportionalMB - memory.storeMapMB);
      browsers.push(proportionalMB(childPids(appliance.pid)));
    }
    await scanning;
    const name = `${slots} slot${slots === 1 ? "" : "s"}`;
    return [
      { name: `${name}: program, ${programVariant}`, unit: "MB", measured: spreadOf(program) },
      { name: `${name}: browsers`, unit: "MB", measured: spreadOf(browsers) },
    ];
  } finally {
    await appliance.stop();
  }
}

interface ThroughputInput {
  readonly concurrency: number;
  readonly rounds: number;
  readonly hasTarget: boolean;
}

async function throughputRows(site: SiteReady, { concurrency, rounds, hasTarget }: ThroughputInput): Promise<readonly Row[]> {
  const url = `https://127.0.0.1:${site.httpsPort}/`;
  const scanner = openScannerUnderTest(site, { concurrency, screenshots: true });
  const ownBrowsers = await openBareLoads(url, { browsers: concurrency });
  const oneBrowser = await openBareLoads(url, { browsers: 1 });
  const tasks = [() => scanner.scan(), ownBrowsers.load, oneBrowser.load];
  const rates: number[][] = tasks.map(() => []);
  try {
    noteProgress(`${concurrency} scans at a time: warm-up`);
    for (const task of tasks) await ratePerMinute(task, concurrency, 1);
    for (let round = 0; round < rounds; round++) {
      noteProgress(`${concurrency} scans at a time: round ${round + 1} of ${rounds}`);
      for (const [at, task] of tasks.entries()) rates[at]?.push(await ratePerMinute(task, concurrency, waves));
    }
  } finally {
    await Promise.all([scanner.close(), ownBrowsers.close(), oneBrowser.close()]);
  }
  const [scans = [], ownLoads = [], sharedLoads = []] = rates;
  const ratio = (loads: readonly number[]) => spreadOf(scans.map((rate, at) => rate / (loads[at] ?? Number.NaN)));
  const measured = ratio(ownLoads);
  const target = { text: `at least ${throughputRatioMin}`, met: measured.median >= throughputRatioMin };
  const name = `scans, ${concurrency} at a time`;
  const note = `the baseline is bare loads with a browser each; in one browser ${spreadOf(sharedLoads).median.toFixed(0)} /min`;
  return [
    { name, unit: "/min", measured: spreadOf(scans), baseline: spreadOf(ownLoads), note },
    { name: "  of bare loads, a browser each", unit: "ratio", measured, ...(hasTarget ? { target } : {}) },
    { name: "  of bare loads, in one browser", unit: "ratio", measured: ratio(sharedLoads) },
  ];
}

/** Completions a minute with `concurrency` at a time. */
async function ratePerMinute(task: (lane: number) => Promise<unknown>, concurrency: number, times: number): Promise<number> {
  const total = concurrency * times;
  let left = total;
  const beganMs = performance.now();
  const runLane = async (lane: number) => {
    while (left-- > 0) await task(lane);
  };
  await Promise.all(Array.from({ length: concurrency }, (_each, lane) => runLane(lane)));
  return (total * perMinute) / (performance.now() - beganMs);
}
