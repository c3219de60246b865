/** Names under which anybody may buy a domain. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isRegistrySuffix } from "../../../src/parse/site.ts";

test.each([
  ["com", true],
  ["co.uk", true],
  ["CO.UK", true],
  ["example.com", false],
  ["github.io", false],
  ["corp", false],
  ["", false],
  ["192.0.2.1", false],
])("%s: %s", (name, expected) => {
  expect(isRegistrySuffix(name)).toBe(expected);
});

test("never throws, and takes linear time", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (name) => typeof isRegistrySuffix(name) === "boolean"));
  const start = performance.now();
  for (const piece of ["a", ".", "a.", "[", ":", "/", "@"]) isRegistrySuffix(piece.repeat(65_536 / piece.length));
  expect(performance.now() - start).toBeLessThan(3_000);
});
