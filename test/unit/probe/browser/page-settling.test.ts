/** Which timers of a page the probe awaits, by the events of its trace. */
import { expect, test } from "vitest";
import { pendingTimerMs } from "../../../../src/probe/browser/page-settling.ts";

const events = (...given: readonly (readonly [name: string, atMs: number, timerId?: number, timeout?: number, frame?: string])[]) =>
  given.map(([name, atMs, timerId = 0, timeout = 0, frame = "main"]) => ({ name, atMs, timerId, timeout, frame }));

test.each([
  ["no timer", events(), 0],
  ["a timer that fires in 600 ms", events(["TimerInstall", 100, 1, 1_000]), 600],
  ["the last of several", events(["TimerInstall", 100, 1, 1_000], ["TimerInstall", 200, 2, 1_200], ["TimerInstall", 300, 3, 300]), 900],
  ["a timer that fired", events(["TimerInstall", 100, 1, 300], ["TimerFire", 400, 1]), 0],
  ["an interval that fired once", events(["TimerInstall", 100, 1, 350], ["TimerFire", 450, 1]), 0],
  ["a timer that was taken back", events(["TimerInstall", 100, 1, 1_000], ["TimerRemove", 200, 1]), 0],
  ["a timer that is late", events(["TimerInstall", 100, 1, 300]), 0],
  ["the longest time that counts", events(["TimerInstall", 500, 1, 1_500]), 1_500],
  ["a longer time", events(["TimerInstall", 500, 1, 1_501]), 0],
  ["a timer of an earlier document", events(["TimerInstall", 100, 1, 1_000], ["CommitLoad", 200]), 0],
  ["a timer of another frame's document", events(["TimerInstall", 100, 1, 1_000], ["CommitLoad", 200, 0, 0, "child"]), 600],
  ["equal numbers in two frames", events(["TimerInstall", 100, 1, 1_000], ["TimerFire", 300, 1, 0, "child"]), 600],
  ["events out of order", events(["TimerFire", 400, 1], ["TimerInstall", 100, 1, 300]), 0],
  ["a clock that is ahead", events(["TimerInstall", 9_000, 1, 1_500]), 1_500],
])("%s", (_words, given, ms) => {
  expect(pendingTimerMs(given, 500)).toBe(ms);
});
