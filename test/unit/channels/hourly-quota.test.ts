/** Limit of actions in an hour, by a clock that tests set. */
import { expect, test } from "vitest";
import { hourMs } from "../../../src/base/units.ts";
import { createHourlyQuota } from "../../../src/channels/pacing.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test("each key has its own limit, which an hour renews", () => {
  const clock = fakeClock();
  const quota = createHourlyQuota(2, clock);
  expect([quota.take("a"), quota.take("a"), quota.take("a"), quota.take("b")]).toEqual([true, true, false, true]);
  clock.advance(hourMs);
  expect(quota.take("a")).toBe(true);
});

test("a clock that was set back by days does not block a key for days", () => {
  const clock = fakeClock();
  const quota = createHourlyQuota(1, clock);
  expect([quota.take("a"), quota.take("a")]).toEqual([true, false]);
  clock.set(new Date(clock.now().getTime() - 50 * hourMs));
  expect([quota.take("a"), quota.take("a")]).toEqual([true, false]);
});
