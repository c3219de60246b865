/**
 * `npm run fuzz`: 200,000 inputs for each parser, and 64 KiB of whatever could make one slow. Prints a table; ends with 1 when a parser
 * threw, broke a law, or took more than linear time. `npm run fuzz -- csp hsts` runs these alone; `--inputs=1000` is for the impatient.
 */
import fc from "fast-check";
import { type Growth, ratioMax, worstGrowth } from "./growth.ts";
import { inputsOf } from "./inputs.ts";
import { otherReaders } from "./other-readers.ts";
import { extentOf, type FuzzedParser, faultsOn } from "./parser.ts";
import { parsers } from "./parsers.ts";

const names = process.argv.slice(2).filter((name) => !name.startsWith("--"));
const inputs = Number(process.argv.find((word) => word.startsWith("--inputs="))?.slice("--inputs=".length) ?? 200_000);
/** No input that the fuzzing makes is longer than a few thousand characters. */
const slowMs = 50;
const furtherLooks = 3;

interface Outcome {
  readonly inputs: number;
  readonly faults: readonly string[];
  readonly slowestMs: number;
  readonly slowest: string;
}

function fuzz(parser: FuzzedParser): Outcome {
  const faults = new Set<string>();
  let seen = 0;
  let slowestMs = 0;
  let slowest = "";
  const look = (text: string) => {
    seen++;
    const start = performance.now();
    for (const fault of faultsOn(parser, text)) if (faults.size < 5) faults.add(`${fault} on ${JSON.stringify(text.slice(0, 200))}`);
    const tookMs = performance.now() - start;
    if (tookMs <= slowestMs) return;
    // Further looks: the machine may have had something else to do.
    let settledMs = tookMs;
    for (let at = 0; at < furtherLooks; at++) {
      const again = performance.now();
      faultsOn(parser, text);
      settledMs = Math.min(settledMs, performance.now() - again);
    }
    if (settledMs > slowestMs) [slowestMs, slowest] = [settledMs, text];
  };
  fc.assert(fc.property(inputsOf(parser), look), { numRuns: inputs });
  return { inputs: seen, faults: [...faults], slowestMs, slowest };
}

function grow(parser: FuzzedParser): readonly [Growth, Growth] {
  return worstGrowth(parser, (text) => extentOf(Object.values(parser.functions).map((call) => call(text))));
}

const columns = ["parser", "inputs", "faults", "slowest ms", "its chars", "64 KiB ms", "growth"];
const widths = [20, 8, 7, 11, 10, 10, 7];
const row = (cells: readonly unknown[]) =>
  cells.map((cell, at) => String(cell)[at === 0 ? "padEnd" : "padStart"](widths[at] ?? 0)).join(" ");
const failures: string[] = [];
const print = (line: string) => process.stdout.write(`${line}\n`);

print(row(columns));
const begun = performance.now();
for (const parser of [...parsers, ...otherReaders].filter(({ file }) => names.length === 0 || names.includes(file))) {
  const { faults, slowestMs, slowest, inputs: seen } = fuzz(parser);
  const [worst, longest] = grow(parser);
  print(row([parser.file, seen, faults.length, slowestMs.toFixed(2), slowest.length, longest.longMs.toFixed(1), worst.ratio.toFixed(1)]));
  failures.push(...faults.map((fault) => `${parser.file}: ${fault}`));
  if (slowestMs > slowMs) failures.push(`${parser.file}: ${slowestMs.toFixed(0)} ms for ${JSON.stringify(slowest.slice(0, 200))}`);
  if (worst.ratio > ratioMax)
    failures.push(
      `${parser.file}: four times the length took ${worst.ratio.toFixed(1)} times as long, ${worst.longMs.toFixed(0)} ms: ${worst.input}`,
    );
}
print(`\n${((performance.now() - begun) / 1_000).toFixed(0)} s. Growth: time for 64 KiB by time for 16 KiB; 4 is linear, 16 quadratic.`);
for (const failure of failures) print(failure);
process.exit(failures.length === 0 ? 0 : 1);
