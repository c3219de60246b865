/** Runs the code of an author in a thread of its own, with a deadline for each step. */
import { Worker } from "node:worker_threads";
import { messageOf } from "../base/log.ts";
import { faultOfFile, type PluginFault } from "../catalog/fault.ts";
import type { AuthorMessage, AuthorTask, RanCase, TriedPlugin } from "./author-thread.ts";

/** Limits in milliseconds, for loading and for each judgement. A thread starts within a second, and a file loads within milliseconds. */
const defaultDeadlines = { loadMs: 10_000, judgeMs: 5_000 };

export interface AuthorOutcome {
  /** Cases that came to their end. */
  readonly cases: readonly RanCase[];
  readonly tried: TriedPlugin | null;
  /** Why the file cannot be loaded; empty if it was. */
  readonly refused: readonly PluginFault[];
  /** Why the thread was ended before the task was done; null otherwise. */
  readonly broken: PluginFault | null;
}

/** `workerFile`: entry of the thread, `src/app/author-worker.ts`; its place differs in a compiled binary. Never rejects. */
export async function runAuthorTaskInThread(
  task: AuthorTask,
  workerFile: string,
  { loadMs, judgeMs } = defaultDeadlines,
): Promise<AuthorOutcome> {
  const cases: RanCase[] = [];
  let tried: TriedPlugin | null = null;
  let refused: readonly PluginFault[] = [];
  let running: { readonly name: string; readonly place: PluginFault } | null = null;
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const worker = new Worker(workerFile, { workerData: task });
  const endLate = () =>
    resolve(running === null ? `did not finish loading within ${loadMs / 1000} seconds` : `did not end within ${judgeMs / 1000} seconds`);
  let timer = setTimeout(endLate, loadMs);
  const restart = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(endLate, ms);
  };
  worker.on("message", (message: AuthorMessage) => {
    if (message.type === "running") {
      running = message;
      restart(judgeMs);
    } else if (message.type === "ran") cases.push(message.ran);
    else if (message.type === "tried") tried = message.tried;
    else if (message.type === "refused") refused = message.faults;
    else if (message.type === "end") resolve(null);
  });
  worker.on("error", (error) => resolve(`broke its thread: ${messageOf(error)}`));
  worker.on("exit", () => resolve("ended its thread"));
  const ended = await promise;
  clearTimeout(timer);
  await worker.terminate();
  return { cases, tried, refused, broken: ended === null ? null : brokenAt(task, running, ended) };
}

function brokenAt(task: AuthorTask, running: { readonly name: string; readonly place: PluginFault } | null, because: string): PluginFault {
  if (running === null) return faultOfFile(task.kind === "test" ? task.testFile : task.checkFile, because);
  const rest = task.kind === "test" ? "; the cases after it were not run" : "";
  return { ...running.place, reason: `${running.name}: ${because}${rest}` };
}
