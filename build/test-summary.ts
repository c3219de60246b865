/** Last lines of a test run: what failed, what was skipped and why, and the counts. */
import type { SkipReasons } from "../test/support/missing.ts";

export interface TestRun {
  /** Exit code of `bun test`, and its output without colors. */
  readonly code: number;
  readonly output: string;
  /** Names of steps beside the tests, such as the type check. */
  readonly failedSteps: readonly string[];
  readonly skipReasons: SkipReasons;
  /** A machine for integration has all programs; a skipped suite there would go unnoticed. */
  readonly isCi: boolean;
}

export interface TestSummary {
  readonly lines: readonly string[];
  readonly isGreen: boolean;
}

/** A run that fails counts at least one failure. */
export function summaryOf({ code, output, failedSteps, skipReasons: { missing, needsRoot }, isCi }: TestRun): TestSummary {
  const count = (word: string) => Number([...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
  const [passed, failed, skipped] = [count("pass"), count("fail"), count("skip")];
  const lacks = missing.length === 0 ? [] : [`this machine lacks ${missing.join("; ")}`];
  const reasons = [...lacks, ...(needsRoot ? ["some need root"] : [])];
  const faults = [
    ...failedSteps.map((name) => `failed: ${name}`),
    ...(code !== 0 && failed === 0 ? [`bun test ended with exit code ${code}`] : []),
    ...(isCi && missing.length > 0 ? [`CI is set, and missing programs are failures: ${missing.join("; ")}`] : []),
  ];
  const failures = failed + faults.length;
  const skippedLine = skipped === 0 || reasons.length === 0 ? [] : [`Cases were skipped: ${reasons.join("; ")}`];
  const counts = `${passed} passed, ${failures} failed, ${skipped} skipped`;
  return { lines: [...faults, ...skippedLine, counts], isGreen: failures === 0 };
}

/** Limits of what is repeated of one suite. */
const failuresMax = 10;
const linesPerFailureMax = 40;

/** The failed cases in the output of `bun test`, without colors: each with its name and the lines before it, to be repeated where a reader looks first. */
export function failuresIn(output: string): readonly string[] {
  const lines = output.split("\n");
  const ends = lines.flatMap((line, at) => (line.startsWith("(fail) ") ? [at] : []));
  return ends.slice(0, failuresMax).map((end, nth) => {
    const file = lines.slice(0, end).findLast((line) => /^test\/.*:$/.test(line)) ?? "";
    const former = ends[nth - 1] ?? -1;
    return [file, ...lines.slice(Math.max(former + 1, end - linesPerFailureMax), end + 2)].join("\n");
  });
}
