/** RFC 3339 section 5.6 with its examples. Retry-After: seconds and dates, bounded. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseInternetDate, parseRetryAfter, retryAfterMsMax } from "../../../src/parse/internet-date.ts";

test.each([
  ["1985-04-12T23:20:50.52Z", Date.UTC(1985, 3, 12, 23, 20, 50)],
  ["1996-12-19T16:39:57-08:00", Date.UTC(1996, 11, 20, 0, 39, 57)],
  ["1990-12-31T23:59:60Z", Date.UTC(1991, 0, 1)],
  ["1937-01-01T12:00:27.87+00:20", Date.UTC(1937, 0, 1, 11, 40, 27)],
  ["2028-02-29t00:00:00z", Date.UTC(2028, 1, 29)],
  ["9999-12-31T23:59:59-23:59", Date.UTC(10_000, 0, 1, 23, 58, 59)],
])("%s", (text, ms) => {
  expect(parseInternetDate(text)).toBe(ms);
});

test("years below 100 are not mapped to the 20th century", () => {
  expect(parseInternetDate("0001-01-01T00:00:00Z")).toBe(-62_135_596_800_000);
});

test.each([
  "",
  "2027-01-01",
  "2027-01-01 00:00:00Z",
  "2027-01-01T00:00:00",
  "2027-01-01T00:00Z",
  "2027-02-29T00:00:00Z",
  "2027-13-01T00:00:00Z",
  "2027-00-01T00:00:00Z",
  "2027-01-00T00:00:00Z",
  "2027-01-01T24:00:00Z",
  "2027-01-01T00:60:00Z",
  "2027-01-01T00:00:61Z",
  "2027-01-01T00:00:00+24:00",
  "2027-01-01T00:00:00+0100",
  "27-01-01T00:00:00Z",
  "+002027-01-01T00:00:00Z",
  "2027-01-01T00:00:00.Z",
  "Thu, 31 Dec 2026 18:37:07 -0800",
])("%j is not a date", (text) => {
  expect(parseInternetDate(text)).toBeNull();
});

test("output of Date parses to the same second", () => {
  const dates = fc.date({ min: new Date("0000-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true });
  fc.assert(
    fc.property(dates, (date) => {
      expect(parseInternetDate(date.toISOString())).toBe(Math.floor(date.getTime() / 1_000) * 1_000);
    }),
  );
});

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
