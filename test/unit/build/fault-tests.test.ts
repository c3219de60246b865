/** Which tests run for a fault, and how their results are stored and counted. */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { byNearness, testSteps } from "../../../build/mutate/choose-tests.ts";
import { executedLines, type MeasuredTest, rangesOf, runsLine } from "../../../build/mutate/coverage.ts";
import { type FaultOutcome, type FaultResult, openResults, summary } from "../../../build/mutate/results.ts";
import { firstFailure } from "../../../build/mutate/run-tests.ts";
import type { ReachingTest } from "../../../build/test-reach.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-faults-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = "src/base/clock.ts";

function candidate(name: string, distance = 1, starts = false): ReachingTest {
  return { test: `test/unit/${name}.test.ts`, distance, imports: !starts, starts };
}

function measured(seconds: number, lines: readonly (readonly [number, number])[], passed = true): MeasuredTest {
  return { passed, seconds, hash: "", files: { [path]: { hash: "", lines } } };
}

describe("tests of a fault", () => {
  const limits = { seconds: 60, expectedSeconds: 25, examinedTests: 10 };

  const steps = async (tests: Readonly<Record<string, readonly [ReachingTest, MeasuredTest]>>) => {
    const known = new Map(Object.values(tests).map(([{ test }, result]) => [test, result]));
    const measure = async (name: string) => known.get(name) ?? measured(1, []);
    const found: string[][] = [];
    for await (const step of testSteps(
      Object.values(tests).map(([each]) => each),
      { path, line: 7 },
      measure,
      limits,
    ))
      found.push(step.map((chosen) => chosen.test.slice("test/unit/".length, -".test.ts".length)));
    return found;
  };

  test("begin with the one of the same name, then those of the same folder, then the nearest", () => {
    const order = byNearness(
      ["far", "near", "base/log", "app/clock"].map((name, at) => candidate(name, 4 - at)),
      path,
    );
    expect(order.map(({ test }) => test.slice("test/unit/".length, -".test.ts".length))).toEqual(["app/clock", "base/log", "near", "far"]);
  });

  test("are those that run the line: first one, then some at a time", async () => {
    const runs = measured(1, [[5, 9]]);
    const names = ["a", "b", "c", "d", "e", "f"];
    const tests = Object.fromEntries(names.map((name) => [name, [candidate(name), runs] as const]));
    const others = { g: [candidate("g"), measured(1, [[8, 9]])], h: [candidate("h"), measured(1, [[5, 9]], false)] } as const;
    expect(await steps({ ...others, ...tests })).toEqual([["a"], ["b", "c", "d", "e"], ["f"]]);
  });

  test("end with those that may run it in another process, of which coverage knows nothing", async () => {
    const elsewhere = { a: [candidate("a", 1, true), measured(1, [])], b: [candidate("b", 2), measured(1, [[7, 7]])] } as const;
    expect(await steps(elsewhere)).toEqual([["b"], ["a"]]);
  });

  test("run the quick before the slow, after the nearest", async () => {
    const [slow, quick] = [measured(6, [[7, 7]]), measured(1, [[7, 7]])];
    const tests = { a: [candidate("a"), slow], b: [candidate("b"), slow], c: [candidate("c"), quick] } as const;
    expect(await steps(tests)).toEqual([["a"], ["c"], ["b"]]);
  });

  test("are looked for among a limited number of files", async () => {
    const elsewhere = Array.from({ length: 10 }, (_, at) => [`n${at}`, [candidate(`n${at}`), measured(1, [])]] as const);
    expect(await steps({ ...Object.fromEntries(elsewhere), z: [candidate("z", 2), measured(1, [[7, 7]])] })).toEqual([]);
  });

  test("leave room in the minute of the fault", async () => {
    const slow = measured(12, [[7, 7]]);
    expect(await steps({ a: [candidate("a"), slow], b: [candidate("b"), slow], c: [candidate("c"), slow] })).toEqual([["a"], ["b"]]);
  });
});

describe("coverage", () => {
  test("is read from a report of lcov", () => {
    const report = "TN:\nSF:src/a.ts\nDA:1,2\nDA:2,0\nDA:3,1\nend_of_record\nTN:\nSF:src/b.ts\nDA:9,1\nend_of_record\n";
    expect([...executedLines(report)]).toEqual([
      ["src/a.ts", [1, 3]],
      ["src/b.ts", [9]],
    ]);
  });

  test("is stored as ranges", () => {
    expect(rangesOf([1, 2, 3, 7, 9, 10])).toEqual([
      [1, 3],
      [7, 7],
      [9, 10],
    ]);
    const known = measured(1, [
      [1, 3],
      [7, 7],
    ]);
    expect([3, 4, 7, 8].map((line) => runsLine(known, path, line))).toEqual([true, false, true, false]);
  });
});

test("the first failed case is named with its file", () => {
  const output = "\ntest/unit/a.test.ts:\n(pass) one\n\ntest/unit/b.test.ts:\nerror: no\n(fail) rules > two [0.52ms]\n(fail) three\n";
  expect(firstFailure(output)).toBe("test/unit/b.test.ts > rules > two");
  expect(firstFailure("\nerror: Cannot find module\n")).toBe("error: Cannot find module");
});

function result(place: string, outcome: FaultOutcome): FaultResult {
  const fault = {
    id: place,
    path: place.replace(/:.*/, ""),
    line: 1,
    kind: "number",
    original: "1",
    replacement: "2",
    start: 0,
    end: 1,
  } as const;
  return { fault, hash: "", outcome, seconds: 1, tests: [], failure: "", source: "const a = 1;" };
}

test("results are kept across runs, the last of each fault, also after a cut line", () => {
  const file = join(folder, "below/results.jsonl");
  const results = openResults(file);
  results.add(result("src/a/b.ts:1:1:number", "survived"));
  results.add(result("src/a/c.ts:1:1:number", "noticed"));
  results.add(result("src/a/b.ts:1:1:number", "noticed"));
  appendFileSync(file, '{"fault":{"id":"src');
  expect([...openResults(file).latest.values()].map(({ fault, outcome }) => [fault.id, outcome])).toEqual([
    ["src/a/b.ts:1:1:number", "noticed"],
    ["src/a/c.ts:1:1:number", "noticed"],
  ]);
});

test("the table counts by folder, and names the survivors", () => {
  const outcomes = ["noticed", "noticed", "timedOut", "unreached"] as const;
  const results = [
    ...outcomes.map((outcome, at) => result(`src/b/${at}.ts:1:1:number`, outcome)),
    result("src/a/x.ts:1:1:number", "survived"),
  ];
  expect(
    summary(results)
      .split("\n")
      .map((line) => line.replaceAll(/ {2,}/g, "|")),
  ).toEqual([
    "folder|planted|noticed|timed out|survived|unreached|noticed %",
    "src/a|1|0|0|1|0|0.0",
    "src/b|4|2|1|0|1|75.0",
    "all|5|2|1|1|1|60.0",
    "",
    "unreached src/b/3.ts:1:1:number",
    "|1 -> 2",
    "|in: const a = 1;",
    "survived src/a/x.ts:1:1:number",
    "|1 -> 2",
    "|in: const a = 1;",
  ]);
});
