/** Enrolled workers, for pages and command line: what the head knows of them, and the use case that changes them. The store audits. */
import type { Log } from "../base/log.ts";
import { type Outcome, refuse } from "../base/outcome.ts";
import { type Actor, actorInLog } from "../store/audit.ts";
import type { Store } from "../store/store.ts";
import type { Worker } from "../store/workers.ts";
import type { PresenceAnswer } from "./messages.ts";

export const workerChanges = ["drained", "resumed", "revoked"] as const;
type WorkerChange = (typeof workerChanges)[number];

interface WorkerContext {
  readonly store: Pick<Store, "workers">;
  readonly now: () => Date;
  readonly log: Log;
}

/** `revoked`: a revoked worker stays revoked. */
export async function changeWorkerState(
  { store: { workers }, now, log }: WorkerContext,
  by: Actor,
  { id, state }: { readonly id: string; readonly state: WorkerChange },
): Promise<Outcome<Worker, "unknown" | "revoked">> {
  const before = workers.find(id);
  if (before === undefined) return refuse("unknown");
  if (before.revokedAt !== null) return refuse("revoked");
  const changed = state === "revoked" ? await workers.revoke(id, now(), by) : await workers.setDrained(id, state === "drained", by);
  if (changed === undefined) return refuse("unknown");
  log.info("worker changed", { worker: id, name: changed.name, state, by: actorInLog(by) });
  return { done: changed };
}

export interface WorkerPresence {
  /** See `isWorkerId`. */
  readonly id: string;
  readonly slots: number;
  readonly busy: number;
  readonly seenAt: Date;
  /** Latest answer to its presence. */
  readonly answer: PresenceAnswer;
}

export interface FleetState {
  /** `refused`: the streams belong to another head, and the fleet stays off until the next start. */
  state(): "connected" | "disconnected" | "refused";
  /** Clause in English; null while all is well. */
  fault(): string | null;
  /** Heard of within `presenceLapsesMs`, whatever they were answered. */
  presentWorkers(): readonly WorkerPresence[];
}
