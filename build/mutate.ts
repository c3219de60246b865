/** `npm run mutate -- FOLDER...`: plants one-line faults in a copy of the tree, and shows which of them no test notices. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root as ownTree, sourcesBelow } from "../test/support/source-tree.ts";
import { openCoverage } from "./mutate/coverage.ts";
import { type Fault, faultsIn, textHash } from "./mutate/faults.ts";
import { type FaultResult, isSurvivor, openResults, type Results, summary } from "./mutate/results.ts";
import { endRunningTests } from "./mutate/run-tests.ts";
import { chooseFaults } from "./mutate/selection.ts";
import { copyTree, type TreeCopy } from "./mutate/tree-copy.ts";
import { limitsWithin, type TrialSettings, tryFault, widestLimits } from "./mutate/try-fault.ts";
import { treeReach } from "./test-reach.ts";

const usage = `Usage: npm run mutate -- FOLDER... [options]
       npm run mutate -- --again ID [--again ID ...]
       npm run mutate -- --survivors | --report

Plants one-line faults in a copy of the tree, one at a time, and runs the unit and integration tests that reach the line,
the nearest first, until one fails; without one, the type check. FOLDER is a folder or file of src, such as src/http.

  --count N     faults of each folder; 24 by default
  --seed N      repeats a choice of faults; a new one by default, which is printed
  --jobs N      faults at a time; 1 by default
  --seconds N   time of each fault; 60 by default, more on a machine that is busy with other things
  --slow        also runs *.slow.test.ts
  --again ID    plants this fault again, and runs all tests that reach it; may be repeated
  --survivors   plants those again that no test has noticed
  --report      only prints the table of all results
  --tree DIR    the tree, with a git repository of its own; this one by default

With --again and without --seconds, a fault has as long as it takes. A run that hangs counts as noticed. Results are in
dist/mutate/results.jsonl: the same choice continues where it was stopped. dist/mutate/coverage has the lines that each
test file runs, measured when first needed. A test that fails or hangs without the fault too proves nothing.
Faults within calls of the log are left out.`;

/** Wrong arguments. The message is one sentence for the caller. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

interface Choice {
  readonly faults: readonly Fault[];
  /** Whether faults with a result are planted again. */
  readonly again: boolean;
}

function textsBelow(tree: string, folder: string): ReadonlyMap<string, string> {
  const path = folder.replace(/^\.\//, "").replace(/\/$/, "");
  if (!/^src(\/|$)/.test(path)) throw new UsageError(`${folder} is not below src`);
  if (!existsSync(join(tree, path))) throw new UsageError(`there is no ${folder}`);
  if (/\.tsx?$/.test(path)) return new Map([[path, readFileSync(join(tree, path), "utf8")]]);
  return new Map(sourcesBelow(path, tree).map((file) => [file.path, file.text]));
}

async function randomChoice(tree: string, folders: readonly string[], count: number, seed: number): Promise<Choice> {
  const perFolder = await Promise.all(
    folders.map(async (folder) => {
      const texts = textsBelow(tree, folder);
      return chooseFaults(await faultsIn(texts), texts, { count, seed });
    }),
  );
  return { faults: perFolder.flat(), again: false };
}

/** Faults by their ids, as far as their files are unchanged. */
async function faultsById(tree: string, ids: readonly string[]): Promise<readonly Fault[]> {
  const paths = [...new Set(ids.map((id) => id.replace(/:.*/, "")))].filter((path) => existsSync(join(tree, path)));
  const faults = await faultsIn(new Map(paths.map((path) => [path, readFileSync(join(tree, path), "utf8")])));
  const found = faults.filter(({ id }) => ids.includes(id));
  const missing = ids.filter((id) => !found.some((fault) => fault.id === id));
  if (missing.length > 0) throw new UsageError(`the tree has no place for this fault, or not any more: ${missing.join(", ")}`);
  return found;
}

/** Tries the faults in copies of the tree, one copy for each job, and prints a line for each. */
async function tryAll(faults: readonly Fault[], copies: readonly TreeCopy[], settings: TrialSettings, results: Results): Promise<void> {
  const waiting = [...faults];
  let done = 0;
  const work = async (copy: TreeCopy) => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
      const result = await tryFault(copy, fault, settings);
      results.add(result);
      done += 1;
      console.log(`[${done}/${faults.length}] ${lineOf(result)}`);
    }
  };
  await Promise.all(copies.map(work));
}

function lineOf({ fault, outcome, seconds, tests, failure }: FaultResult): string {
  const by = outcome === "noticed" ? ` by ${failure.split("\n").at(-1)}` : ` by ${tests.length} test files`;
  return `${outcome} ${fault.id}: ${fault.original} -> ${fault.replacement || "(nothing)"},${by}, ${seconds} s`;
}

function wholeNumber(name: string, text: string, min: number): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < min) throw new UsageError(`--${name} is a whole number from ${min}`);
  return value;
}

const options = {
  count: { type: "string", default: "24" },
  seed: { type: "string" },
  jobs: { type: "string", default: "1" },
  seconds: { type: "string" },
  slow: { type: "boolean", default: false },
  again: { type: "string", multiple: true },
  survivors: { type: "boolean", default: false },
  report: { type: "boolean", default: false },
  tree: { type: "string", default: ownTree },
  help: { type: "boolean", short: "h", default: false },
} as const;

function parsedArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function choiceOf({ values, positionals }: ReturnType<typeof parsedArguments>, tree: string, results: Results): Promise<Choice> {
  if (values.again !== undefined) return { faults: await faultsById(tree, values.again), again: true };
  if (values.survivors) {
    const ids = [...results.latest.values()].filter(isSurvivor).map(({ fault }) => fault.id);
    return { faults: await faultsById(tree, ids), again: true };
  }
  if (positionals.length === 0) throw new UsageError("name a folder, such as src/http; --help shows more");
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : wholeNumber("seed", values.seed, 0);
  console.log(`seed ${seed}: the same folders with --seed ${seed} continue this choice`);
  return randomChoice(tree, positionals, wholeNumber("count", values.count, 1), seed);
}

async function main(args: readonly string[]): Promise<void> {
  const parsed = parsedArguments(args);
  const { values } = parsed;
  if (values.help) return console.log(usage);
  const tree = resolve(values.tree);
  const jobs = wholeNumber("jobs", values.jobs, 1);
  const results = openResults(join(tree, "dist/mutate/results.jsonl"));
  if (values.report) return console.log(summary([...results.latest.values()]));

  const { faults, again } = await choiceOf(parsed, tree, results);
  const isKnown = ({ id, path }: Fault) => results.latest.get(id)?.hash === textHash(readFileSync(join(tree, path), "utf8"));
  const open = faults.filter((fault) => again || !isKnown(fault));
  const copies = Array.from({ length: Math.min(jobs, open.length) }, () => copyTree(tree));
  const stop = () => {
    endRunningTests();
    for (const copy of copies) copy.remove();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      stop();
      process.exit(130);
    });
  try {
    const seconds = values.seconds === undefined ? null : wholeNumber("seconds", values.seconds, 1);
    const limits = seconds === null && values.again !== undefined ? widestLimits : limitsWithin(seconds ?? 60);
    const coverage = openCoverage(join(tree, "dist/mutate/coverage"));
    await tryAll(open, copies, { reach: treeReach(tree), coverage, slow: values.slow, limits }, results);
  } finally {
    stop();
  }
  console.log(`\n${summary(faults.flatMap(({ id }) => results.latest.get(id) ?? []))}`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`mutate: ${error.message}`);
  process.exitCode = 2;
}
