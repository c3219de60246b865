/** Limit of actions in an hour, by a clock that tests set. */
import { expect, test } from "vitest";
import { createHourlyQuota } from "../../../src/deliver/hourly-quota.ts";

const hourMs = 3_600_000;

test("each key has its own limit, which an hour renews", () => {
  let nowMs = 100 * hourMs;
  const quota = createHourlyQuota(2, () => new Date(nowMs));
  expect([quota.take("a"), quota.take("a"), quota.take("a"), quota.take("b")]).toEqual([true, true, false, true]);
  nowMs += hourMs;
  expect(quota.take("a")).toBe(true);
});

test("a clock that was set back by days does not block a key for days", () => {
  let nowMs = 100 * hourMs;
  const quota = createHourlyQuota(1, () => new Date(nowMs));
  expect([quota.take("a"), quota.take("a")]).toEqual([true, false]);
  nowMs -= 50 * hourMs;
  expect([quota.take("a"), quota.take("a")]).toEqual([true, false]);
});
