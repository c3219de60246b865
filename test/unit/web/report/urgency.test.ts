/** Order and selection of the first steps. */
import { expect, test } from "vitest";
import type { Effort, Severity } from "../../../../src/check/check.ts";
import { fixFirst, type WeightedFinding } from "../../../../src/web/report/urgency.ts";

function weighed(
  checkKey: string,
  severity: Severity,
  effort: Effort,
  points: number | null,
  scoreCap: number | null = null,
): WeightedFinding {
  const finding = { code: `security.sample.${checkKey}`, checkKey, severity, riskLevel: "low", effort, values: {} } as const;
  return { finding, points, scoreCap };
}

const keysOf = (findings: readonly WeightedFinding[]) => fixFirst(findings).map(({ finding }) => finding.checkKey);

test("urgency is severity times points, divided by effort", () => {
  const header = weighed("header", "high", "low", 8);
  const rebuild = weighed("rebuild", "high", "high", 8);
  const cookie = weighed("cookie", "medium", "low", 8);
  expect(keysOf([rebuild, cookie, header])).toEqual(["header", "cookie", "rebuild"]);
});

test("picks at most three findings, one per check", () => {
  const twice = [weighed("same", "low", "low", 5), weighed("same", "high", "low", 5)];
  const others = ["a", "b", "c"].map((key) => weighed(key, "low", "low", 1));
  expect(keysOf([...others, ...twice])).toEqual(["same", "a", "b"]);
  expect(fixFirst([...others, ...twice])[0]).toBe(twice[1]);
});

test("score caps come first, the lowest cap before the others", () => {
  const heavy = weighed("heavy", "critical", "low", 10);
  expect(keysOf([heavy, weighed("sixty", "low", "high", 1, 60), weighed("twenty", "low", "high", 1, 20)])).toEqual([
    "twenty",
    "sixty",
    "heavy",
  ]);
});

test("results without points are ordered by severity and effort", () => {
  expect(keysOf([weighed("mild", "low", "low", null), weighed("grave", "critical", "low", null)])).toEqual(["grave", "mild"]);
});

test("notes are no steps", () => {
  expect(keysOf([weighed("note", "info", "low", 0), weighed("header", "low", "high", 1)])).toEqual(["header"]);
});

test("no findings give no first steps", () => {
  expect(fixFirst([])).toEqual([]);
});
