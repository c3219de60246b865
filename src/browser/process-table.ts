/**
 * Browsers of all threads, in shared memory. The main thread watches their memory, and ends a browser whose thread is gone.
 * An entry is written before its thread can do anything else, so no browser is missed.
 */

/** Above the largest `scan.concurrency`; a browser that ends may overlap with its successor. */
const entriesMax = 256;
const fields = { pid: 0, threadId: 1, isIll: 2 } as const;
const fieldCount = 3;
const free = 0;
/** A thread is claiming this entry. */
const claimed = -1;

export interface BrowserEntry {
  readonly index: number;
  readonly pid: number;
  readonly threadId: number;
}

export interface ProcessTable {
  readonly memory: SharedArrayBuffer;
  /** Index of the new entry. @throws RangeError if the table is full. */
  add(pid: number, threadId: number): number;
  /** Does nothing if the entry is another browser's by now: a thread that is being ended may come after the main thread. */
  remove(index: number, pid: number): void;
  /** Informs the browser's thread that a process of it was ended. */
  markIll(index: number): void;
  isIll(index: number): boolean;
  list(): readonly BrowserEntry[];
}

/** `memory` of another thread's table; absent for a new table. */
export function openProcessTable(memory = new SharedArrayBuffer(entriesMax * fieldCount * Int32Array.BYTES_PER_ELEMENT)): ProcessTable {
  const cells = new Int32Array(memory);
  const cell = (index: number, field: keyof typeof fields) => index * fieldCount + fields[field];
  const indices = Array.from({ length: entriesMax }, (_each, index) => index);
  return {
    memory,
    add: (pid, threadId) => {
      const index = indices.find((each) => Atomics.compareExchange(cells, cell(each, "pid"), free, claimed) === free);
      if (index === undefined) throw new RangeError("too many browsers run");
      Atomics.store(cells, cell(index, "threadId"), threadId);
      Atomics.store(cells, cell(index, "isIll"), 0);
      Atomics.store(cells, cell(index, "pid"), pid);
      return index;
    },
    remove: (index, pid) => void Atomics.compareExchange(cells, cell(index, "pid"), pid, free),
    markIll: (index) => void Atomics.store(cells, cell(index, "isIll"), 1),
    isIll: (index) => Atomics.load(cells, cell(index, "isIll")) === 1,
    list: () =>
      indices.flatMap((index) => {
        const pid = Atomics.load(cells, cell(index, "pid"));
        return pid > 0 ? [{ index, pid, threadId: Atomics.load(cells, cell(index, "threadId")) }] : [];
      }),
  };
}
