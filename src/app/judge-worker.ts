/** Entry of the threads that judge: each loads the catalog once, plugins included. */
import { loadCatalog } from "../catalog/load.ts";
import { performJudge } from "../scan/judge-task.ts";
import { type JudgeWorkerData, type WorkerCall, workerData } from "../scan/pool.ts";
import type { Judged, JudgeTask, WorkerMessage } from "../scan/task.ts";

const catalog = await loadCatalog({ checksDir: workerData<JudgeWorkerData>().checksDir });

export function judge({ task, port }: WorkerCall<JudgeTask>): Judged {
  const post = (message: WorkerMessage) => port.postMessage(message);
  post({ type: "started" });
  return performJudge(task, catalog, (key) => post({ type: "judging", key }));
}
