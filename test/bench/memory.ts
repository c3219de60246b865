/** Memory and other resources of a process and of the processes below it, from /proc (proc(5)). Megabytes are 10^6 bytes. */
import { readdirSync, readFileSync } from "node:fs";
import { pidsBelow, readChildPids } from "../../src/browser/processes.ts";

const bytesPerKibibyte = 1_024;
const bytesPerMegabyte = 1e6;

/** The parts add up to `residentMB`. */
export interface ProcessMemory {
  readonly residentMB: number;
  /** Resident memory in which shared pages count in proportion (PSS). */
  readonly proportionalMB: number;
  readonly anonymousMB: number;
  /** The memory map of the store: file pages that the system can reclaim. */
  readonly storeMapMB: number;
  /** Other file pages, mostly the program itself, that the system can reclaim. */
  readonly fileMB: number;
}

export function processMemory(pid: number): ProcessMemory {
  const sums = { Rss: 0, Pss: 0, Anonymous: 0, storeMap: 0 };
  let isStore = false;
  for (const line of readFileSync(`/proc/${pid}/smaps`, "utf8").split("\n")) {
    // The first line of a mapping ends with the path of its file.
    if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) isStore = line.endsWith("/data.mdb") || line.endsWith("/store");
    const [, name, kibibytes] = /^(Rss|Pss|Anonymous): +(\d+) kB/.exec(line) ?? [];
    if (name === undefined) continue;
    const megabytes = (Number(kibibytes) * bytesPerKibibyte) / bytesPerMegabyte;
    sums[name as keyof typeof sums] += megabytes;
    if (isStore && name === "Rss") sums.storeMap += megabytes;
  }
  const fileMB = sums.Rss - sums.Anonymous - sums.storeMap;
  return { residentMB: sums.Rss, proportionalMB: sums.Pss, anonymousMB: sums.Anonymous, storeMapMB: sums.storeMap, fileMB };
}

/** Processes below a process, without the process itself: its browsers. */
export function childPids(pid: number): readonly number[] {
  return pidsBelow(pid, readChildPids()).slice(1);
}

/** Proportional memory of processes together. A process that has ended counts 0. */
export function proportionalMB(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + rollupMB(pid), 0);
}

function rollupMB(pid: number): number {
  try {
    const kibibytes = /^Pss: +(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
    return (Number(kibibytes ?? 0) * bytesPerKibibyte) / bytesPerMegabyte;
  } catch {
    return 0;
  }
}

export function descriptorCount(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

export function threadCount(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).length;
}
