/** X-Frame-Options by the HTML standard and the web platform tests, and hostile input. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type FrameOptions, parseFrameOptions } from "../../../src/parse/frame-options.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { unicodeText } from "../../support/unicode-text.ts";

test.each<[readonly string[], FrameOptions | null]>([
  [[], null],
  [["DENY"], "deny"],
  [["deny"], "deny"],
  [["SAMEORIGIN"], "sameorigin"],
  [[" SameOrigin "], "sameorigin"],
  [["DENY", "DENY"], "deny"],
  [["SAMEORIGIN, sameorigin,SAMEORIGIN"], "sameorigin"],
  [["SAMEORIGIN", "DENY"], "conflict"],
  [["DENY, junk"], "conflict"],
  [["ALLOWALL, SAMEORIGIN"], "conflict"],
  [["SAMEORIGIN,"], "conflict"],
  [["ALLOWALL"], "ignored"],
  [["ALLOW-FROM https://a.example/"], "ignored"],
  [["ALLOW-FROM=https://a.example/"], "ignored"],
  [["junk, rubbish"], "ignored"],
  [['"DENY"'], "ignored"],
  [['"SAMEORIGIN,DENY"'], "ignored"],
  [["DENY;"], "ignored"],
  [["DE NY"], "ignored"],
  [[""], "ignored"],
])("%j means %j", (fields, expected) => {
  expect(parseFrameOptions(fields)).toBe(expected);
});

test("never throws", () => {
  fc.assert(fc.property(fc.array(unicodeText()), (fields) => void parseFrameOptions(fields)));
});

test.each(["a", ",", "DENY,", '"'])("64 KiB of %j in linear time", (piece) => {
  const fromMs = cpuMs();
  parseFrameOptions([piece.repeat(65_536 / piece.length)]);
  // A quadratic algorithm would take minutes.
  expect(cpuMs() - fromMs).toBeLessThan(3_000);
});
