/** Worker that judges in earnest, and stops inside of one as a thread without processor time does. */
import { performJudge } from "../../../src/scan/judge-task.ts";
import { type JudgeWorkerData, type WorkerCall, workerData } from "../../../src/scan/pool.ts";
import type { Judged, JudgeTask } from "../../../src/scan/task.ts";
import { stoppedCatalog } from "./stopped-catalog.ts";

/** What the test says, in place of a snapshot of plugins. */
export interface Stops {
  /** The check, or each of the checks, inside of which the thread stops. */
  readonly key: string | readonly string[];
  /** How often it stops, for evidence of the host `stopped.test` alone. */
  readonly times: number;
  /** Time of each stop, in milliseconds; null for the end of the thread. */
  readonly ms: number | null;
  /** Shared with the test: number of judgements that have begun, and of stops. */
  readonly counts: Int32Array;
}

const { key: stopKeys, times, ms, counts } = workerData<JudgeWorkerData>().snapshot as unknown as Stops;
const catalog = stoppedCatalog();
const nothingChanges = new Int32Array(new SharedArrayBuffer(4));

export function judge({ task, port }: WorkerCall<JudgeTask>): Judged {
  port.postMessage({ type: "started" });
  Atomics.add(counts, 0, 1);
  return performJudge(task, catalog, (key) => {
    port.postMessage({ type: "judging", key });
    const isMeant = [stopKeys].flat().includes(key) && task.evidence.subject.host === "stopped.test";
    if (isMeant && Atomics.load(counts, 1) < times) stop();
  });
}

function stop(): void {
  Atomics.add(counts, 1, 1);
  if (ms === null) process.exit(1);
  Atomics.wait(nothingChanges, 0, 0, ms);
}
