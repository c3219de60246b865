/** Baseline files: what is written is read back, and each fault has a place. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Baseline, baselineText, parseBaseline } from "../../../src/policy/baseline.ts";

const baseline: Baseline = {
  findings: new Map([
    ["https://b.example/", new Set(["security.x.b", "security.x.a"])],
    ["https://a.example/", new Set()],
  ]),
  knownCodes: new Set(["security.x.b", "security.x.a"]),
};

test("is sorted, one line for each URL and code", () => {
  expect(baselineText(baseline)).toBe(`{
  "schemaVersion": 1,
  "findings": {
    "https://a.example/": [],
    "https://b.example/": [
      "security.x.a",
      "security.x.b"
    ]
  },
  "knownCodes": [
    "security.x.a",
    "security.x.b"
  ]
}
`);
});

test("is read back", () => {
  expect(parseBaseline(baselineText(baseline))).toEqual(baseline);
});

test("a text that is cut anywhere is refused, with a place inside it", () => {
  const text = baselineText(baseline).trimEnd();
  fc.assert(
    fc.property(fc.integer({ min: 0, max: text.length - 1 }), (length) => {
      const parsed = parseBaseline(text.slice(0, length));
      if (!("fault" in parsed)) throw new Error("read");
      const { line, column } = parsed.fault;
      const lines = text.slice(0, length).split("\n");
      expect(parsed.fault.reason).toBe("it is not JSON, or was cut off");
      expect(line).toBeLessThanOrEqual(lines.length);
      expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
    }),
  );
});

describe("refuses, with line and column,", () => {
  test.each([
    ["a list", "[]", 1, 1, "must be an object"],
    ["another file", '{ "name": "x" }', 1, 1, "the file is no baseline"],
    ["a newer version", '{\n  "schemaVersion": 2\n}', 2, 20, "has version 2, and this program reads version 1"],
    ["a version that is a text", '{\n  "schemaVersion": "1"\n}', 2, 20, "whole number"],
    ["no findings", '{"schemaVersion":1}', 1, 1, '"findings" must be an object'],
    ["findings that are a list", '{"schemaVersion":1, "findings": []}', 1, 33, '"findings" must be an object'],
    ["codes that are no list", '{"schemaVersion":1,\n"findings": {"https://a/": "x"}}', 2, 28, "lists of codes"],
    [
      "a code that is a number",
      '{"schemaVersion":1,\n"findings": {"https://a/": ["security.x.a", 3]}}',
      2,
      45,
      "a code must be of the form",
    ],
    [
      "a code that steers terminals",
      '{"schemaVersion":1,\n"findings": {"https://a/": ["\\u001b[2J"]}}',
      2,
      29,
      "a code must be of the form",
    ],
    ["no known codes", '{"schemaVersion":1, "findings": {}}', 1, 1, '"knownCodes"'],
    ["known codes that are no list", '{"schemaVersion":1, "findings": {}, "knownCodes": {}}', 1, 51, '"knownCodes"'],
  ])("%s", (_words, text, line, column, reason) => {
    expect(parseBaseline(text)).toEqual({ fault: { line, column, reason: expect.stringContaining(reason) } });
  });
});
