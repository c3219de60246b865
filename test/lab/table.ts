/** Tells what the laboratory saw: a table with a line for each case, and which states of which checks were seen for real. */
import { type State, states } from "../../src/check/check.ts";
import type { SeenCase, States } from "./laboratory.ts";

/** What a check has to be seen in; that it does not apply needs no server. */
const proofs = ["passed", "violated", "notChecked"] as const satisfies readonly State[];

/** As many keys of one state are named in a line; beyond that they are counted. */
const namedKeysMax = 3;

/** One line for each case, those that failed marked, and the count. */
export function caseTable(cases: readonly SeenCase[]): string {
  const width = Math.max(...cases.map(({ area }) => area.length));
  const lines = cases.map(({ area, name, expected, seen, held }) => {
    const odd = seen === null ? "the scan failed" : differences(expected, seen).join(", ") || "a code or value is not as expected";
    return `${held ? "ok  " : "FAIL"} ${area.padEnd(width)}  ${name} | ${summary(expected)} | ${held ? "as expected" : odd}`;
  });
  const failed = cases.filter(({ held }) => !held).length;
  return ["     area, case | expected | seen", ...lines, `${cases.length} cases, ${cases.length - failed} as expected, ${failed} not`].join(
    "\n",
  );
}

function summary(expected: States): string {
  return states
    .map((state) => ({ state, keys: Object.keys(expected).filter((key) => expected[key] === state) }))
    .filter(({ keys }) => keys.length > 0)
    .map(({ state, keys }) => `${state}: ${keys.length > namedKeysMax ? keys.length : keys.join(", ")}`)
    .join("; ");
}

function differences(expected: States, seen: States): readonly string[] {
  return Object.keys(expected)
    .filter((key) => expected[key] !== seen[key])
    .map((key) => `${key} is ${seen[key] ?? "absent"}, not ${expected[key]}`);
}

/** `key state` of every proof that no case gave: it counts only where it was expected, seen, and everything else of the case held. */
export function unseenProofs(cases: readonly Pick<SeenCase, "expected" | "held">[], keys: readonly string[]): readonly string[] {
  const seen = new Set(
    cases.filter(({ held }) => held).flatMap(({ expected }) => Object.entries(expected).map(([key, state]) => `${key} ${state}`)),
  );
  return keys.flatMap((key) => proofs.map((state) => `${key} ${state}`)).filter((proof) => !seen.has(proof));
}

/** How many keys were seen in each state. */
export function matrixSummary(unseen: readonly string[], keys: readonly string[]): string {
  const counts = proofs.map((state) => `${state} ${keys.length - unseen.filter((proof) => proof.endsWith(` ${state}`)).length}`);
  return `of ${keys.length} checks seen for real: ${counts.join(", ")}`;
}

/** Findings that no case told of, of those whose case held. */
export function untoldCodes(cases: readonly SeenCase[], codes: readonly string[]): readonly string[] {
  const told = new Set(cases.filter(({ held }) => held).flatMap(({ told }) => told));
  return codes.filter((code) => !told.has(code));
}
