/** Names of locations. */
import { expect, test } from "vitest";
import { localLocation, locationCharsMax, parseLocation } from "../../../src/parse/location.ts";

test.each([localLocation, "berlin", "eu-1", "a", "a".repeat(locationCharsMax)])("%s is a name", (name) => {
  expect(parseLocation(name)).toBe(name);
});

test.each(["", "-a", "a-", "Berlin", "a.b", "a b", "a*", "\u00e4", "a".repeat(locationCharsMax + 1)])("%j is none", (text) => {
  expect(parseLocation(text)).toBeNull();
});
