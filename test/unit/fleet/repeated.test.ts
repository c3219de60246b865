/** Work that repeats: once at a time, sooner when it is asked for, and silent about faults after its end. */
import { expect, test } from "vitest";
import { createRepeated } from "../../../src/fleet/head/repeated.ts";
import { promisesSettled, startFakeTime } from "../../support/fake-time.ts";

function repeated(action: () => Promise<void>) {
  const warned: string[] = [];
  const warn = (event: string, { because }: { readonly because?: unknown } = {}) => void warned.push(`${event}: ${because}`);
  const log = { debug: () => {}, info: () => {}, warn, error: () => {} };
  return { ...createRepeated(action, { everyMs: 60_000, soonMs: 1_000, failed: "not done", log }), warned };
}

test("runs at its interval, and once soon for several requests", async () => {
  using time = startFakeTime();
  let runs = 0;
  const work = repeated(async () => void runs++);
  await time.pass(59_000);
  expect(runs).toBe(0);
  await time.pass(1_000);
  expect(runs).toBe(1);
  for (let times = 0; times < 3; times++) work.soon();
  await time.pass(1_000);
  expect(runs).toBe(2);
  await time.pass(60_000);
  expect(runs).toBe(3);
  work.stop();
  work.soon();
  await time.pass(120_000);
  expect(runs).toBe(3);
});

test("a request while it runs is another run soon, never one beside it", async () => {
  using time = startFakeTime();
  let running = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const work = repeated(async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => ends.push(resolve));
    running--;
  });
  await time.pass(60_000);
  work.soon();
  await time.pass(5_000);
  expect([ends.length, most]).toEqual([1, 1]);
  ends[0]?.();
  await time.pass(1_000);
  expect([ends.length, most]).toEqual([2, 1]);
  work.stop();
});

test("a fault is a line of the log, but not after the end, and the work goes on", async () => {
  using time = startFakeTime();
  const faults: PromiseWithResolvers<void>[] = [];
  const work = repeated(() => {
    const fault = Promise.withResolvers<void>();
    faults.push(fault);
    return fault.promise;
  });
  await time.pass(60_000);
  faults[0]?.reject(new Error("no answer"));
  await time.pass(60_000);
  expect([work.warned, faults.length]).toEqual([["not done: no answer"], 2]);
  work.stop();
  faults[1]?.reject(new Error("too late"));
  await promisesSettled();
  expect(work.warned).toHaveLength(1);
});
