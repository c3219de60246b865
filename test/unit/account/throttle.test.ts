/** The throttle: free attempts first, then waits that double, bounded in time and in memory. */
import { describe, expect, test } from "vitest";
import { createThrottle } from "../../../src/account/throttle.ts";

const bounds = { freeFailures: 3, waitSecondsMax: 60, forgetSeconds: 3_600 };

function throttle() {
  let nowMs = 1_000_000;
  return {
    ...createThrottle(bounds, () => nowMs),
    pass: (seconds: number) => {
      nowMs += seconds * 1_000;
    },
  };
}

/** Waits as long as told, and tries; the waits. */
function waits(subject: ReturnType<typeof throttle>, count: number): readonly number[] {
  return Array.from({ length: count }, () => {
    const seconds = subject.attempt("key");
    if (seconds === 0) return 0;
    subject.pass(seconds);
    expect(subject.attempt("key")).toBe(0);
    return seconds;
  });
}

test("waits double from the free attempts on, up to the most", () => {
  expect(waits(throttle(), 12)).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);
});

test("many attempts at once are counted before any is answered", () => {
  const subject = throttle();
  const through = Array.from({ length: 100 }, () => subject.attempt("key")).filter((seconds) => seconds === 0);
  expect(through).toHaveLength(4);
});

test("knocking while one has to wait does not make the wait longer", () => {
  const subject = throttle();
  waits(subject, 6);
  const before = subject.attempt("key");
  for (let count = 0; count < 1_000; count++) subject.attempt("key");
  expect(subject.attempt("key")).toBe(before);
});

describe("forgets", () => {
  test("after a time without attempts", () => {
    const subject = throttle();
    waits(subject, 12);
    subject.pass(3_600);
    expect(waits(subject, 4)).toEqual([0, 0, 0, 0]);
  });

  test("when it is told to", () => {
    const subject = throttle();
    waits(subject, 8);
    subject.clear("key");
    expect(waits(subject, 4)).toEqual([0, 0, 0, 0]);
  });

  test("an attempt that was none", () => {
    const subject = throttle();
    for (let count = 0; count < 50; count++) {
      expect(subject.attempt("key")).toBe(0);
      subject.undo("key");
    }
    subject.undo("another");
  });

  test("the future, when the clock was set back", () => {
    const subject = throttle();
    waits(subject, 10);
    subject.pass(-86_400);
    expect(subject.attempt("key")).toBe(0);
  });
});

test("keys do not touch each other, and a flood of them costs the oldest its count", () => {
  const subject = throttle();
  waits(subject, 8);
  for (let count = 0; count < 19_999; count++) expect(subject.attempt(`other ${count}`)).toBe(0);
  expect(subject.attempt("key")).toBeGreaterThan(0);
  subject.attempt("one more");
  expect(subject.attempt("key")).toBe(0);
});
