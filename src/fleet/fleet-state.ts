/** What a running head knows of NATS and of its workers: for readiness and for the pages of administrators. */
import type { PresenceAnswer } from "./messages.ts";

export interface HeardWorker {
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
  presentWorkers(): readonly HeardWorker[];
}
