/** Order of findings and selection of the first steps. */
import { expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import { type Effort, type Severity, severities } from "../../../src/check/check.ts";
import { type CostedFinding, codesInFixOrder, fixFirst, fixOrder, inFixOrder } from "../../../src/text/fix-order.ts";
import { knownScans } from "../../support/finished-scans.ts";

function costed(
  checkKey: string,
  severity: Severity,
  effort: Effort,
  points: number | null,
  scoreCap: number | null = null,
): CostedFinding {
  const finding = { code: `security.sample.${checkKey}`, checkKey, severity, riskLevel: "low", effort, values: {} } as const;
  return { finding, points, scoreCap };
}

const keysOf = (findings: readonly CostedFinding[]) => findings.map(({ finding }) => finding.checkKey);

test("the worst severity comes first, then most points for the effort", () => {
  const rebuild = costed("rebuild", "high", "high", 8);
  const header = costed("header", "high", "low", 8);
  const cookie = costed("cookie", "medium", "low", 8);
  expect(keysOf(fixOrder([rebuild, cookie, header]))).toEqual(["header", "rebuild", "cookie"]);
});

test("among equal severities a lower cap comes first", () => {
  const heavy = costed("heavy", "critical", "low", 30);
  const findings = [heavy, costed("sixty", "critical", "high", 1, 60), costed("twenty", "critical", "high", 1, 20)];
  expect(keysOf(fixOrder(findings))).toEqual(["twenty", "sixty", "heavy"]);
});

test("a note comes last, whatever its severity, and is no step", () => {
  const ordered = fixOrder([costed("note", "medium", "low", 0), costed("header", "low", "high", 1)]);
  expect(keysOf(ordered)).toEqual(["header", "note"]);
  expect(keysOf(fixFirst(ordered))).toEqual(["header"]);
});

test("results without points are ordered by severity and effort", () => {
  const findings = [costed("mild", "low", "low", null), costed("slow", "critical", "high", null), costed("grave", "critical", "low", null)];
  expect(keysOf(fixOrder(findings))).toEqual(["grave", "slow", "mild"]);
});

test("findings known by code alone are ordered by the catalog, and those that left it by severity", () => {
  const [heavy, light] = ["heavy", "light"].map((key, at) => {
    const finding = { severity: "high", riskLevel: "low", effort: "low" } as const;
    return { key, weight: at === 0 ? 8 : 1, findings: { [`security.sample.${key}`]: finding } };
  });
  const known = (checkKey: string, severity: Severity) => ({ code: `security.sample.${checkKey}`, checkKey, severity });
  const findings = [known("gone", "low"), known("light", "high"), known("heavy", "high"), known("lost", "critical")];
  const checks = [heavy, light] as unknown as Parameters<typeof codesInFixOrder>[1];
  expect(codesInFixOrder(findings, checks).map(({ checkKey }) => checkKey)).toEqual(["lost", "heavy", "light", "gone"]);
});

test("the first steps are the first three of the order", () => {
  const ordered = fixOrder(["a", "b", "c", "d"].map((key) => costed(key, "low", "low", 1)));
  expect(keysOf(fixFirst(ordered))).toEqual(["a", "b", "c"]);
  expect(fixFirst([])).toEqual([]);
});

test("a stored result keeps its findings and gets them in order", () => {
  const { result } = knownScans.bare;
  const { findings, ...rest } = inFixOrder(result, builtInChecks);
  const { findings: before, ...restBefore } = result;
  expect(rest).toEqual(restBefore);
  expect(findings.map(({ code }) => code).sort()).toEqual(before.map(({ code }) => code).sort());
  const severitiesFound = findings.map(({ severity }) => severity);
  expect(severitiesFound).toEqual(severitiesFound.toSorted((one, other) => severities.indexOf(one) - severities.indexOf(other)));
});
