/** Work that repeats: once at a time, sooner when it is asked for, and silent about faults after its end. */
import { expect, test } from "vitest";
import { createRepeated } from "../../../src/fleet/head/reconcile.ts";
import { type FakeClock, fakeClock, settled } from "../../support/fake-clock.ts";

function repeated(clock: FakeClock, action: () => Promise<void>) {
  const warned: string[] = [];
  const warn = (event: string, { because }: { readonly because?: unknown } = {}) => void warned.push(`${event}: ${because}`);
  const log = { debug: () => {}, info: () => {}, warn, error: () => {} };
  return { ...createRepeated(action, { everyMs: 60_000, soonMs: 1_000, failed: "not done", clock, log }), warned };
}

test("runs at its interval, and once soon for several requests", async () => {
  const clock = fakeClock();
  let runs = 0;
  const work = repeated(clock, async () => void runs++);
  await clock.pass(59_000);
  expect(runs).toBe(0);
  await clock.pass(1_000);
  expect(runs).toBe(1);
  for (let times = 0; times < 3; times++) work.soon();
  await clock.pass(1_000);
  expect(runs).toBe(2);
  await clock.pass(60_000);
  expect(runs).toBe(3);
  work.stop();
  work.soon();
  await clock.pass(120_000);
  expect(runs).toBe(3);
});

test("a request while it runs is another run soon, never one beside it", async () => {
  const clock = fakeClock();
  let running = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const work = repeated(clock, async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => ends.push(resolve));
    running--;
  });
  await clock.pass(60_000);
  work.soon();
  await clock.pass(5_000);
  expect([ends.length, most]).toEqual([1, 1]);
  ends[0]?.();
  await clock.pass(1_000);
  expect([ends.length, most]).toEqual([2, 1]);
  work.stop();
});

test("a fault is a line of the log, but not after the end, and the work goes on", async () => {
  const clock = fakeClock();
  const faults: PromiseWithResolvers<void>[] = [];
  const work = repeated(clock, () => {
    const fault = Promise.withResolvers<void>();
    faults.push(fault);
    return fault.promise;
  });
  await clock.pass(60_000);
  faults[0]?.reject(new Error("no answer"));
  await clock.pass(60_000);
  expect([work.warned, faults.length]).toEqual([["not done: no answer"], 2]);
  work.stop();
  faults[1]?.reject(new Error("too late"));
  await settled();
  expect(work.warned).toHaveLength(1);
});
