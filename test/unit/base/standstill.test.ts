/** Lateness of timers is summed, and known before the next timer fires. */
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { watchStandstill } from "../../../src/base/standstill.ts";
import { fakeClock } from "../../support/fake-clock.ts";

describe("a standstill", () => {
  test("is nothing while timers fire in time", () => {
    const clock = fakeClock();
    const { totalMs } = watchStandstill(clock);
    clock.advance(60_000);
    expect(totalMs()).toBe(0);
  });

  test.each([
    ["shorter than a tick", 90, 0],
    ["within the usual lateness", 120, 0],
    ["of a second", 1_000, 900],
    ["of an hour", 3_600_000, 3_599_900],
  ])("%s is counted from the moment at which a timer was due", (_words, ms, expected) => {
    const clock = fakeClock();
    const { totalMs } = watchStandstill(clock);
    clock.advance(500);
    clock.stall(ms);
    expect(totalMs()).toBe(expected);
  });

  test("adds to those before, and never falls", () => {
    const clock = fakeClock();
    const { totalMs } = watchStandstill(clock);
    const totals = [300, 100, 2_100].map((ms) => {
      clock.stall(ms);
      clock.advance(1_000);
      return totalMs();
    });
    expect(totals).toEqual([200, 200, 2_200]);
  });

  test("is known to a timer that fires before the watch, and counted once", () => {
    const clock = fakeClock();
    const seen: number[] = [];
    clock.after(50, () => void seen.push(totalMs()));
    const { totalMs } = watchStandstill(clock);
    clock.stall(6_000);
    clock.advance(1_000);
    expect([...seen, totalMs()]).toEqual([5_900, 5_900]);
  });

  test("of the clock of the machine is none: only monotonic time counts", () => {
    const clock = fakeClock();
    const { totalMs } = watchStandstill(clock);
    clock.set(new Date("2030-01-01T00:00:00Z"));
    clock.advance(1_000);
    expect(totalMs()).toBe(0);
  });

  test("is not waited for after the end", () => {
    const clock = fakeClock();
    watchStandstill(clock).stop();
    expect(clock.waits()).toEqual([]);
  });

  test("of a real thread that is blocked is seen", async () => {
    const { totalMs, stop } = watchStandstill(systemClock);
    Bun.sleepSync(600);
    expect(totalMs()).toBeGreaterThanOrEqual(490);
    await Bun.sleep(1);
    expect(totalMs()).toBeGreaterThanOrEqual(490);
    stop();
  });
});
