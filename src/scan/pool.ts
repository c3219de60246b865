/** Pool of worker threads: runs tasks, enforces deadlines from outside, and survives the loss of a thread. */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Tinypool } from "tinypool";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/log.ts";
import { patientTimers, watchStandstill } from "../base/standstill.ts";
import type { BrowserSlotOptions } from "../browser/slot.ts";
import type { PluginSnapshot } from "../catalog/catalog.ts";
import { type GivenPublicSuffixes, givenPublicSuffixes } from "../parse/site.ts";
import type { PreloadList } from "../probe/browser/page-preload.ts";
import type { WorkerMessage, WorkerTasks } from "./task.ts";

/** Limit for a new thread to load its code and catalog and to start its task. */
const startMs = 30_000;
/** Idle threads end after so long, all but one. */
const idleMs = 60_000;

/** `late` and `cancelled`: the thread was ended. `died`: the thread broke, or the task threw. */
export type TaskEnd<T> =
  | { readonly end: "done"; readonly value: T }
  | { readonly end: "late" }
  | { readonly end: "cancelled" }
  | { readonly end: "died"; readonly because: string };

export interface TaskWatch {
  /** Limit from the start of the task; afterwards its thread is ended. */
  readonly deadlineMs: number;
  readonly onMessage: (message: WorkerMessage) => void;
  readonly signal?: AbortSignal | undefined;
}

export type WorkerPool = ReturnType<typeof openPool>;

export interface PoolOptions {
  /** Entry of the worker; its place differs in a compiled binary. */
  readonly workerFile: string;
  /** Most threads at once. */
  readonly threads: number;
  readonly workerData: Omit<GatherWorkerData, keyof AnyWorkerData> | Omit<JudgeWorkerData, keyof AnyWorkerData>;
  readonly onIdleFault: (fault: string) => void;
  readonly clock: Clock;
}

/** Tinypool derives this type from `postMessage` of Bun's types, which the DOM types hide. */
type TransferList = NonNullable<NonNullable<Parameters<Tinypool["run"]>[1]>["transferList"]>;

/** Argument of each function of a worker. */
export interface WorkerCall<Task> {
  readonly task: Task;
  readonly port: MessagePort;
}

/** Data of every thread. */
interface AnyWorkerData {
  readonly publicSuffixes: GivenPublicSuffixes | null;
}

/** Data of a thread that gathers. */
export interface GatherWorkerData extends AnyWorkerData {
  readonly blockedPorts: SharedArrayBuffer;
  /** List of the operator; null for the embedded one. Its bytes are shared, so that a thread adds no copy. */
  readonly preloadList: PreloadList | null;
  readonly browser: BrowserSlotOptions;
}

/** Data of a thread that judges. */
export interface JudgeWorkerData extends AnyWorkerData {
  /** Null without plugins. */
  readonly snapshot: PluginSnapshot | null;
  /** Version of the catalog, for its results. */
  readonly version: string;
}

/** Data that the pool of this thread was opened with. */
export function workerData<T extends GatherWorkerData | JudgeWorkerData>(): T {
  return Tinypool.workerData;
}

export function openPool({ workerFile, threads, workerData, onIdleFault, clock }: PoolOptions) {
  const pool = new Tinypool({
    filename: workerFile,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: idleMs,
    workerData: { ...workerData, publicSuffixes: givenPublicSuffixes() } satisfies GatherWorkerData | JudgeWorkerData,
    // A thread parked on an atomic between tasks would freeze the connection of its browser.
    useAtomics: false,
  });
  pool.on("error", (error) => onIdleFault(messageOf(error)));

  return {
    run: async <Name extends keyof WorkerTasks>(
      name: Name,
      task: WorkerTasks[Name]["task"],
      { deadlineMs, onMessage, signal }: TaskWatch,
    ): Promise<TaskEnd<WorkerTasks[Name]["value"]>> => {
      const { port1: localPort, port2: workerPort } = new MessageChannel();
      const ending = new AbortController();
      let started = false;
      let late = false;
      const endLate = () => {
        late = true;
        ending.abort();
      };
      // A process that was stopped has not waited for its threads.
      const standstill = watchStandstill(clock);
      const timers = patientTimers(clock, standstill.totalMs);
      let cancelEnd = timers.after(startMs, endLate);
      localPort.on("message", (message: WorkerMessage) => {
        if (message.type !== "started") return onMessage(message);
        started = true;
        cancelEnd();
        cancelEnd = timers.after(deadlineMs, endLate);
      });
      // Not `AbortSignal.any`, whose listener would stay on the caller's signal for the life of that signal.
      const endCancelled = () => ending.abort();
      if (signal?.aborted) endCancelled();
      signal?.addEventListener("abort", endCancelled, { once: true });
      try {
        const value = await pool.run(
          { task, port: workerPort },
          { name, transferList: [workerPort] as unknown as TransferList, signal: ending.signal },
        );
        return { end: "done", value };
      } catch (error) {
        // A thread that never started its task is broken, which is no timeout of the site.
        if (late) return started ? { end: "late" } : { end: "died", because: `the worker did not start within ${startMs} ms` };
        return signal?.aborted ? { end: "cancelled" } : { end: "died", because: messageOf(error) };
      } finally {
        cancelEnd();
        standstill.stop();
        signal?.removeEventListener("abort", endCancelled);
        localPort.close();
      }
    },
    /** Ids of the threads that are alive. */
    threadIds: (): ReadonlySet<number> => new Set(pool.threads.map(({ threadId }) => threadId)),
    /** Ends every thread; running tasks end as `died`. */
    close: (): Promise<void> => pool.destroy(),
  };
}
