/** Judges evidence in threads, and replaces their catalog while scans run. */
import type { Clock } from "../base/clock.ts";
import type { Log, LogFields } from "../base/log.ts";
import { builtInCatalog, type Catalog } from "../catalog/catalog.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import { openPool, type PoolOptions, type TaskWatch, type WorkerPool } from "./pool.ts";
import type { Judged } from "./task.ts";

/** Plugins that are left out before the scan fails; each costs both of its tries. */
const hungMax = 5;
/** Judging takes about a millisecond. After this time a check hangs, and the next judgement gets another thread. */
const turnMsMax = 250;
/** Deadlines that the try alone lasts: a thread without processor time looks like a check that hangs. */
const deadlinesAlone = 10;

/** All that the threads need to judge with a catalog. */
export type JudgedCatalog = Pick<Catalog, "snapshot" | "version">;

interface JudgingOptions extends Omit<PoolOptions, "workerData"> {
  /** Limit of the first try, in milliseconds. */
  readonly deadlineMs: number;
  /** A check that threw or returned no verdict; its row is `notChecked`. */
  readonly onCheckFault: (key: string, fault: string, fields: LogFields) => void;
  readonly log: Log;
}

interface JudgeRequest {
  /** Names the scan in the log. */
  readonly fields: LogFields;
  readonly evidence: Evidence;
  readonly signal?: AbortSignal | undefined;
}

/** Never rejects. */
export type Judge = (request: JudgeRequest) => Promise<StoredResult | ScanErrorCode>;

export type Judging = ReturnType<typeof openJudging>;

/** Threads of one catalog. */
interface Generation {
  readonly pool: WorkerPool;
  readonly judge: Judge;
  tasks: number;
}

export function openJudging(options: JudgingOptions, catalog: JudgedCatalog) {
  const open = new Set<Generation>();
  let current = openGeneration(catalog);

  function openGeneration({ snapshot, version }: JudgedCatalog): Generation {
    const { workerFile, threads, onIdleFault, clock } = options;
    const pool = openPool({ workerFile, threads, workerData: { snapshot, version }, onIdleFault, clock });
    const inTurn = createTurns(clock);
    const generation: Generation = { pool, judge: (request) => judgeIn({ pool, inTurn }, options, request), tasks: 0 };
    open.add(generation);
    return generation;
  }

  function closeIfDone(generation: Generation): void {
    if (generation === current || generation.tasks > 0 || !open.delete(generation)) return;
    generation.pool.close().catch((error) => options.log.error("threads of a former catalog did not end", { because: String(error) }));
  }

  return {
    /** Runs the task with the current catalog, which the task keeps although it is replaced meanwhile. */
    withCurrent: async <T>(task: (judge: Judge) => Promise<T>): Promise<T> => {
      const generation = current;
      generation.tasks += 1;
      try {
        return await task(generation.judge);
      } finally {
        generation.tasks -= 1;
        closeIfDone(generation);
      }
    },
    /** Threads of the former catalog end after the last task that uses it. */
    replace: (next: JudgedCatalog): void => {
      const former = current;
      current = openGeneration(next);
      closeIfDone(former);
    },
    /** Ends every thread. */
    close: async (): Promise<void> => {
      await Promise.all([...open].map(({ pool }) => pool.close()));
    },
  };
}

interface Turn {
  /** Begins when no other task runs, and none begins before its end. */
  readonly alone: boolean;
  /** Resolves null at once, without the task, if it aborts before the task has begun. */
  readonly signal?: AbortSignal | undefined;
}

type InTurn = <T>(turn: Turn, task: () => Promise<T>) => Promise<T | null>;

/**
 * Runs tasks one after another, so that one thread suffices. A task that takes longer than `turnMsMax` does not hold up the others, unless
 * it is alone. Others come before one that waits to be alone, so that each of them waits for one such task at most.
 * The pool gets no queue of its own: to it, a long wait is a thread that does not start.
 */
function createTurns(clock: Clock): InTurn {
  const waiting = { alone: new Set<() => void>(), others: new Set<() => void>() };
  let running = 0;
  /** The task whose turn it is. */
  let holder: (() => void) | null = null;

  function beginNext(): void {
    if (holder !== null) return;
    const from = waiting.others.size > 0 ? waiting.others : waiting.alone;
    const [next] = from;
    if (next === undefined || (from === waiting.alone && running > 0)) return;
    from.delete(next);
    holder = next;
    running += 1;
    next();
  }

  return async ({ alone, signal }, task) => {
    const { promise: begun, resolve } = Promise.withResolvers<boolean>();
    const begin = () => resolve(true);
    const queue = alone ? waiting.alone : waiting.others;
    const leave = () => queue.delete(begin) && resolve(false);
    const passTurn = () => {
      if (holder === begin) holder = null;
      beginNext();
    };
    queue.add(begin);
    if (signal?.aborted) leave();
    signal?.addEventListener("abort", leave, { once: true });
    beginNext();
    try {
      if (!(await begun)) return null;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
    const cancel = alone ? () => {} : clock.after(turnMsMax, passTurn);
    try {
      return await task();
    } finally {
      cancel();
      running -= 1;
      passTurn();
    }
  };
}

export function storedResult({ result, lines, draft }: Judged): StoredResult {
  return { ...result, ...(lines === null ? {} : { lines }), ...(draft === null ? {} : { draft }) };
}

function isBuiltIn(key: string): boolean {
  return builtInCatalog().checks.some((check) => check.key === key);
}

/**
 * The same evidence has the same result on any machine. So a thread that is late or ends has a second try, alone and with more time,
 * which says whether a check is to blame: the last one started. Only a plugin is left out; with a built-in check the scan fails.
 */
async function judgeIn(
  { pool, inTurn }: { readonly pool: WorkerPool; readonly inTurn: InTurn },
  { deadlineMs, onCheckFault, log }: JudgingOptions,
  { fields, evidence, signal }: JudgeRequest,
): Promise<StoredResult | ScanErrorCode> {
  const hung: string[] = [];
  let alone = false;
  while (hung.length < hungMax) {
    const started: string[] = [];
    const watch: TaskWatch = {
      deadlineMs: alone ? deadlineMs * deadlinesAlone : deadlineMs,
      onMessage: (message) => message.type === "judging" && started.push(message.key),
      signal,
    };
    const ended = await inTurn({ alone, signal }, () => pool.run("judge", { evidence, hung }, watch));
    if (ended === null || ended.end === "cancelled") return "interrupted";
    if (ended.end === "done") {
      for (const { key, fault } of ended.value.faults) onCheckFault(key, fault, fields);
      return storedResult(ended.value);
    }
    const suspect = started.at(-1);
    const lost = { ...fields, check: suspect ?? null, end: ended.end, because: ended.end === "died" ? ended.because : null };
    if (alone) {
      log.error("worker lost while judging", lost);
      if (suspect === undefined || isBuiltIn(suspect)) break;
      hung.push(suspect);
    } else log.warn("judgement lost, tried once more alone", lost);
    alone = !alone;
  }
  return "crashed";
}
