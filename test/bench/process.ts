/** Measures start time and memory of the server process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../support/program.ts";
import { isCompiled, programCommand, programVariant, startAppliance } from "./appliance.ts";
import { type ProcessMemory, processMemory } from "./memory.ts";
import { noteProgress, type Row } from "./report.ts";
import { spreadOf } from "./spread.ts";

const startMsMax = 300;
/** Memory of the program without its browsers, and without the map of the store, whose pages are a cache of a file. */
const programMBMax = 200;
/** Several readings, because garbage collection changes the memory. */
const readings = 10;
const readingEveryMs = 200;

export async function benchStart({ starts }: { readonly starts: number }): Promise<readonly Row[]> {
  const took: number[] = [];
  for (let start = -1; start < starts; start++) {
    const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-start-"));
    const beganMs = performance.now();
    const server = await serve(["--data", dataDir], { command: programCommand });
    const answered = await fetch(`${server.url}/healthz`);
    const tookMs = performance.now() - beganMs;
    if (!answered.ok) throw new Error(`/healthz answered ${answered.status}`);
    // The first start only fills the page cache.
    if (start >= 0) took.push(tookMs);
    await server.end("SIGKILL");
    rmSync(dataDir, { recursive: true, force: true });
  }
  const measured = spreadOf(took);
  const target = { text: `at most ${startMsMax} ms`, met: measured.median <= startMsMax };
  return [{ name: `start to first response, ${programVariant}`, unit: "ms", measured, ...(isCompiled ? { target } : {}) }];
}

export async function* benchMemory({ scans }: { readonly scans: number }): AsyncGenerator<Row> {
  const appliance = await startAppliance();
  try {
    yield rowOf(`program, idle, ${programVariant}`, await memorySeries(appliance.pid));
    noteProgress(`${scans} scans`);
    await appliance.runScans(scans);
    yield rowOf(`program, after ${scans} scans, ${programVariant}`, await memorySeries(appliance.pid));
  } finally {
    await appliance.stop();
  }
}

export async function memorySeries(pid: number): Promise<readonly ProcessMemory[]> {
  const series: ProcessMemory[] = [];
  for (let reading = 0; reading < readings; reading++) {
    await Bun.sleep(readingEveryMs);
    series.push(processMemory(pid));
  }
  return series;
}

export function programMB({ residentMB, storeMapMB }: ProcessMemory): number {
  return residentMB - storeMapMB;
}

export function programTarget(megabytes: number): NonNullable<Row["target"]> {
  return { text: `at most ${programMBMax} MB`, met: megabytes <= programMBMax };
}

function rowOf(name: string, series: readonly ProcessMemory[]): Row {
  const measured = spreadOf(series.map(programMB));
  const median = (part: keyof ProcessMemory) => spreadOf(series.map((memory) => memory[part])).median.toFixed(0);
  return {
    name,
    unit: "MB",
    measured,
    target: programTarget(measured.median),
    note: `${median("anonymousMB")} MB of it are anonymous, the others file pages; beside it ${median("storeMapMB")} MB of the store are mapped`,
  };
}
