/** Fuzzes every parser: it may not throw, grow without bounds or break a property. `npm run fuzz` does the same for longer. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fuzzExports } from "../fuzz/exports.ts";
import { inputsOf } from "../fuzz/inputs.ts";
import { fuzzResults } from "../fuzz/results.ts";
import { failuresOn } from "../fuzz/target.ts";
import { fuzzTargets, parserTargets } from "../fuzz/targets.ts";
import { randomRuns } from "../support/random-runs.ts";

// reaches: src/parse/
const folder = resolve(import.meta.dirname, "../../src/parse");
const runs = randomRuns(400);
/** Hostile scans that are written in every export format, the same ones each time. */
const exportedScans = randomRuns(60);
const exportsSeed = 13;
const resultsOfWorkers = randomRuns(40);
const resultsSeed = 14;
const fuzzed = new Set(parserTargets.flatMap(({ functions }) => Object.keys(functions)));

/** Functions that read text. Files that use facts of probes also have others, which tests of their own cover. */
async function parserNames(file: string): Promise<readonly string[]> {
  const usesFacts = /evidence\/\w*-?facts\.ts"/.test(readFileSync(join(folder, file), "utf8"));
  const exported = Object.entries(await import(join(folder, file))).filter(([, value]) => typeof value === "function");
  return exported.map(([name]) => name).filter((name) => !usesFacts || fuzzed.has(name) || name.startsWith("parse"));
}

test("every function of every parser is fuzzed", async () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const parsers = await Promise.all(files.map(parserNames));
  expect([...fuzzed].sort()).toEqual(parsers.flat().sort());
});

describe("never throws, stays bounded and keeps its properties", () => {
  test.each(fuzzTargets.map((target) => [target.name, target] as const))("%s", (_name, target) => {
    for (const sample of target.samples) expect(failuresOn(target, sample)).toEqual([]);
    fc.assert(
      fc.property(inputsOf(target), (text) => {
        expect(failuresOn(target, text)).toEqual([]);
      }),
      { numRuns: runs },
    );
  });
});

test("hostile scans are read back from every export format", async () => {
  const { scans, failures } = await fuzzExports(exportedScans, exportsSeed);
  expect([scans, failures]).toEqual([exportedScans, []]);
});

test("hostile results of workers are refused, or judged and written like others", () => {
  const { results, judged, failures } = fuzzResults(resultsOfWorkers, resultsSeed);
  expect([results, failures]).toEqual([resultsOfWorkers, []]);
  expect(judged).toBeGreaterThan(resultsOfWorkers / 4);
});
