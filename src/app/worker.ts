/** Entry of the worker threads: loads the catalog once, then runs tasks. */
import type { MessagePort } from "node:worker_threads";
import { loadCatalog } from "../catalog/load.ts";
import { shareBlockedPorts } from "../egress/blocked-ports.ts";
import { usePreloadList } from "../probe/browser/preload-list.ts";
import { gatherEvidence } from "../scan/gather.ts";
import { performJudge } from "../scan/judge-task.ts";
import { workerData } from "../scan/pool.ts";
import type { Gathered, GatherTask, Judged, JudgeTask, WorkerMessage } from "../scan/task.ts";

shareBlockedPorts(workerData().blockedPorts);
usePreloadList(workerData().preloadList);
const catalog = await loadCatalog({ checksDir: workerData().checksDir });

interface WorkerCall<T> {
  readonly task: T;
  readonly port: MessagePort;
}

export function gather({ task, port }: WorkerCall<GatherTask>): Promise<Gathered> {
  const post = startMessages(port);
  return gatherEvidence(task, {
    onStage: (stage) => post({ type: "stage", stage }),
    onTrace: (trace) => post({ type: "trace", trace }),
  });
}

export function judge({ task, port }: WorkerCall<JudgeTask>): Judged {
  const post = startMessages(port);
  return performJudge(task, catalog, (key) => post({ type: "judging", key }));
}

function startMessages(port: MessagePort): (message: WorkerMessage) => void {
  const post = (message: WorkerMessage) => port.postMessage(message);
  post({ type: "started" });
  return post;
}
