/** Order of versions, and ranges of them. */
import { describe, expect, test } from "vitest";
import {
  compareLibraryVersions,
  firstVersionOutside,
  isVersionIn,
  type LibraryVersion,
  parseLibraryVersion,
} from "../../../src/parse/library-version.ts";

const version = (text: string): LibraryVersion => {
  const parsed = parseLibraryVersion(text);
  if (parsed === null) throw new Error(`${text} is no version`);
  return parsed;
};
const range = (atOrAbove: string | null, below: string, excludes: readonly string[] = []) => ({ atOrAbove, below, excludes });

test.each([
  ["3.5.1", [3, 5, 1], []],
  ["v3.5", [3, 5], []],
  ["1.6.0.2", [1, 6, 0, 2], []],
  ["1.01", [1, 1], []],
  ["3.0.0-rc.1", [3, 0, 0], ["rc", 1]],
  ["1.0RC2", [1, 0], ["rc", 2]],
  ["1.9.0b1", [1, 9, 0], ["beta", 1]],
  ["1.0.0.beta.3", [1, 0, 0], ["beta", 3]],
  ["20.0.0-next.0.0.0", [20, 0, 0], ["next", 0, 0, 0]],
  ["18.3.0-canary-a1b-20240314", [18, 3, 0], ["canary", "a", 1, "b", 20240314]],
  ["1.2.3+sha.5114f85", [1, 2, 3], []],
])("%s is read", (text, numbers, prerelease) => expect(parseLibraryVersion(text)).toEqual({ numbers, prerelease }));

test.each([
  "",
  "v",
  "latest",
  "3.x",
  "^3.5.1",
  "3.5.1 ",
  "3..5",
  "3.5.",
  ".5",
  "-1.2",
  "1.2.3-patched",
  "1.2.3build",
  "2.15.18_prod",
  "1.12.4-wp",
  "1.2.3.4.5.6",
  "1".repeat(65),
  "1.2.3\n",
])("%j is no version", (text) => expect(parseLibraryVersion(text)).toBeNull());

test("versions are ordered as they were published", () => {
  const ordered = [
    "0",
    "0.9.7.1",
    "1.0RC1",
    "1.0RC2",
    "1.0",
    "1.0.1",
    "1.5.0-beta.1",
    "1.5.0-rc2",
    "1.5.0",
    "1.5.1.2",
    "1.9.0b1",
    "1.9.0",
    "1.10.0",
    "3.0.0-alpha.0",
    "3.0.0-beta1",
    "3.0.RC3",
    "3.0.0",
    "15.4.2-canary.0",
    "15.4.2-canary.57",
    "15.4.2",
    "20.0.0-next.0",
    "20.0.0-next.0.0.0",
    "22.0.0-next.3",
    "22.0.0-rc.2",
    "22.0.0",
  ];
  const shuffled = [...ordered].reverse().map((text) => ({ text, parsed: version(text) }));
  expect(shuffled.sort((one, other) => compareLibraryVersions(one.parsed, other.parsed)).map(({ text }) => text)).toEqual(ordered);
});

test.each([
  ["3.5", "3.5.0"],
  ["v1.2.3", "1.2.3"],
  ["1.0-rc1", "1.0.0.RC-1"],
  ["1.9.0b1", "1.9.0-beta.1"],
  ["1.2.3+a", "1.2.3+b"],
])("%s equals %s", (one, other) => expect(compareLibraryVersions(version(one), version(other))).toBe(0));

describe("a range", () => {
  test.each([
    ["its start", "1.2.0", range("1.2.0", "3.5.0"), true],
    ["its end", "3.5.0", range("1.2.0", "3.5.0"), false],
    ["before its start", "1.1.9", range("1.2.0", "3.5.0"), false],
    ["no start", "0.1", range(null, "3.5.0"), true],
    ["a release candidate of the end", "3.5.0-rc.1", range("1.2.0", "3.5.0"), true],
    ["a release candidate of the start", "1.2.0-rc.1", range("1.2.0", "3.5.0"), false],
    ["an excluded version", "1.3", range("1.2.0", "3.5.0", ["1.3.0"]), false],
    ["an unreadable start", "1.3", range("x", "3.5.0"), false],
    ["an unreadable end", "1.3", range("1.2.0", "x"), false],
    ["an unreadable exclusion", "1.3", range("1.2.0", "3.5.0", ["x"]), true],
  ])("%s", (_words, text, bounds, isIn) => expect(isVersionIn(version(text), bounds)).toBe(isIn));
});

describe("the first version outside of all ranges", () => {
  test.each([
    ["of one", "1.0", [range(null, "2.0")], "2.0"],
    ["of two that touch", "1.0", [range(null, "2.0"), range("2.0", "2.1")], "2.1"],
    ["of two with a gap", "1.0", [range(null, "2.0"), range("3.0", "3.1")], "2.0"],
    ["a release, never a pre-release", "1.0", [range(null, "2.0.0-beta.2")], "2.0.0"],
    ["after a whole branch", "1.0", [range(null, "2.999.999")], "3.0.0"],
    ["of every version", "1.0", [range(null, "999.999.999")], null],
    ["of none", "1.0", [], null],
    ["never an older one", "2.5", [range(null, "2.0"), range("2.4", "2.6")], "2.6"],
  ])("%s", (_words, text, ranges, expected) => expect(firstVersionOutside(version(text), ranges)).toBe(expected));
});
