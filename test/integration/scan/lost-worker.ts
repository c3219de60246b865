/** Worker whose judging is lost or waits, as the test says by the host of the evidence. */
import { type JudgeWorkerData, type WorkerCall, workerData } from "../../../src/scan/pool.ts";
import type { JudgeTask } from "../../../src/scan/task.ts";

/** Shared with the test: 1 once the task may end, and the number of ports that were closed. */
const gate = (workerData<JudgeWorkerData>() as Partial<{ readonly gate: Int32Array }>).gate ?? new Int32Array([1, 0]);

export async function judge({ task, port }: WorkerCall<JudgeTask>): Promise<unknown> {
  const { host } = task.evidence.subject;
  port.on("close", () => Atomics.add(gate, 1, 1));
  if (host === "unstarted.test") return new Promise(() => {});
  port.postMessage({ type: "started" });
  if (host === "unnamed.test") throw new Error("lost before the first check");
  port.postMessage({ type: "judging", key: `check-${task.hung.length}` });
  while (Atomics.load(gate, 0) === 0) await Bun.sleep(1);
  return { result: { hung: task.hung }, faults: [] };
}
