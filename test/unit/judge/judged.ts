/** Judges evidence in tests of the ledger, and compares results. */
import { expect } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import type { State } from "../../../src/check/check.ts";
import type { AnyCheck } from "../../../src/check/registry.ts";
import type { Evidence } from "../../../src/evidence/evidence.ts";
import { judgeEvidence } from "../../../src/judge/ledger.ts";
import type { StoredResult } from "../../../src/judge/result.ts";

/** Result of the built-in checks by default; a fault of a check fails the test. */
export function judged(given: Evidence, checks: readonly AnyCheck[] = builtInChecks): StoredResult {
  const faults: string[] = [];
  const result = judgeEvidence(given, { checks, version: "test" }, (key, fault) => faults.push(`${key}: ${fault}`));
  expect(faults).toEqual([]);
  return result;
}

export function countOf({ ledger }: StoredResult, state: State): number {
  return ledger.filter((row) => row.state === state).length;
}

export function expectSameButForOrder(one: StoredResult, other: StoredResult): void {
  const sorted = ({ ledger, findings, ...rest }: StoredResult) => ({
    ...rest,
    ledger: ledger.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    findings: findings.toSorted((a, b) => (a.checkKey + a.code < b.checkKey + b.code ? -1 : 1)),
  });
  expect(sorted(one)).toEqual(sorted(other));
}
