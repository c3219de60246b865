/** Order of versions, and ranges of them. The format of an operator's file, and the lines of the program. */
import { describe, expect, test } from "vitest";
import type { LibraryAdvisory } from "../../../src/evidence/page-facts.ts";
import {
  advisoryLine,
  compareLibraryVersions,
  firstVersionOutside,
  isVersionIn,
  type LibraryVersion,
  parseAdvisoriesFile,
  parseAdvisoryLine,
  parseLibraryVersion,
} from "../../../src/parse/script-libraries.ts";

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

const advisory: LibraryAdvisory = {
  atOrAbove: "1.12.0",
  below: "3.5.0",
  excludes: ["2.2.4"],
  severity: "medium",
  identifiers: ["CVE-2020-11022"],
};
const line = ">=1.12.0 <3.5.0 !=2.2.4 medium CVE-2020-11022";
const fileOf = (entry: unknown) => JSON.stringify({ jquery: { npm: "jquery", advisories: [entry] } });
const valid = {
  atOrAbove: "1.12.0",
  below: "3.5.0",
  excludes: ["2.2.4"],
  severity: "medium",
  ids: ["CVE-2020-11022", "GHSA-gxr4-xjj5-5px2"],
  cwe: ["CWE-79"],
};

test("an advisory is written as one line and read again", () => {
  expect(advisoryLine(advisory)).toBe(line);
  expect(parseAdvisoryLine(line)).toEqual(advisory);
  const shortest = { ...advisory, atOrAbove: null, excludes: [], identifiers: [] };
  expect(parseAdvisoryLine(advisoryLine(shortest))).toEqual(shortest);
});

test.each(["", "<3.5.0", "medium", ">=1 high"])("%j is no advisory", (text) => expect(parseAdvisoryLine(text)).toBeNull());

describe("a file", () => {
  test("is read", () => {
    expect(parseAdvisoriesFile(fileOf(valid))).toEqual({ libraries: { jquery: [line] } });
    expect(parseAdvisoriesFile(fileOf({ below: "1.6.3", severity: "high" }))).toEqual({ libraries: { jquery: ["<1.6.3 high"] } });
  });

  test("keeps CVE numbers rather than other identifiers, and drops malformed ones", () => {
    const idsOf = (...ids: readonly string[]) => parseAdvisoriesFile(fileOf({ ...valid, excludes: [], atOrAbove: null, ids }));
    expect(idsOf("GHSA-gxr4-xjj5-5px2")).toEqual({ libraries: { jquery: ["<3.5.0 medium GHSA-gxr4-xjj5-5px2"] } });
    expect(idsOf("CVE-2007-01-09", "high")).toEqual({ libraries: { jquery: ["<3.5.0 medium"] } });
  });

  test("may name a library as objects name their parts", () => {
    const read = parseAdvisoriesFile('{"__proto__":{"advisories":[]},"constructor":{"advisories":[]}}');
    expect("libraries" in read && Object.keys(read.libraries)).toEqual(["__proto__", "constructor"]);
  });

  test.each([
    ["no JSON", "{", "is not JSON"],
    ["a list", "[]", "must hold an object with the names of libraries"],
    ["nothing", "{}", "must name 1 to 1000 libraries"],
    ["a library without advisories", '{"jquery":{}}', 'needs a list "advisories" of at most 500 entries for "jquery"'],
    ["an endless name", JSON.stringify({ ["x".repeat(61)]: { advisories: [] } }), "has a name of more than 60 characters"],
    ["a text as advisory", fileOf("x"), 'needs an object in advisory 1 of "jquery"'],
    ["no end", fileOf({ ...valid, below: undefined }), 'needs a version "below" in advisory 1 of "jquery"'],
    ["an unreadable end", fileOf({ ...valid, below: "3.x" }), 'needs a version "below" in advisory 1 of "jquery"'],
    ["a start that is a number", fileOf({ ...valid, atOrAbove: 1 }), 'needs a version "atOrAbove", or none in advisory 1 of "jquery"'],
    [
      "another severity",
      fileOf({ ...valid, severity: "moderate" }),
      'needs a "severity" out of critical, high, medium, low in advisory 1 of "jquery"',
    ],
    [
      "an exclusion that is no version",
      fileOf({ ...valid, excludes: ["2 4"] }),
      'needs a list "excludes" of at most 20 versions, or none in advisory 1 of "jquery"',
    ],
    [
      "identifiers that are no texts",
      fileOf({ ...valid, ids: [1] }),
      'needs a list "ids" of at most 10 texts, or none in advisory 1 of "jquery"',
    ],
  ])("with %s is refused", (_words, text, fault) => expect(parseAdvisoriesFile(text)).toEqual({ fault }));

  test("has bounds", () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`a${at}`, { advisories: [] }]));
    expect(parseAdvisoriesFile(JSON.stringify(many))).toEqual({ fault: "must name 1 to 1000 libraries" });
    const long = { jquery: { advisories: Array.from({ length: 501 }, () => valid) } };
    expect(parseAdvisoriesFile(JSON.stringify(long))).toMatchObject({ fault: expect.stringContaining("at most 500") });
  });
});
