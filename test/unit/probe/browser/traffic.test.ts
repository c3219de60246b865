/** Network idle of a page: no open request for a while, or the maximum wait is over. */
import { expect, test } from "vitest";
import { watchTraffic } from "../../../../src/probe/browser/traffic.ts";

const never = new AbortController().signal;
/** Longer than a test may take. */
const longMs = 3_600_000;

async function msOf(waiting: Promise<void>): Promise<number> {
  const fromMs = performance.now();
  await waiting;
  return performance.now() - fromMs;
}

test("idle time begins when the last request ends, and ignores the end of an unknown request", async () => {
  const traffic = watchTraffic();
  traffic.begin("a");
  let endedAtMs = Number.POSITIVE_INFINITY;
  setTimeout(() => {
    traffic.end("a");
    endedAtMs = performance.now();
  }, 100);
  setTimeout(() => traffic.end("never begun"), 140);
  await traffic.settled(80, longMs, never);
  // Measured from the actual end, because a busy machine runs timers late.
  const restMs = performance.now() - endedAtMs;
  expect(restMs).toBeGreaterThanOrEqual(75);
});

test("the wait for an endless request stops after the maximum time", async () => {
  const traffic = watchTraffic();
  traffic.begin("a");
  const ms = await msOf(traffic.settled(10, 100, never));
  expect(ms).toBeGreaterThanOrEqual(95);
});

test("an abort ends the wait, and so does an earlier abort", async () => {
  const traffic = watchTraffic();
  traffic.begin("a");
  const ending = new AbortController();
  setTimeout(() => ending.abort(), 20);
  await traffic.settled(10, longMs, ending.signal);
  await traffic.settled(10, longMs, ending.signal);
});
