/** Which tests run for a fault, the most telling first, until the expected time is used up. */
import { basename } from "node:path";
import type { ReachingTest } from "../test-reach.ts";
import { type MeasuredTest, runsLine } from "./coverage.ts";

/** Test files of one step after the first, which has one: most faults are noticed by the nearest test. */
const stepTestsMax = 4;
/** A test that needs a larger part of the time than this comes after the quicker ones. */
const quickShareMax = 0.2;

/** Limits of what runs for one fault. */
export interface TrialLimits {
  /** All tests together. */
  readonly seconds: number;
  /** The tests by what they took without the fault: less than the above, for machines that are busy. */
  readonly expectedSeconds: number;
  /** Files that are measured, most of them in vain. */
  readonly examinedTests: number;
}

export interface ChosenTest {
  readonly test: string;
  readonly seconds: number;
}

/** First tests named like the file, then tests in a folder of the same name, then the nearest others. */
export function byNearness(candidates: readonly ReachingTest[], path: string): readonly ReachingTest[] {
  const name = basename(path).replace(/\.tsx?$/, "");
  const folder = path.split("/")[1];
  const rank = ({ test }: ReachingTest) => {
    if (basename(test).replace(/\.test\.tsx?$/, "") === name) return 0;
    return test.split("/")[2] === folder ? 1 : 2;
  };
  return candidates.toSorted((one, other) => rank(one) - rank(other) || one.distance - other.distance);
}

/**
 * Steps of test files for a fault in the line, lazily: first those that run the line in their own process, the quick before the slow.
 * The coverage of a thread or of another process is not measured. Tests that start those come last.
 */
export async function* testSteps(
  candidates: readonly ReachingTest[],
  { path, line }: { readonly path: string; readonly line: number },
  measure: (test: string) => Promise<MeasuredTest>,
  { expectedSeconds, examinedTests }: TrialLimits,
): AsyncGenerator<readonly ChosenTest[]> {
  const slow: ChosenTest[] = [];
  const elsewhere: ChosenTest[] = [];
  let step: ChosenTest[] = [];
  let isBegun = false;
  let expected = 0;
  for (const { test, starts } of byNearness(candidates, path).slice(0, examinedTests)) {
    const measured = await measure(test);
    if (!measured.passed || expected + measured.seconds > expectedSeconds) continue;
    if (!runsLine(measured, path, line)) {
      if (starts) elsewhere.push({ test, seconds: measured.seconds });
      continue;
    }
    if (isBegun && measured.seconds > expectedSeconds * quickShareMax) {
      slow.push({ test, seconds: measured.seconds });
      continue;
    }
    step.push({ test, seconds: measured.seconds });
    expected += measured.seconds;
    if (step.length < stepTestsMax && isBegun) continue;
    yield step;
    isBegun = true;
    step = [];
  }
  if (step.length > 0) yield step;
  for (const chosen of [...slow, ...elsewhere]) {
    if (expected + chosen.seconds > expectedSeconds) continue;
    expected += chosen.seconds;
    yield [chosen];
  }
}
