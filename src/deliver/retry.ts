/** Schedule of further attempts after a failed delivery. */
import type { Clock } from "../base/clock.ts";
import { hourMs, minuteMs, secondMs } from "../base/units.ts";

/** Waits after the first attempt, the second and so on. */
const waitsMs: readonly number[] = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs)];
/** From the first attempt to the last, without jitter. */
export const retriedForMs = waitsMs.reduce((sum, waitMs) => sum + waitMs, 0);
/** Deliveries that failed together do not return together. */
const jitterShare = 0.1;

/**
 * Time of the next attempt; null after the last one.
 * @param attempts number of attempts so far, 1 or more.
 * @param retryAfterMs wait that the receiver asked for, which counts if it is longer.
 */
export function nextAttemptAt(attempts: number, clock: Pick<Clock, "now" | "random">, retryAfterMs: number | null): Date | null {
  const waitMs = waitsMs[attempts - 1];
  if (waitMs === undefined) return null;
  const jitterMs = waitMs * jitterShare * (2 * clock.random() - 1);
  return new Date(clock.now().getTime() + Math.max(Math.round(waitMs + jitterMs), retryAfterMs ?? 0));
}
