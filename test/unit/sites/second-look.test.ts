/** When a second run confirms a first one. */
import { expect, test } from "vitest";
import { isConfirmation, isUnreachable } from "../../../src/sites/run-changes.ts";

const since = "2026-05-06T07:00:00.000Z";
const after = (minutes: number) => new Date(Date.parse(since) + minutes * 60_000);

test("nine and a half minutes confirm, in both directions of the clock", () => {
  expect([9.49, 9.5, -9.49, -9.5].map((minutes) => isConfirmation(since, after(minutes)))).toEqual([false, true, false, true]);
});

test("three failures in the time of one second look are unreachable", () => {
  expect([2, 3].map((failures) => isUnreachable(failures, since, after(9.5)))).toEqual([false, true]);
  expect(isUnreachable(9, since, after(9.4))).toBe(false);
});
