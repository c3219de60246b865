/** Entry of the threads that judge: each imports the checks once, plugins from the snapshot of their catalog. */
import { judgingCatalog } from "../catalog/judging-catalog.ts";
import { usePublicSuffixes } from "../parse/site.ts";
import { draftOfScan } from "../prove/scan-draft.ts";
import { performJudge } from "../scan/judge-task.ts";
import { type JudgeWorkerData, type WorkerCall, workerData } from "../scan/pool.ts";
import type { Judged, JudgeTask, WorkerMessage } from "../scan/task.ts";

const { snapshot, version, publicSuffixes } = workerData<JudgeWorkerData>();
usePublicSuffixes(publicSuffixes);
const catalog = await judgingCatalog(snapshot, version);

export function judge({ task, port }: WorkerCall<JudgeTask>): Judged {
  const post = (message: WorkerMessage) => port.postMessage(message);
  post({ type: "started" });
  return performJudge(task, catalog, (key) => post({ type: "judging", key }), draftOfScan);
}
