/** Test vectors of csp_evaluator, read as data from the tests in its package. None of their code runs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

// reads: node_modules/csp_evaluator/
const file = join(import.meta.dirname, "../../node_modules/csp_evaluator/dist/checks/security_checks_test.js");

export interface PeerVector {
  readonly name: string;
  /** Function of the peer that judges the policy. */
  readonly checker: string;
  readonly policy: string;
  /** Number of faults that the peer's test expects; of several, the last, which is for CSP Level 3. */
  readonly faults: number;
}

/** Vectors with one policy, one function and a number of faults, in the order of the file. */
export function cspEvaluatorVectors(): readonly PeerVector[] {
  return readFileSync(file, "utf8")
    .split(/^ {4}it\('/m)
    .slice(1)
    .flatMap((block) => {
      const [, policy] = /const test = ((?:'(?:[^'\\]|\\.)*'|\s|\+)+);/.exec(block) ?? [];
      const [, checker] = /securityChecks\.(check\w+)/.exec(block) ?? [];
      const faults = [...block.matchAll(/violations\.length\)\.toBe\((\d+)\)/g)].at(-1)?.[1];
      if (policy === undefined || checker === undefined || faults === undefined) return [];
      return [{ name: block.slice(0, block.indexOf("'")), checker, policy: textOf(policy), faults: Number(faults) }];
    });
}

/** Joined text of literals with single quotes. */
function textOf(literals: string): string {
  return [...literals.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, text = ""]) => text.replaceAll(/\\(.)/g, "$1")).join("");
}
