/** Header lists with fallbacks, legacy values of meta elements, and hostile input. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseReferrerPolicyHeader, parseReferrerPolicyMeta, type ReferrerPolicy } from "../../../src/parse/referrer-policy.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { unicodeText } from "../../support/unicode-text.ts";

test.each<[readonly string[], ReferrerPolicy | null]>([
  [["no-referrer"], "no-referrer"],
  [["Strict-Origin"], "strict-origin"],
  [["no-referrer, strict-origin-when-cross-origin"], "strict-origin-when-cross-origin"],
  [["same-origin", "unsafe-url"], "unsafe-url"],
  [["same-origin, not-known-yet"], "same-origin"],
  [["same-origin,"], "same-origin"],
  [["no-referrer; same-origin"], null],
  [["never"], null],
  [['"no-referrer"'], null],
  [[""], null],
  [[], null],
])("the header %j means %j", (fields, expected) => {
  expect(parseReferrerPolicyHeader(fields)).toBe(expected);
});

test.each<[string, ReferrerPolicy | null]>([
  ["no-referrer", "no-referrer"],
  ["NO-REFERRER", "no-referrer"],
  ["never", "no-referrer"],
  ["default", "strict-origin-when-cross-origin"],
  ["always", "unsafe-url"],
  ["origin-when-crossorigin", "origin-when-cross-origin"],
  ["no-referrer, same-origin", null],
  ["", null],
])("the meta element %j means %j", (content, expected) => {
  expect(parseReferrerPolicyMeta(content)).toBe(expected);
});

test("never throws", () => {
  fc.assert(
    fc.property(unicodeText(), (text) => {
      parseReferrerPolicyHeader([text]);
      parseReferrerPolicyMeta(text);
    }),
  );
});

test.each(["a", ",", " ", "origin,", '"'])("64 KiB of %j in linear time", (piece) => {
  const fromMs = cpuMs();
  const text = piece.repeat(65_536 / piece.length);
  parseReferrerPolicyHeader([text]);
  parseReferrerPolicyMeta(text);
  // A quadratic algorithm would take minutes.
  expect(cpuMs() - fromMs).toBeLessThan(3_000);
});
