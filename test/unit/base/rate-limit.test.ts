/** Rate limiter: fixed windows per key, with an injected clock and bounded memory. */
import { expect, test } from "vitest";
import { createRateLimit } from "../../../src/base/rate-limit.ts";

function limited(requestsMax = 3) {
  const clock = { ms: 1_000 };
  return { clock, count: createRateLimit({ requestsMax, windowSeconds: 60 }, () => clock.ms) };
}

test("counts down, then refuses until the window ends", () => {
  const { clock, count } = limited();
  expect(count("a")).toEqual({ exceeded: false, remaining: 2, resetSeconds: 60 });
  clock.ms += 10_500;
  expect(count("a")).toEqual({ exceeded: false, remaining: 1, resetSeconds: 50 });
  expect(count("a")).toEqual({ exceeded: false, remaining: 0, resetSeconds: 50 });
  expect(count("a")).toEqual({ exceeded: true, remaining: 0, resetSeconds: 50 });
  clock.ms += 49_499;
  expect(count("a")).toEqual({ exceeded: true, remaining: 0, resetSeconds: 1 });
  clock.ms += 1;
  expect(count("a")).toEqual({ exceeded: false, remaining: 2, resetSeconds: 60 });
});

test("a request may count as several, and one that is refused leaves what is left", () => {
  const { count } = limited(10);
  expect(count("a", 8)).toMatchObject({ exceeded: false, remaining: 2 });
  expect(count("a", 8)).toMatchObject({ exceeded: true, remaining: 2 });
  expect(count("a", 2)).toMatchObject({ exceeded: false, remaining: 0 });
  expect(count("a")).toMatchObject({ exceeded: true, remaining: 0 });
});

test("what is given back is left again, and never more than the limit", () => {
  const { clock, count } = limited(10);
  count("a", 8);
  expect(count("a", -8)).toMatchObject({ exceeded: false, remaining: 10 });
  count("a", 8);
  clock.ms += 60_000;
  expect(count("a", -8)).toMatchObject({ exceeded: false, remaining: 10 });
});

test("each key has its own count", () => {
  const { count } = limited(1);
  expect(count("1:192.0.2.1").exceeded).toBe(false);
  expect(count("1:192.0.2.2").exceeded).toBe(false);
  expect(count("2:192.0.2.1").exceeded).toBe(false);
  expect(count("1:192.0.2.1").exceeded).toBe(true);
});

test("a flood of keys evicts the oldest instead of using more memory", () => {
  const { count } = limited(1);
  count("first");
  for (let i = 0; i < 19_999; i += 1) count(`key ${i}`);
  expect(count("first").exceeded).toBe(true);
  count("one more");
  expect(count("first").exceeded).toBe(false);
});

test("a clock that is set back blocks no key", () => {
  const { clock, count } = limited(1);
  clock.ms = 3_600_000;
  count("a");
  expect(count("a").exceeded).toBe(true);
  clock.ms = 1_000;
  expect(count("a")).toEqual({ exceeded: false, remaining: 0, resetSeconds: 60 });
});
