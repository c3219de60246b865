/** Which lines each test file runs, as measured once without a fault and stored beside the results. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textHash } from "./faults.ts";
import { runTests } from "./run-tests.ts";
import type { TreeCopy } from "./tree-copy.ts";

/** A file that needs longer cannot be part of a fault's minute. */
const measureSecondsMax = 120;

export interface MeasuredTest {
  readonly passed: boolean;
  readonly seconds: number;
  /** Hash of the test file. */
  readonly hash: string;
  /** Loaded files of `src`, with their hash and the ranges of executed lines. */
  readonly files: Readonly<Record<string, { readonly hash: string; readonly lines: readonly (readonly [first: number, last: number])[] }>>;
}

export interface Coverage {
  /** Runs the test file, unless it was measured since it or the file of the fault last changed. */
  measure(copy: TreeCopy, test: string, path: string): Promise<MeasuredTest>;
}

/** `folder` holds one JSON file for each test file. */
export function openCoverage(folder: string): Coverage {
  mkdirSync(folder, { recursive: true });
  const known = new Map<string, MeasuredTest>();
  const pending = new Map<string, Promise<MeasuredTest>>();

  function stored(test: string): MeasuredTest | null {
    const file = join(folder, fileName(test));
    const measured = known.get(test) ?? (existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as MeasuredTest) : null);
    if (measured !== null) known.set(test, measured);
    return measured;
  }

  async function measureAgain(copy: TreeCopy, test: string): Promise<MeasuredTest> {
    const target = join(folder, `${fileName(test)}.lcov`);
    const options = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${target}`];
    const { outcome, seconds } = await runTests(copy, [test], { seconds: measureSecondsMax, options });
    const report = join(target, "lcov.info");
    const lines = existsSync(report) ? executedLines(readFileSync(report, "utf8")) : new Map<string, readonly number[]>();
    rmSync(target, { recursive: true, force: true });
    const files = [...lines]
      .filter(([path]) => path.startsWith("src/"))
      .map(([path, executed]) => [path, { hash: hashIn(copy, path), lines: rangesOf(executed) }] as const);
    const measured = { passed: outcome === "passed", seconds, hash: hashIn(copy, test), files: Object.fromEntries(files) };
    known.set(test, measured);
    writeFileSync(join(folder, fileName(test)), JSON.stringify(measured));
    return measured;
  }

  return {
    measure: async (copy, test, path) => {
      const measured = stored(test);
      const current = measured?.hash === hashIn(copy, test) && (measured.files[path]?.hash ?? hashIn(copy, path)) === hashIn(copy, path);
      if (measured !== null && current) return measured;
      const run = pending.get(test) ?? measureAgain(copy, test).finally(() => pending.delete(test));
      pending.set(test, run);
      return run;
    },
  };
}

export function runsLine(measured: MeasuredTest, path: string, line: number): boolean {
  return measured.files[path]?.lines.some(([first, last]) => first <= line && line <= last) ?? false;
}

/** Executed lines by path, from a report in the format of lcov. */
export function executedLines(report: string): ReadonlyMap<string, readonly number[]> {
  const lines = new Map<string, number[]>();
  let executed: number[] = [];
  for (const entry of report.split("\n")) {
    if (entry.startsWith("SF:")) {
      executed = [];
      lines.set(entry.slice(3), executed);
    }
    const [, line, count] = /^DA:(\d+),(\d+)/.exec(entry) ?? [];
    if (Number(count ?? 0) > 0) executed.push(Number(line));
  }
  return lines;
}

/** Runs of consecutive lines, which are shorter to store. */
export function rangesOf(lines: readonly number[]): readonly (readonly [first: number, last: number])[] {
  const ranges: [number, number][] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges;
}

function fileName(test: string): string {
  return `${test.replaceAll("/", "+")}.json`;
}

function hashIn({ folder }: TreeCopy, path: string): string {
  const file = join(folder, path);
  return existsSync(file) ? textHash(readFileSync(file, "utf8")) : "";
}
