/** Severities, risk levels and efforts of all built-in findings follow docs/scoring.md. */
import { describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";

const findings = builtInChecks.flatMap((check) => Object.entries(check.findings).map(([code, finding]) => ({ code, ...finding })));

/** Codes of findings that break a rule. */
function codesWhere(broken: (finding: (typeof findings)[number]) => boolean): readonly string[] {
  return findings.filter(broken).map(({ code }) => code);
}

describe("every finding", () => {
  test("critical severity implies high risk", () => {
    expect(codesWhere(({ severity, riskLevel }) => severity === "critical" && riskLevel !== "high")).toEqual([]);
  });
  test("info severity implies low risk", () => {
    expect(codesWhere(({ severity, riskLevel }) => severity === "info" && riskLevel !== "low")).toEqual([]);
  });
  test("low severity implies low risk, and high risk implies at least medium severity", () => {
    expect(codesWhere(({ severity, riskLevel }) => severity === "low" && riskLevel !== "low")).toEqual([]);
  });
  test("a lost protection is never of low risk", () => {
    expect(codesWhere(({ severity, riskLevel }) => severity === "high" && riskLevel === "low")).toEqual([]);
  });
  test("a score cap of 60 or less implies high risk", () => {
    expect(codesWhere(({ riskLevel, scoreCap = 100 }) => scoreCap <= 60 && riskLevel !== "high")).toEqual([]);
  });
});
