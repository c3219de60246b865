/** Intervals of the head in milliseconds. Tests use shorter ones. */
import { jobAckWaitMs, presenceLapsesMs } from "../messages.ts";

export interface FleetTimes {
  /** A start waits so long for NATS; then the server goes on without. */
  readonly startWaitMs: number;
  /** First wait before a retry. */
  readonly retryMs: number;
  /** Between two comparisons with NATS, and before one that is asked for. */
  readonly reconcileMs: number;
  readonly soonMs: number;
  /** Between two looks for locations that have been enrolled. */
  readonly enrolledEveryMs: number;
  readonly presenceLapsesMs: number;
  /** Between two writes of what a worker says about itself, unless it says something new. */
  readonly noteSeenEveryMs: number;
  readonly ackWaitMs: number;
  readonly workingEveryMs: number;
  /** Before another delivery of a result whose scan is not out yet. */
  readonly earlyMs: number;
  /** Wait for the answer of another head. */
  readonly otherHeadMs: number;
  /** Wait for the answer to a request of JetStream. */
  readonly requestMs: number;
  /** After the deadline of a scan: the end of a hung thread at the worker. */
  readonly graceMs: number;
  /** Sending of a result over a slow link, or after a link was cut for some minutes. */
  readonly sendingMs: number;
}

export const defaultFleetTimes: FleetTimes = {
  startWaitMs: 3_000,
  retryMs: 1_000,
  reconcileMs: 60_000,
  soonMs: 100,
  enrolledEveryMs: 5_000,
  presenceLapsesMs,
  noteSeenEveryMs: 60_000,
  ackWaitMs: jobAckWaitMs,
  workingEveryMs: 10_000,
  earlyMs: 1_000,
  otherHeadMs: 1_000,
  requestMs: 5_000,
  graceMs: 5_000,
  sendingMs: 300_000,
};
