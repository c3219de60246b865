/** Worker whose judging is lost or waits, as the test says by the host of the evidence. */
import { type JudgeWorkerData, type WorkerCall, workerData } from "../../../src/scan/pool.ts";
import type { JudgeTask } from "../../../src/scan/task.ts";

/** Shared with the test: 1 once the task may end. */
const gate = (workerData<JudgeWorkerData>() as Partial<{ readonly gate: Int32Array }>).gate ?? new Int32Array([1]);

export async function judge({ task, port }: WorkerCall<JudgeTask>): Promise<unknown> {
  port.postMessage({ type: "started" });
  const { host } = task.evidence.subject;
  if (host === "unnamed.test") throw new Error("lost before the first check");
  port.postMessage({ type: "judging", key: `check-${task.hung.length}` });
  while (Atomics.load(gate, 0) === 0) await Bun.sleep(1);
  return { result: { hung: task.hung }, faults: [] };
}
