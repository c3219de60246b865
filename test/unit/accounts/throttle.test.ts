/** Throttle: free attempts, exponential backoff, bounds in time and memory. */
import { describe, expect, test } from "vitest";
import { createThrottle } from "../../../src/accounts/throttles.ts";

const bounds = { freeFailures: 3, waitSecondsMax: 60, forgetSeconds: 3_600 };

function throttle() {
  let nowMs = 1_000_000;
  return {
    ...createThrottle(bounds, () => nowMs),
    advance: (seconds: number) => {
      nowMs += seconds * 1_000;
    },
  };
}

/** Waits before each of `count` attempts, in seconds. */
function waits(subject: ReturnType<typeof throttle>, count: number): readonly number[] {
  return Array.from({ length: count }, () => {
    const seconds = subject.attempt("key");
    if (seconds === 0) return 0;
    subject.advance(seconds);
    expect(subject.attempt("key")).toBe(0);
    return seconds;
  });
}

test("waits double after the free attempts, up to the maximum", () => {
  expect(waits(throttle(), 12)).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);
});

test("parallel attempts are all counted", () => {
  const subject = throttle();
  const allowed = Array.from({ length: 100 }, () => subject.attempt("key")).filter((seconds) => seconds === 0);
  expect(allowed).toHaveLength(4);
});

test("attempts during a wait do not prolong it", () => {
  const subject = throttle();
  waits(subject, 6);
  const before = subject.attempt("key");
  for (let count = 0; count < 1_000; count++) subject.attempt("key");
  expect(subject.attempt("key")).toBe(before);
});

describe("resets the count", () => {
  test("after an idle period", () => {
    const subject = throttle();
    waits(subject, 12);
    subject.advance(3_600);
    expect(waits(subject, 4)).toEqual([0, 0, 0, 0]);
  });

  test("on clear", () => {
    const subject = throttle();
    waits(subject, 8);
    subject.clear("key");
    expect(waits(subject, 4)).toEqual([0, 0, 0, 0]);
  });

  test("on undo", () => {
    const subject = throttle();
    for (let count = 0; count < 50; count++) {
      expect(subject.attempt("key")).toBe(0);
      subject.undo("key");
    }
    subject.undo("another");
  });

  test("when the clock was set back", () => {
    const subject = throttle();
    waits(subject, 10);
    subject.advance(-86_400);
    expect(subject.attempt("key")).toBe(0);
  });
});

test("keys are independent, and too many of them drop the oldest", () => {
  const subject = throttle();
  waits(subject, 8);
  for (let count = 0; count < 19_999; count++) expect(subject.attempt(`other ${count}`)).toBe(0);
  expect(subject.attempt("key")).toBeGreaterThan(0);
  subject.attempt("one more");
  expect(subject.attempt("key")).toBe(0);
});
