/** Suggestions for mistyped words, and words without a suggestion. */
import { expect, test } from "vitest";
import { nearest } from "../../../src/parse/text.ts";

test.each([
  ["serv", "serve"],
  ["sacn", "scan"],
  ["TOKEN", "token"],
  ["completely-different", null],
  ["", null],
])("%s -> %s", (word, expected) => {
  expect(nearest(word, ["serve", "scan", "token", "user"])).toBe(expected);
});
