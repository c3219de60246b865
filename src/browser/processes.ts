/** Processes below a browser, from Linux's /proc (proc(5)), and the table of the browsers of all threads. */

import { dlopen } from "bun:ffi";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { type ProcessorWait, processorWaitMs } from "../base/standstill.ts";
import { systemLibrary } from "../base/system-library.ts";
import { tryOr } from "../base/try-or.ts";

/** Unit of `st_blocks`, see stat(2). */
const blockBytes = 512;
/** Line of /proc/PID/maps for a shared mapping of a deleted file: from, to, inode. */
const sharedMapping = /^([0-9a-f]+)-([0-9a-f]+) \S{3}s \S+ \S+ (\d+) .* \(deleted\)$/gm;
/** Fields of /proc/PID/status, which the watchdog reads ten times a second. */
const anonymousField = /^RssAnon:\s*(\d+) kB/m;
const sharedField = /^RssShmem:\s*(\d+) kB/m;
/** waitpid(2): WNOHANG. */
const waitNoHang = 1;
const { symbols: libc } = dlopen(systemLibrary, { waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" } });
/** A killed process ends within milliseconds. */
const endPollMs = 5;
const endPollsMax = 400;

/** Pids of the children by the pid of their parent. */
type ChildPids = ReadonlyMap<number, readonly number[]>;

/** One pass over all processes of the machine. */
export function readChildPids(): ChildPids {
  const children = new Map<number, number[]>();
  for (const pid of allPids()) {
    const parent = parentOf(pid);
    if (parent === null) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  return children;
}

/** The process and everything below it, itself first. */
export function pidsBelow(root: number, children: ChildPids): readonly number[] {
  return [root, ...(children.get(root) ?? []).flatMap((child) => pidsBelow(child, children))];
}

/** Memory without copies of files, in bytes: anonymous pages and mapped shared memory; 0 for a process that has ended. */
export function memoryOf(pid: number): { readonly anonymousBytes: number; readonly sharedBytes: number } {
  const status = readOf(pid, "status") ?? "";
  const bytesOf = (field: RegExp) => Number(field.exec(status)?.[1] ?? 0) * 1_024;
  return { anonymousBytes: bytesOf(anonymousField), sharedBytes: bytesOf(sharedField) };
}

/**
 * Bytes by inode of the shared memory that the process has open or mapped: deleted files. `memoryOf` does not count pages that no process
 * has touched, such as queued messages.
 */
export function sharedFilesOf(pid: number): ReadonlyMap<number, number> {
  const files = new Map<number, number>();
  for (const [, from = "", to = "", inode] of (readOf(pid, "maps") ?? "").matchAll(sharedMapping)) {
    const bytes = Number.parseInt(to, 16) - Number.parseInt(from, 16);
    files.set(Number(inode), Math.max(bytes, files.get(Number(inode)) ?? 0));
  }
  try {
    for (const fd of readdirSync(`/proc/${pid}/fd`)) {
      const file = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
      if (file?.isFile() && file.nlink === 0) files.set(file.ino, file.blocks * blockBytes);
    }
  } catch {
    // The process has ended, or belongs to another user.
  }
  return files;
}

/** The processes of a browser change within a page load, and a list of them costs the browser some work. */
const readingsPerList = 5;

/**
 * Longest wait for a processor among the main threads of a browser, where its pages run, summed over the readings. A process that began
 * after the first list counts from its begin. `listPids` gives null without an answer, and never rejects.
 */
export function watchProcessorWait(listPids: () => Promise<readonly number[] | null>): ProcessorWait {
  const waits = new Map<number, number>();
  let totalMs = 0;
  let readings = 0;
  let lists = 0;

  async function list(): Promise<void> {
    const pids = await listPids();
    if (pids === null) return;
    for (const pid of waits.keys()) if (!pids.includes(pid)) waits.delete(pid);
    for (const pid of pids) if (!waits.has(pid)) waits.set(pid, lists === 0 ? processorWaitMs(String(pid)) : 0);
    lists++;
  }

  return () => {
    if (readings++ % readingsPerList === 0) void list();
    let longestMs = 0;
    for (const [pid, beforeMs] of waits) {
      const nowMs = processorWaitMs(String(pid));
      longestMs = Math.max(longestMs, nowMs - beforeMs);
      waits.set(pid, nowMs);
    }
    totalMs += longestMs;
    return totalMs;
  };
}

/** Kills the process and everything below it at once. Does nothing if it has ended. */
export function endProcessTree(root: number): void {
  const pids = pidsBelow(root, readChildPids());
  // A negative pid is the process group (kill(2)): it has processes that were started in between.
  for (const pid of [-root, ...pids]) kill(pid);
}

/**
 * Waits until no process of the browser's group is a child of this process, and collects their exit statuses. In a container,
 * this process is often process 1. It then inherits the processes of an ended browser, which would stay zombies.
 */
export async function collectGroup(root: number): Promise<void> {
  for (let polls = 0; polls < endPollsMax && !collectEnded(root); polls++) await Bun.sleep(endPollMs);
}

/**
 * Collects the processes of the group that have ended (waitpid(2)). False while others run. The browser itself may be among them: call it
 * only when nothing else waits for the browser.
 */
export function collectEnded(root: number): boolean {
  let collected: number;
  do collected = libc.waitpid(-root, null, waitNoHang);
  while (collected > 0);
  return collected !== 0;
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended already.
  }
}

/** Processes with the text in their command line. */
export function pidsMentioning(text: string): readonly number[] {
  return allPids().filter((pid) => pid !== process.pid && (readOf(pid, "cmdline") ?? "").includes(text));
}

/** Empty while this process has no free file descriptor, because the watchdog must not fail. */
function allPids(): readonly number[] {
  return tryOr(() => readdirSync("/proc"), [])
    .map(Number)
    .filter(Number.isInteger);
}

/** Parent of a process; null if it has ended. The command in parentheses may itself contain spaces and parentheses. */
function parentOf(pid: number): number | null {
  const stat = readOf(pid, "stat");
  return stat === null ? null : Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ", 2)[1]);
}

function readOf(pid: number, file: string): string | null {
  return tryOr(() => readFileSync(`/proc/${pid}/${file}`, "utf8"), null);
}

// Browsers of all threads, in shared memory. The main thread watches their memory, and ends a browser whose thread is gone. An entry is
// written before its thread can do anything else, so no browser is missed.

/** Above the largest `scan.concurrency`; a browser that ends may overlap with its successor. */
const entriesMax = 256;
const fields = { pid: 0, threadId: 1, isFaulty: 2 } as const;
const fieldCount = 3;
const free = 0;
/** Marks an entry that a thread is claiming. */
const claimed = -1;

export interface BrowserEntry {
  readonly index: number;
  readonly pid: number;
  readonly threadId: number;
}

export type ProcessTable = ReturnType<typeof openProcessTable>;

/** `memory` of another thread's table; absent for a new table. */
export function openProcessTable(memory = new SharedArrayBuffer(entriesMax * fieldCount * Int32Array.BYTES_PER_ELEMENT)) {
  const cells = new Int32Array(memory);
  const cell = (index: number, field: keyof typeof fields) => index * fieldCount + fields[field];
  const indices = Array.from({ length: entriesMax }, (_each, index) => index);
  return {
    memory,
    /** Index of the new entry. @throws RangeError if the table is full. */
    add: (pid: number, threadId: number): number => {
      const index = indices.find((each) => Atomics.compareExchange(cells, cell(each, "pid"), free, claimed) === free);
      if (index === undefined) throw new RangeError("too many browsers run");
      Atomics.store(cells, cell(index, "threadId"), threadId);
      Atomics.store(cells, cell(index, "isFaulty"), 0);
      Atomics.store(cells, cell(index, "pid"), pid);
      return index;
    },
    /** Does nothing if the entry already belongs to another browser: the call of a terminated thread may come late. */
    remove: (index: number, pid: number): void => void Atomics.compareExchange(cells, cell(index, "pid"), pid, free),
    /** Informs the browser's thread that a process of it was ended. */
    markFaulty: (index: number): void => void Atomics.store(cells, cell(index, "isFaulty"), 1),
    isFaulty: (index: number): boolean => Atomics.load(cells, cell(index, "isFaulty")) === 1,
    list: (): readonly BrowserEntry[] =>
      indices.flatMap((index) => {
        const pid = Atomics.load(cells, cell(index, "pid"));
        return pid > 0 ? [{ index, pid, threadId: Atomics.load(cells, cell(index, "threadId")) }] : [];
      }),
  };
}
