/** Schedule of further attempts. */
import { expect, test } from "vitest";
import { hourMs, minuteMs } from "../../../src/base/units.ts";
import { nextAttemptAt, retriedForMs } from "../../../src/channels/pacing.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const waits = [5_000, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs, 10 * hourMs, 14 * hourMs, 20 * hourMs, 24 * hourMs];

const waitMs = (attempts: number, retryAfterMs: number | null = null, random = 0.5) => {
  const clock = fakeClock({ random: () => random });
  const at = nextAttemptAt(attempts, clock, retryAfterMs);
  return at === null ? null : at.getTime() - clock.now().getTime();
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
  expect(waitMs(2, 60_000)).toBe(5 * minuteMs);
  expect(waitMs(10, 60_000)).toBeNull();
});
