/** Holds the severities, risk levels and efforts of all built-in findings to the rule of docs/scoring.md. */
import { describe, expect, test } from "vitest";
import { builtInChecks } from "../../support/built-in-checks.ts";

const findings = builtInChecks.flatMap((check) => Object.entries(check.findings).map(([code, finding]) => ({ code, ...finding })));

/** Codes of the findings that break a rule. */
function codesWhere(broken: (finding: (typeof findings)[number]) => boolean): readonly string[] {
  return findings.filter(broken).map(({ code }) => code);
}

describe("of every finding", () => {
  test("critical is always of high risk", () => {
    expect(codesWhere(({ severity, riskLevel }) => severity === "critical" && riskLevel !== "high")).toEqual([]);
  });
  test("info is always of low risk", () => {
    expect(codesWhere(({ severity, riskLevel }) => severity === "info" && riskLevel !== "low")).toEqual([]);
  });
  test("what is low in severity is of low risk, and what is high in risk is at least of medium severity", () => {
    expect(codesWhere(({ severity, riskLevel }) => severity === "low" && riskLevel !== "low")).toEqual([]);
  });
  test("a protection that is gone is of no low risk", () => {
    expect(codesWhere(({ severity, riskLevel }) => severity === "high" && riskLevel === "low")).toEqual([]);
  });
  test("a cap of the score stands on high risk alone", () => {
    expect(codesWhere(({ riskLevel, scoreCap }) => scoreCap !== undefined && riskLevel !== "high")).toEqual([]);
  });
});
