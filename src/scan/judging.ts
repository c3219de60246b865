/** Judges evidence in threads, and replaces their catalog while scans run. */
import type { Clock } from "../base/clock.ts";
import type { Log, LogFields } from "../base/log.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import { openPool, type PoolOptions, type WorkerPool } from "./pool.ts";

/** Hung checks before the scan fails; each costs its deadline. */
const hungMax = 5;
/** Judging takes about a millisecond. After this time a check hangs, and the next task gets another thread. */
const turnMsMax = 250;

/** All that the threads need to judge with a catalog. */
export type JudgedCatalog = Pick<Catalog, "snapshot" | "version">;

interface JudgingOptions extends Omit<PoolOptions, "workerData"> {
  /** Limit of one attempt to judge, in milliseconds. */
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
    const generation: Generation = { pool, judge: (request) => inTurn(() => judgeIn(pool, options, request)), tasks: 0 };
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

/**
 * Runs tasks one after another, so that one thread suffices. A task that takes longer than `turnMsMax` does not hold up the others.
 * The pool gets no queue of its own: to it, a long wait is a thread that does not start.
 */
function createTurns(clock: Clock): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<void> = Promise.resolve();
  return async (task) => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    const cancel = clock.after(turnMsMax, resolve);
    try {
      return await task();
    } finally {
      cancel();
      resolve();
    }
  };
}

/** Judges again without a check that hangs or ends its thread: the last one started. */
async function judgeIn(pool: WorkerPool, { deadlineMs, onCheckFault, log }: JudgingOptions, { fields, evidence, signal }: JudgeRequest) {
  const hung: string[] = [];
  while (hung.length < hungMax) {
    const started: string[] = [];
    const ended = await pool.run(
      "judge",
      { evidence, hung },
      { deadlineMs, onMessage: (message) => message.type === "judging" && started.push(message.key), signal },
    );
    if (ended.end === "cancelled") return "interrupted";
    if (ended.end === "done") {
      for (const { key, fault } of ended.value.faults) onCheckFault(key, fault, fields);
      return ended.value.result;
    }
    const suspect = started.at(-1);
    const because = ended.end === "died" ? ended.because : null;
    log.error("worker lost while judging", { ...fields, check: suspect ?? null, end: ended.end, because });
    if (suspect === undefined) break;
    hung.push(suspect);
  }
  return "crashed";
}
