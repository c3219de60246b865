/** The format of an operator's file, and the lines of the program. */
import { describe, expect, test } from "vitest";
import type { LibraryAdvisory } from "../../../src/evidence/page-facts.ts";
import { advisoryLine, parseAdvisoriesFile, parseAdvisoryLine } from "../../../src/parse/script-advisories.ts";

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
