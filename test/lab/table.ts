/** Formats laboratory results: a line for each case, and the states that each check reached. */
import { type State, states } from "../../src/check/check.ts";
import type { CaseResult, States } from "./laboratory.ts";

/** States that each check must reach; `notApplicable` needs no server. */
const requiredStates = ["passed", "violated", "notChecked"] as const satisfies readonly State[];

/** More keys than this are only counted. */
const namedKeysMax = 3;

/** One line for each case with failures marked, and the totals. */
export function caseTable(cases: readonly CaseResult[]): string {
  const width = Math.max(...cases.map(({ area }) => area.length));
  const lines = cases.map(({ area, name, expected, actual, ok }) => {
    const difference = actual === null ? "the scan failed" : differences(expected, actual).join(", ") || "a code or value differs";
    return `${ok ? "ok  " : "FAIL"} ${area.padEnd(width)}  ${name} | ${summary(expected)} | ${ok ? "as expected" : difference}`;
  });
  const failed = cases.filter(({ ok }) => !ok).length;
  return [
    "     area, case | expected | actual",
    ...lines,
    `${cases.length} cases, ${cases.length - failed} as expected, ${failed} not`,
  ].join("\n");
}

function summary(expected: States): string {
  return states
    .map((state) => ({ state, keys: Object.keys(expected).filter((key) => expected[key] === state) }))
    .filter(({ keys }) => keys.length > 0)
    .map(({ state, keys }) => `${state}: ${keys.length > namedKeysMax ? keys.length : keys.join(", ")}`)
    .join("; ");
}

function differences(expected: States, actual: States): readonly string[] {
  return Object.keys(expected)
    .filter((key) => expected[key] !== actual[key])
    .map((key) => `${key} is ${actual[key] ?? "absent"}, not ${expected[key]}`);
}

/** `key state` for each required state without a case that expected it and succeeded. */
export function missingStates(cases: readonly Pick<CaseResult, "expected" | "ok">[], keys: readonly string[]): readonly string[] {
  const reached = new Set(
    cases.filter(({ ok }) => ok).flatMap(({ expected }) => Object.entries(expected).map(([key, state]) => `${key} ${state}`)),
  );
  return keys.flatMap((key) => requiredStates.map((state) => `${key} ${state}`)).filter((state) => !reached.has(state));
}

/** Number of keys that reached each state. */
export function matrixSummary(missing: readonly string[], keys: readonly string[]): string {
  const counts = requiredStates.map((state) => `${state} ${keys.length - missing.filter((entry) => entry.endsWith(` ${state}`)).length}`);
  return `of ${keys.length} checks reached: ${counts.join(", ")}`;
}

/** Finding codes without a successful case that reported them. */
export function missingCodes(cases: readonly CaseResult[], expected: readonly string[]): readonly string[] {
  const reported = new Set(cases.filter(({ ok }) => ok).flatMap(({ codes }) => codes));
  return expected.filter((code) => !reported.has(code));
}
