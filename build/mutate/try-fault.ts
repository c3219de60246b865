/** Plants one fault in a copy of the tree, and runs the tests that reach it until one notices; without one, the type check. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reachingTests, type TestReach } from "../test-reach.ts";
import { type TrialLimits, testSteps } from "./choose-tests.ts";
import type { Coverage } from "./coverage.ts";
import { type Fault, plant, textHash } from "./faults.ts";
import type { FaultResult } from "./results.ts";
import { runTests } from "./run-tests.ts";
import type { TreeCopy } from "./tree-copy.ts";
import { typeErrorIn } from "./type-check.ts";

/** Limits of a fault that has so many seconds. A busy machine needs more than it did when the tests were measured. */
export function limitsWithin(seconds: number): TrialLimits {
  return { seconds, expectedSeconds: seconds * 0.4, examinedTests: 40 };
}

/** For one fault that is looked at: every test that reaches it. */
export const widestLimits: TrialLimits = { seconds: 3_600, expectedSeconds: 900, examinedTests: Number.POSITIVE_INFINITY };
/** A run that needs this much more than without the fault hangs: the machine may be busy. */
const stepSecondsMin = 15;
const stepFactorMax = 4;

export interface TrialSettings {
  readonly reach: TestReach;
  readonly coverage: Coverage;
  /** Whether `*.slow.test.ts` take part. */
  readonly slow: boolean;
  readonly limits: TrialLimits;
}

export async function tryFault(copy: TreeCopy, fault: Fault, { reach, coverage, slow, limits }: TrialSettings): Promise<FaultResult> {
  const text = readFileSync(join(copy.folder, fault.path), "utf8");
  const candidates = reachingTests(reach, [fault.path], { runs: true }).filter(({ test }) => takesPart(test, slow));
  const steps = testSteps(candidates, fault, (test) => coverage.measure(copy, test, fault.path), limits);
  const tests: string[] = [];
  let seconds = 0;
  const result = (outcome: FaultResult["outcome"], failure = ""): FaultResult => {
    const source = text.split("\n")[fault.line - 1]?.trim() ?? "";
    return { fault, hash: textHash(text), outcome, seconds: Number(seconds.toFixed(1)), tests, failure, source };
  };
  const unnoticed = async (): Promise<FaultResult> => {
    const error = await copy.withText(fault.path, plant(text, fault), () => typeErrorIn(copy));
    if (error !== null && (await typeErrorIn(copy)) === null) return result("noticed", `type check > ${error}`);
    return result(tests.length === 0 ? "unreached" : "survived");
  };
  for await (const step of steps) {
    let left = step;
    while (left.length > 0) {
      const expected = left.reduce((sum, chosen) => sum + chosen.seconds, 0);
      const limit = Math.min(limits.seconds - seconds, Math.max(stepSecondsMin, expected * stepFactorMax));
      // What is left of the time says nothing about a step that needs more.
      if (limit < expected * 2) return unnoticed();
      const files = left.map(({ test }) => test);
      const run = await copy.withText(fault.path, plant(text, fault), () => runTests(copy, files, { seconds: limit }));
      tests.push(...files.filter((file) => !tests.includes(file)));
      seconds += run.seconds;
      if (run.outcome === "passed") break;
      const blamed = files.filter((file) => run.failure.startsWith(`${file} > `));
      const suspects = blamed.length > 0 ? blamed : files;
      // On a busy machine a test may also fail or hang without the fault: then it proves nothing.
      const control = await runTests(copy, suspects, { seconds: limit });
      if (control.outcome === "passed") return result(run.outcome === "failed" ? "noticed" : "timedOut", run.failure);
      left = left.filter(({ test }) => !suspects.includes(test));
    }
  }
  return unnoticed();
}

function takesPart(test: string, slow: boolean): boolean {
  return /^test\/(unit|integration)\//.test(test) && (slow || !/\.slow\.test\.tsx?$/.test(test));
}
