/** Watches the browsers of all threads from the main thread: bounds their memory, and ends those whose thread is gone. */
import type { Log } from "../base/log.ts";
import type { BrowserEntry, ProcessTable } from "./process-table.ts";
import { type ChildPids, collectChild, endProcessTree, kill, memoryBytesOf, pidsBelow, readChildPids } from "./process-tree.ts";

/** A page can allocate a gigabyte within this time; the margin of the limits must hold it. */
const watchEveryMs = 500;

export interface MemoryLimits {
  /** One process of a browser, in bytes. */
  readonly childBytesMax: number;
  /** All processes of a browser together, in bytes. */
  readonly browserBytesMax: number;
}

export interface WatchdogOptions {
  readonly table: ProcessTable;
  readonly limits: MemoryLimits;
  /** Ids of the threads that are alive. */
  readonly threadIds: () => ReadonlySet<number>;
  readonly log: Log;
}

/** Returns the function that stops it. */
export function startWatchdog(options: WatchdogOptions): () => void {
  const timer = setInterval(() => watch(options), watchEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

function watch(options: WatchdogOptions): void {
  const entries = options.table.list();
  if (entries.length === 0) return;
  const children = readChildPids();
  const threadIds = options.threadIds();
  for (const entry of entries) {
    if (threadIds.has(entry.threadId)) boundMemory(entry, children, options);
    else endLost(entry, options);
  }
}

/** Its thread can no longer end it, collect its exit status, or remove its entry. Called again until the process is gone. */
function endLost({ index, pid }: BrowserEntry, { table, log }: WatchdogOptions): void {
  endProcessTree(pid);
  if (!collectChild(pid)) return;
  table.remove(index);
  // Also the end of a slot that was idle.
  log.info("browser ended", { pid, because: "its worker is gone" });
}

function boundMemory({ index, pid: root }: BrowserEntry, children: ChildPids, { table, limits, log }: WatchdogOptions): void {
  const processes = pidsBelow(root, children).map((pid) => ({ pid, bytes: memoryBytesOf(pid) }));
  const sumBytes = processes.reduce((sum, { bytes }) => sum + bytes, 0);
  const tooLarge = processes.filter(({ bytes }) => bytes > limits.childBytesMax);
  if (sumBytes > limits.browserBytesMax || tooLarge.some(({ pid }) => pid === root)) {
    table.markIll(index);
    endProcessTree(root);
    log.warn("browser ended", { pid: root, because: "its memory", megabytes: megabytes(sumBytes) });
    return;
  }
  for (const { pid, bytes } of tooLarge) {
    table.markIll(index);
    kill(pid);
    log.warn("browser process ended", { pid, browser: root, because: "its memory", megabytes: megabytes(bytes) });
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
