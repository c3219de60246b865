/** Measures what grows over thousands of scans. Prints a line for each step, and writes all of them to dist/soak.json each time. */
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type BenchAppliance, programVariant, startAppliance } from "./appliance.ts";
import { childPids, descriptorCount, type processMemory, proportionalMB, threadCount } from "./memory.ts";
import { memorySeries, programMB, programTarget } from "./process.ts";
import type { Row } from "./report.ts";
import { type Spread, spreadOf } from "./spread.ts";

const scansPerStep = 500;
const bytesPerMegabyte = 1e6;
const bytesPerKilobyte = 1e3;
/** Growth of the program between the first step and the last: the spread of garbage collection. */
const growthMBMax = 20;
// reads: dist/
const distDir = join(import.meta.dirname, "../../dist");

/** State after so many scans, while none runs. */
interface SoakStep {
  readonly scans: number;
  readonly takenAt: string;
  /** Medians of several readings. `programMB` is resident memory without the map of the store. */
  readonly programMB: number;
  readonly residentMB: number;
  readonly proportionalMB: number;
  readonly anonymousMB: number;
  readonly fileMB: number;
  readonly storeMapMB: number;
  /** Proportional memory of all processes below the server. */
  readonly browsersMB: number;
  readonly browserProcesses: number;
  readonly descriptors: number;
  readonly threads: number;
  readonly profiles: number;
  readonly storeMB: number;
  /** Growth of the store since the step before. */
  readonly storeKBPerScan: number;
  /** Duration of one scan, from start to end; `msPerScan` is the time of the appliance divided by the number of scans. */
  readonly scanMs: number;
  readonly msPerScan: number;
}

export async function benchSoak({ scans }: { readonly scans: number }): Promise<readonly Row[]> {
  const appliance = await startAppliance();
  const steps: SoakStep[] = [];
  try {
    while (totalOf(steps) < scans) {
      const count = Math.min(scansPerStep, scans - totalOf(steps));
      const beganMs = performance.now();
      const took = await appliance.runScans(count);
      const step = await stepOf(appliance, steps.at(-1), { count, took, msPerScan: (performance.now() - beganMs) / count });
      steps.push(step);
      console.log(lineOf(step));
      mkdirSync(distDir, { recursive: true });
      await Bun.write(join(distDir, "soak.json"), `${JSON.stringify({ variant: programVariant, steps }, null, 2)}\n`);
    }
  } finally {
    await appliance.stop();
  }
  return rowsOf(steps);
}

function totalOf(steps: readonly SoakStep[]): number {
  return steps.at(-1)?.scans ?? 0;
}

interface StepRun {
  readonly count: number;
  readonly took: readonly number[];
  readonly msPerScan: number;
}

async function stepOf({ pid, dataDir }: BenchAppliance, before: SoakStep | undefined, run: StepRun): Promise<SoakStep> {
  const series = await memorySeries(pid);
  const median = (read: (memory: ReturnType<typeof processMemory>) => number) => round(spreadOf(series.map(read)).median);
  const children = childPids(pid);
  const storeBytes = bytesBelow(join(dataDir, "store"));
  const storeMB = storeBytes / bytesPerMegabyte;
  return {
    scans: (before?.scans ?? 0) + run.count,
    takenAt: new Date().toISOString(),
    programMB: median(programMB),
    residentMB: median(({ residentMB }) => residentMB),
    proportionalMB: median((memory) => memory.proportionalMB),
    anonymousMB: median(({ anonymousMB }) => anonymousMB),
    fileMB: median(({ fileMB }) => fileMB),
    storeMapMB: median(({ storeMapMB }) => storeMapMB),
    browsersMB: round(proportionalMB(children)),
    browserProcesses: children.length,
    descriptors: descriptorCount(pid),
    threads: threadCount(pid),
    profiles: profileCount(dataDir),
    storeMB: round(storeMB),
    storeKBPerScan: round(((storeMB - (before?.storeMB ?? 0)) * bytesPerMegabyte) / bytesPerKilobyte / run.count),
    scanMs: Math.round(run.took.reduce((sum, ms) => sum + ms, 0) / run.took.length),
    msPerScan: Math.round(run.msPerScan),
  };
}

/** Profiles of the browsers that run, and those that were left behind. */
function profileCount(dataDir: string): number {
  const profiles = join(dataDir, "browser/profiles");
  return readdirSync(profiles).flatMap((owner) => readdirSync(join(profiles, owner)).filter((name) => name.startsWith("profile-"))).length;
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function lineOf(step: SoakStep): string {
  return [
    `${step.scans} scans: program ${step.programMB} MB (${step.anonymousMB} anonymous, ${step.fileMB} files), PSS ${step.proportionalMB} MB`,
    `store map ${step.storeMapMB} MB, browsers ${step.browsersMB} MB in ${step.browserProcesses} processes`,
    `${step.descriptors} descriptors, ${step.threads} threads, ${step.profiles} profiles, ${step.storeKBPerScan} KB stored per scan`,
    `${step.scanMs} ms a scan, one each ${step.msPerScan} ms`,
  ].join("; ");
}

function rowsOf(steps: readonly SoakStep[]): readonly Row[] {
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) throw new Error("no scan was run");
  const seriesOf = (name: "programMB" | "browsersMB" | "descriptors" | "threads" | "storeKBPerScan" | "scanMs"): Spread =>
    spreadOf(steps.map((step) => step[name]));
  const growth = last.programMB - first.programMB;
  const isFlat = growth <= growthMBMax;
  const profilesMax = Math.max(...steps.map(({ profiles }) => profiles));
  return [
    {
      name: `program after ${first.scans} scans, ${programVariant}`,
      unit: "MB",
      measured: spreadOf([first.programMB]),
      target: programTarget(first.programMB),
    },
    {
      name: `  growth until ${last.scans} scans`,
      unit: "MB",
      measured: spreadOf([growth]),
      target: { text: `at most ${growthMBMax} MB`, met: isFlat },
    },
    { name: "  map of the store", unit: "MB", measured: spreadOf([last.storeMapMB]) },
    { name: "browsers", unit: "MB", measured: seriesOf("browsersMB") },
    { name: "descriptors", unit: "count", measured: seriesOf("descriptors") },
    { name: "threads", unit: "count", measured: seriesOf("threads") },
    { name: "profiles, at most", unit: "count", measured: spreadOf([profilesMax]) },
    { name: "stored per scan", unit: "KB", measured: seriesOf("storeKBPerScan") },
    { name: "scan, start to end", unit: "ms", measured: seriesOf("scanMs") },
  ];
}
