/** Lateness of timers is summed, and known before the next timer fires. */
import { describe, expect, test } from "vitest";
import { systemClock, withDeadline } from "../../../src/base/clock.ts";
import {
  deadlineClock,
  heedStandstill,
  ownProcessorWait,
  patientTimers,
  processorWaitMs,
  watchStandstill,
} from "../../../src/base/standstill.ts";
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

describe("a wait for a processor", () => {
  test("counts although timers are in time, and of several at the same time the longest", () => {
    const clock = fakeClock();
    const waitsMs = [5_000, 7_000];
    const { totalMs } = watchStandstill(
      clock,
      waitsMs.map((_ms, at) => () => waitsMs[at] ?? 0),
    );
    const pass = (...ms: readonly number[]) => {
      ms.forEach((each, at) => {
        waitsMs[at] = (waitsMs[at] ?? 0) + each;
      });
      clock.advance(100);
      return totalMs();
    };
    // The last one is a wait that is usual on a machine without load.
    expect([pass(0, 0), pass(60, 40), pass(0, 90), pass(10, 10)]).toEqual([0, 60, 150, 150]);
  });

  test("within a standstill counts once", () => {
    const clock = fakeClock();
    let waitedMs = 0;
    const { totalMs } = watchStandstill(clock, [() => waitedMs]);
    clock.advance(50);
    waitedMs = 900;
    clock.stall(1_050);
    expect(totalMs()).toBe(1_000);
  });

  test("of this thread is known on Linux, and rises while it shares its processor", () => {
    const beforeMs = ownProcessorWait();
    expect(beforeMs).toBeGreaterThanOrEqual(0);
    expect(ownProcessorWait()).toBeGreaterThanOrEqual(beforeMs);
  });

  test.each(["0", "not-a-process"])("of %s is 0", (path) => {
    expect(processorWaitMs(path)).toBe(0);
  });
});

describe("a patient timer", () => {
  /** Fake time at which the timer fired. */
  function firedAt(ms: number, pass: (clock: ReturnType<typeof fakeClock>) => void): number | null {
    const clock = fakeClock();
    const { totalMs } = watchStandstill(clock);
    let at: number | null = null;
    patientTimers(clock, totalMs).after(ms, () => {
      at = clock.monotonicMs();
    });
    pass(clock);
    return at;
  }

  test.each<[string, (clock: ReturnType<typeof fakeClock>) => void, number | null]>([
    ["fires in time without a standstill", (clock) => clock.advance(10_000), 10_000],
    [
      "is extended by a standstill that has ended",
      (clock) => {
        clock.stall(6_100);
        clock.advance(20_000);
      },
      16_000,
    ],
    [
      "is extended by the standstill in which it was due, by three times its length at most",
      (clock) => {
        clock.stall(60_100);
        clock.advance(40_000);
      },
      90_100,
    ],
    [
      "is extended again by a standstill within its extension",
      (clock) => {
        clock.stall(1_100);
        clock.advance(9_400);
        clock.stall(5_000);
        clock.advance(20_000);
      },
      20_400,
    ],
  ])("%s", (_words, pass, expected) => {
    expect(firedAt(10_000, pass)).toBe(expected);
  });

  test("does not fire after it was cancelled, neither before its extension nor in it", () => {
    const clock = fakeClock();
    const { totalMs } = watchStandstill(clock);
    const fired: string[] = [];
    const timers = patientTimers(clock, totalMs);
    timers.after(1_000, () => fired.push("first"))();
    const cancel = timers.after(1_000, () => fired.push("second"));
    clock.stall(1_500);
    cancel();
    clock.advance(60_000);
    expect(fired).toEqual([]);
  });
});

describe("the clock of deadlines", () => {
  test("gives an answer that came in time its turn after a standstill, and none when nothing heeds it", async () => {
    const standstill = watchStandstill(systemClock);
    const stopHeeding = heedStandstill(standstill);
    /** The answer arrives while the thread is stopped: the timer is due first. */
    const outcome = () =>
      withDeadline(deadlineClock, 200, [], (signal) => {
        const answered = Bun.sleep(250).then(() => "answer");
        Bun.sleepSync(600);
        const late = new Promise((resolve) => signal.addEventListener("abort", () => resolve("late")));
        return Promise.race([answered, late]);
      });
    const fromMs = deadlineClock.monotonicMs();
    expect(await outcome()).toBe("answer");
    expect(deadlineClock.monotonicMs() - fromMs).toBeLessThan(550);
    stopHeeding();
    standstill.stop();
    expect(await outcome()).toBe("late");
  });
});
