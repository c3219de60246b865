/** Retry-After: seconds and dates, bounded. */
import { expect, test } from "vitest";
import { parseRetryAfter, retryAfterMsMax } from "../../../src/parse/retry-after.ts";

const now = new Date("2026-10-21T07:28:00Z");

test.each([
  ["0", 0],
  [" 120 ", 120_000],
  ["86401", retryAfterMsMax],
  ["999999999999999", retryAfterMsMax],
  ["Wed, 21 Oct 2026 07:28:30 GMT", 30_000],
  ["Wed, 21 Oct 2026 07:27:00 GMT", 0],
  ["Wed, 21 Oct 2099 07:28:00 GMT", retryAfterMsMax],
  [null, null],
  ["", null],
  ["-1", null],
  ["1.5", null],
  ["soon", null],
  ["2026-10-21T07:28:30Z", null],
  ["Wed, 99 Oct 2026 07:28:00 GMT", null],
  ["1".repeat(16), null],
])("%j is %j ms", (value, ms) => expect(parseRetryAfter(value, now)).toBe(ms));
