/** When a page has come to rest: no request under way for a while, or no time left to wait for that. */
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

test("rest begins when the last request has ended, and is not disturbed by one that never began", async () => {
  const traffic = watchTraffic();
  traffic.begin("a");
  let endedAtMs = Number.POSITIVE_INFINITY;
  setTimeout(() => {
    traffic.end("a");
    endedAtMs = performance.now();
  }, 100);
  setTimeout(() => traffic.end("never begun"), 140);
  await traffic.settled(80, longMs, never);
  // Counted from the end itself: a machine with much to do runs the timers late.
  const restMs = performance.now() - endedAtMs;
  expect(restMs).toBeGreaterThanOrEqual(75);
});

test("a request without end is waited for no longer than is said", async () => {
  const traffic = watchTraffic();
  traffic.begin("a");
  const ms = await msOf(traffic.settled(10, 100, never));
  expect(ms).toBeGreaterThanOrEqual(95);
});

test("an abort ends the wait, also one that came before", async () => {
  const traffic = watchTraffic();
  traffic.begin("a");
  const ending = new AbortController();
  setTimeout(() => ending.abort(), 20);
  await traffic.settled(10, longMs, ending.signal);
  await traffic.settled(10, longMs, ending.signal);
});
