/** Schedule of further attempts. */
import { expect, test } from "vitest";
import { nextAttemptAt, retriedForMs } from "../../../src/deliver/retry.ts";

const now = new Date("2026-08-01T00:00:00Z");
const minutesMs = 60_000;
const hoursMs = 60 * minutesMs;
const waits = [5_000, 5 * minutesMs, 30 * minutesMs, 2 * hoursMs, 5 * hoursMs, 10 * hoursMs, 14 * hoursMs, 20 * hoursMs, 24 * hoursMs];

const waitMs = (attempts: number, retryAfterMs: number | null = null, random = 0.5) => {
  const at = nextAttemptAt(attempts, now, retryAfterMs, () => random);
  return at === null ? null : at.getTime() - now.getTime();
};

test("waits grow, and end after the tenth attempt", () => {
  expect(Array.from({ length: 11 }, (_, at) => waitMs(at + 1))).toEqual([...waits, null, null]);
  expect(retriedForMs).toBe(waits.reduce((sum, wait) => sum + wait));
});

test("jitter is a tenth in both directions", () => {
  for (const [at, wait] of waits.entries()) {
    expect(waitMs(at + 1, null, 0)).toBeCloseTo(wait * 0.9);
    expect(waitMs(at + 1, null, 1)).toBeCloseTo(wait * 1.1);
  }
});

test("Retry-After counts if it is longer, and opens no further attempt", () => {
  expect(waitMs(1, 60_000)).toBe(60_000);
  expect(waitMs(2, 60_000)).toBe(5 * minutesMs);
  expect(waitMs(10, 60_000)).toBeNull();
});
