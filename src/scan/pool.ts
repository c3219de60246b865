/** Worker threads: runs tasks in them, bounds their time from outside, and survives whatever becomes of a thread. */

import { MessageChannel } from "node:worker_threads";
import { Tinypool } from "tinypool";
import { messageOf } from "../base/log.ts";
import type { WorkerMessage, WorkerTasks } from "./task.ts";

/** Until a fresh thread has loaded its code and catalog and begins with its task. */
const startMs = 30_000;
/** A thread that had nothing to do for so long is given back, all but one. */
const idleMs = 60_000;

/** What became of a task. `late` and `cancelled`: its thread was ended. `died`: its thread broke, or the task threw. */
export type TaskEnd<T> =
  | { readonly end: "done"; readonly value: T }
  | { readonly end: "late" }
  | { readonly end: "cancelled" }
  | { readonly end: "died"; readonly because: string };

export interface TaskWatch {
  /** From the moment the task begins; then its thread is ended, whatever it is doing. */
  readonly deadlineMs: number;
  readonly onSays: (said: WorkerMessage) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface WorkerPool {
  /** Never rejects. */
  run<Name extends keyof WorkerTasks>(
    name: Name,
    task: WorkerTasks[Name]["task"],
    watch: TaskWatch,
  ): Promise<TaskEnd<WorkerTasks[Name]["value"]>>;
  /** Ends every thread; tasks under way end as `died`. */
  close(): Promise<void>;
}

export interface PoolOptions {
  /** The worker's entry; a compiled binary has it elsewhere than the source tree. */
  readonly workerFile: string;
  readonly threads: number;
  /** Handed to every thread. */
  readonly workerData: WorkerData;
  /** Told of a thread that broke while it had no task. */
  readonly onIdleFault: (fault: string) => void;
}

/** Tinypool derives this type from a `postMessage` that the types of Bun have and those of the DOM hide. */
type TransferList = NonNullable<NonNullable<Parameters<Tinypool["run"]>[1]>["transferList"]>;

export interface WorkerData {
  readonly checksDir: string | null;
  readonly blockedPorts: SharedArrayBuffer;
}

/** What a thread was started with; for the worker's entry. */
export function workerData(): WorkerData {
  return Tinypool.workerData;
}

export function openPool({ workerFile, threads, workerData, onIdleFault }: PoolOptions): WorkerPool {
  const pool = new Tinypool({
    filename: workerFile,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: idleMs,
    workerData,
    // A thread parked on an atomic between tasks would freeze its browser connection.
    useAtomics: false,
  });
  pool.on("error", (error) => onIdleFault(messageOf(error)));

  return {
    run: async (name, task, { deadlineMs, onSays, signal }) => {
      const { port1: ours, port2: theirs } = new MessageChannel();
      const ending = new AbortController();
      let started = false;
      let late = false;
      const endLate = () => {
        late = true;
        ending.abort();
      };
      let timer = setTimeout(endLate, startMs);
      ours.on("message", (said: WorkerMessage) => {
        if (said.says !== "started") return onSays(said);
        started = true;
        clearTimeout(timer);
        timer = setTimeout(endLate, deadlineMs);
      });
      // Not `AbortSignal.any`: what hangs on the caller's signal would stay there as long as that lives.
      const endCancelled = () => ending.abort();
      if (signal?.aborted) endCancelled();
      signal?.addEventListener("abort", endCancelled, { once: true });
      try {
        const value = await pool.run(
          { task, port: theirs },
          { name, transferList: [theirs] as unknown as TransferList, signal: ending.signal },
        );
        return { end: "done", value };
      } catch (error) {
        // A thread that never got as far as the task is broken; nothing is said of the site by that.
        if (late) return started ? { end: "late" } : { end: "died", because: `the worker did not start within ${startMs} ms` };
        return signal?.aborted ? { end: "cancelled" } : { end: "died", because: messageOf(error) };
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", endCancelled);
        ours.close();
      }
    },
    close: () => pool.destroy(),
  };
}
