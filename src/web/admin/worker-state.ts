/** State of a worker, from what is stored and from what this process has heard of it. */
import type { WorkerPresence } from "../../fleet/worker-operations.ts";
import type { Worker } from "../../store/workers.ts";

/** Answers to a worker that is heard of but gets no scans. */
const refusals = ["too-old", "too-new", "private-location"] as const;

/** `awaited`: enrolled, and never heard of. `idle`: present, but without a slot. `unknown`: nothing can be heard, as without NATS. */
export type WorkerState = "present" | "idle" | "drained" | "absent" | "awaited" | "unknown" | "revoked" | (typeof refusals)[number];

/**
 * `heard` is undefined for a worker that is not present. What is stored decides: an answer may be some seconds older.
 * `isConnected`: to NATS.
 */
export function workerStateOf(
  { revokedAt, drained, lastSeenAt }: Worker,
  heard: WorkerPresence | undefined,
  isConnected: boolean,
): WorkerState {
  if (revokedAt !== null) return "revoked";
  const refusal = refusals.find((each) => each === heard?.answer);
  if (refusal !== undefined) return refusal;
  if (drained) return "drained";
  if (heard !== undefined) return heard.slots > 0 ? "present" : "idle";
  if (lastSeenAt === null) return "awaited";
  return isConnected ? "absent" : "unknown";
}
