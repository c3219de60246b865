/**
 * `npm run fuzz`: 200,000 inputs for each parser, then long repeated input. Then it compares 10,000 pairs of sites, reads 10,000 hostile
 * exports back, takes 4,000 hostile results of workers, and sends 100,000 requests to the API. Prints a table. Exits with 1 when a parser
 * threw, broke a property or took more than linear time. It also does so when an improved site got a lower score, or an export was not read
 * back. The same holds for a result that broke the head, and for a request without a declared answer.
 * `npm run fuzz -- csp sites exports results requests` runs these alone; `--inputs=1000` is a shorter run, and `--short` one
 * with 500 inputs and every eighth long input, the first of which is chosen at random.
 */
import fc from "fast-check";
import { fuzzExports } from "./exports.ts";
import { type Growth, ratioMax, worstGrowth } from "./growth.ts";
import { inputsOf } from "./inputs.ts";
import { fuzzRequests } from "./requests.ts";
import { fuzzResults } from "./results.ts";
import { compareSitePairs } from "./site-pairs.ts";
import { type FuzzTarget, failuresOn, sizeOf } from "./target.ts";
import { fuzzTargets } from "./targets.ts";

const names = process.argv.slice(2).filter((name) => !name.startsWith("--"));
const isShort = process.argv.includes("--short");
const given = process.argv.find((argument) => argument.startsWith("--inputs="))?.slice("--inputs=".length);
const inputs = Number(given ?? (isShort ? 500 : 200_000));
const longInputsOneOf = isShort ? 8 : 1;
const sitePairsMax = 10_000;
const exportsMax = 10_000;
const resultsMax = 4_000;
const requestsMax = 100_000;
/** Generated inputs have at most a few thousand characters. */
const slowMs = 50;
const repeats = 3;

interface FuzzOutcome {
  readonly inputs: number;
  readonly failures: readonly string[];
  readonly slowestMs: number;
  readonly slowest: string;
}

function fuzz(target: FuzzTarget): FuzzOutcome {
  const failures = new Set<string>();
  let tried = 0;
  let slowestMs = 0;
  let slowest = "";
  const tryInput = (text: string) => {
    tried++;
    const start = performance.now();
    for (const failure of failuresOn(target, text)) {
      if (failures.size < 5) failures.add(`${failure} on ${JSON.stringify(text.slice(0, 200))}`);
    }
    const tookMs = performance.now() - start;
    if (tookMs <= slowestMs) return;
    // Repeated, because other load on the machine may have caused the delay.
    let settledMs = tookMs;
    for (let at = 0; at < repeats; at++) {
      const restart = performance.now();
      failuresOn(target, text);
      settledMs = Math.min(settledMs, performance.now() - restart);
    }
    if (settledMs > slowestMs) [slowestMs, slowest] = [settledMs, text];
  };
  fc.assert(fc.property(inputsOf(target), tryInput), { numRuns: inputs });
  return { inputs: tried, failures: [...failures], slowestMs, slowest };
}

function grow(target: FuzzTarget): readonly [Growth, Growth] {
  return worstGrowth(target, (text) => sizeOf(Object.values(target.functions).map((call) => call(text))), longInputsOneOf);
}

const columns = ["parser", "inputs", "failures", "slowest ms", "chars", "64 KiB ms", "growth"];
const widths = [20, 8, 8, 11, 10, 10, 7];
const row = (cells: readonly unknown[]) =>
  cells.map((cell, at) => String(cell)[at === 0 ? "padEnd" : "padStart"](widths[at] ?? 0)).join(" ");
const failures: string[] = [];
const print = (line: string) => process.stdout.write(`${line}\n`);

print(row(columns));
const startedMs = performance.now();
for (const target of fuzzTargets.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const { failures: found, slowestMs, slowest, inputs: tried } = fuzz(target);
  const [worst, longest] = grow(target);
  print(row([target.name, tried, found.length, slowestMs.toFixed(2), slowest.length, longest.longMs.toFixed(1), worst.ratio.toFixed(1)]));
  failures.push(...found.map((failure) => `${target.name}: ${failure}`));
  if (slowestMs > slowMs) failures.push(`${target.name}: ${slowestMs.toFixed(0)} ms for ${JSON.stringify(slowest.slice(0, 200))}`);
  if (worst.ratio > ratioMax)
    failures.push(
      `${target.name}: four times the length took ${worst.ratio.toFixed(1)} times as long, ${worst.longMs.toFixed(0)} ms: ${worst.input}`,
    );
}
print(
  `\n${((performance.now() - startedMs) / 1_000).toFixed(0)} s. Growth: time for 64 KiB divided by time for 16 KiB; 4 is linear, 16 quadratic.`,
);
if (names.length === 0 || names.includes("sites")) {
  const { pairs, moved, failures: breaches } = compareSitePairs(Math.min(inputs, sitePairsMax));
  print(`${pairs} pairs of sites compared, ${moved} of them with different scores, ${breaches.length} against the law`);
  failures.push(...breaches);
}
if (names.length === 0 || names.includes("exports")) {
  const { scans, failures: found } = await fuzzExports(Math.min(inputs, exportsMax));
  print(`${scans} hostile scans written and read back in every format, ${found.length} failures`);
  failures.push(...found);
}
if (names.length === 0 || names.includes("results")) {
  const { results, judged, failures: found, faults } = fuzzResults(Math.min(inputs, resultsMax));
  print(`${results} hostile results of workers read, ${judged} of them judged and written, ${found.length} failures`);
  for (const [key, fault] of faults) print(`the check ${key} was not checked: ${fault}`);
  failures.push(...found);
}
if (names.length === 0 || names.includes("requests")) {
  const { requests, seed, statuses, unavailable, memoryMib, failures: found } = await fuzzRequests(Math.min(inputs, requestsMax));
  const counted = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} of ${name}`)
      .join(", ");
  print(`${requests} requests to the API, seed ${seed}: ${counted(statuses)}; ${found.length} failures`);
  print(`503 from ${counted(unavailable) || "no operation"}; memory ${memoryMib.join(", ")} MiB`);
  failures.push(...found);
}
for (const failure of failures) print(failure);
process.exit(failures.length === 0 ? 0 : 1);
