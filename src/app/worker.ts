/** Entry of the worker threads: loads the catalog once, then runs tasks. */
import type { MessagePort } from "node:worker_threads";
import { loadCatalog } from "../catalog/load.ts";
import { shareBlockedPorts } from "../egress/blocked-ports.ts";
import { gatherEvidence } from "../scan/gather.ts";
import { performJudge } from "../scan/judge-task.ts";
import { workerData } from "../scan/pool.ts";
import type { Gathered, GatherTask, Judged, JudgeTask, WorkerMessage } from "../scan/task.ts";

shareBlockedPorts(workerData().blockedPorts);
const catalog = await loadCatalog({ checksDir: workerData().checksDir });

interface Handed<T> {
  readonly task: T;
  readonly port: MessagePort;
}

export function gather({ task, port }: Handed<GatherTask>): Promise<Gathered> {
  const say = sayer(port);
  return gatherEvidence(task, (stage) => say({ says: "stage", stage }));
}

export function judge({ task, port }: Handed<JudgeTask>): Judged {
  const say = sayer(port);
  return performJudge(task, catalog, (key) => say({ says: "judging", key }));
}

function sayer(port: MessagePort): (said: WorkerMessage) => void {
  const say = (said: WorkerMessage) => port.postMessage(said);
  say({ says: "started" });
  return say;
}
