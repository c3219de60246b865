/** `npm test` and `npm run test:NAME`: runs one suite of `build/test-suites.ts`, then prints cases, seconds and what was skipped. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { skipReasonsIn, skipReasonsVariable } from "../test/support/missing.ts";
import { type Ended, runCommand } from "./run-command.ts";
import { testsReaching } from "./test-reach.ts";
import { type Step, type Suite, suites } from "./test-suites.ts";
import { summaryOf } from "./test-summary.ts";

// reads: test/lab/install.sh

const root = resolve(import.meta.dirname, "..");
const minuteMs = 60_000;
const defaultTimeoutMs = 2 * minuteMs;
/** Compiled program of the suites that need one, and what it is made of. */
const binary = "dist/assay";
const binarySources = ["package-lock.json", "{src,checks,locales,build}/**"].map((glob) => new Bun.Glob(glob));

const usage = `Usage: npm test -- [FILE...] [options]
       npm run test:SUITE -- [FILE...] [options]

Runs a suite, or only the named files. Suites:

${Object.entries(suites)
  .map(([name, { about }]) => `  ${name.padEnd(12)} ${about}`)
  .join("\n")}

Options:
  --changed         only tests that reach files changed since the last commit; tells what it leaves out
  --since REV       the same for all changes since a commit or branch
  -t, --only WORDS  only cases whose name matches the words
  --randomize       files and cases in random order; prints the seed
  --seed N          the order of an earlier run with --randomize
  --isolated        evaluates all modules again for each file
  --workers N       processes that run files side by side (default: one for each core)
  --help            prints this text`;

class UsageError extends Error {}

function parseCommandLine(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      changed: { type: "boolean", default: false },
      since: { type: "string" },
      only: { type: "string", short: "t" },
      randomize: { type: "boolean", default: false },
      seed: { type: "string" },
      isolated: { type: "boolean", default: false },
      workers: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [name = "", ...files] = positionals;
  return { ...values, name, files };
}

type CommandLine = ReturnType<typeof parseCommandLine>;

/** Writes what `bun test --timings` reads: durations in milliseconds, of which only the order matters. */
function writeTimings(file: string, { longest = [] }: Suite): void {
  const durations = longest.map((path, at) => [path, (longest.length - at) * minuteMs]);
  writeFileSync(file, JSON.stringify({ version: 1, files: Object.fromEntries(durations) }));
}

function testCommand(
  suite: Suite,
  { only, randomize, seed, isolated, workers }: CommandLine,
  { files, timings }: { readonly files: readonly string[]; readonly timings: string },
): readonly string[] {
  return [
    "bun",
    "test",
    `--parallel=${workers ?? suite.workers ?? availableParallelism() * (suite.waits ? 2 : 1)}`,
    ...(isolated || suite.isolated ? [] : ["--no-isolate"]),
    "--only-failures",
    `--timings=${timings}`,
    `--timeout=${suite.timeoutMs ?? defaultTimeoutMs}`,
    ...(only === undefined ? [] : ["--test-name-pattern", only]),
    ...(randomize || seed !== undefined ? ["--randomize"] : []),
    ...(seed === undefined ? [] : [`--seed=${seed}`]),
    ...files.map((file) => `./${file}`),
  ];
}

/** Test files of the suite, by path from the root. */
function filesOf({ files, without = [] }: Suite): readonly string[] {
  const excluded = without.map((glob) => new Bun.Glob(glob));
  const found = files.flatMap((glob) => [...new Bun.Glob(glob).scanSync(root)]);
  return [...new Set(found)].filter((path) => !excluded.some((glob) => glob.match(path))).sort();
}

/** Files that differ from the commit, with those that git does not know yet. @throws UsageError */
async function changedFiles(since: string): Promise<readonly string[]> {
  const [tracked, untracked] = await Promise.all([
    runCommand(["git", "diff", "--name-only", "--end-of-options", since]),
    runCommand(["git", "ls-files", "--others", "--exclude-standard"]),
  ]);
  if (tracked.code !== 0) throw new UsageError(`git knows no commit "${since}": ${tracked.output.trim()}`);
  return `${tracked.output}${untracked.output}`.split("\n").filter((path) => path !== "");
}

/** Files of the command line, folders included, or those that the changes reach, or all of the suite. @throws UsageError */
async function chosenFiles(suite: Suite, { files, changed, since }: CommandLine): Promise<readonly string[]> {
  const all = filesOf(suite);
  if (files.length > 0) {
    const named = files.map((file) => file.replace(/^\.\//, "").replace(/\/$/, ""));
    const unknown = named.find((path) => !existsSync(join(root, path)));
    if (unknown !== undefined) throw new UsageError(`there is no file or folder ${unknown}`);
    return named.flatMap((path) => (/\.test\.tsx?$/.test(path) ? [path] : all.filter((file) => file.startsWith(`${path}/`))));
  }
  if (!changed && since === undefined) return all;
  const paths = await changedFiles(since ?? "HEAD");
  const { reaching, leftOut } = testsReaching(paths, { tests: all });
  console.log(
    `${paths.length} changed files reach ${reaching.length} test files. Left out, though the full run decides: ${numbersByFolder(leftOut)}`,
  );
  return reaching;
}

/** Number of files by folder. */
function numbersByFolder(paths: readonly string[]): string {
  const byFolder = Map.groupBy(paths, (path) => path.split("/").slice(0, 3).join("/"));
  return paths.length === 0 ? "none" : [...byFolder].map(([folder, inFolder]) => `${folder} ${inFolder.length}`).join(", ");
}

/** On other systems, npm has no browser for the compiled program: tests start the program from its sources. */
const mayCompile = process.platform === "linux" && process.arch === "x64";

/** Whether a source has changed after the program was compiled. */
function binaryIsOutdated(): boolean {
  const compiledMs = statSync(join(root, binary), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return binarySources.flatMap((glob) => [...glob.scanSync(root)]).some((path) => statSync(join(root, path)).mtimeMs > compiledMs);
}

/** Runs a step beside the tests and prints its output only if it fails. */
async function runBeside({ name, command, env = {} }: Step): Promise<Ended> {
  const ended = await runCommand(command, { env });
  if (ended.code !== 0) process.stdout.write(`\n${name} failed: ${command.join(" ")}\n${ended.output}\n`);
  return ended;
}

async function runSuite(suite: Suite, line: CommandLine): Promise<number> {
  const files = await chosenFiles(suite, line);
  if (files.length === 0) {
    console.log("no test file is affected");
    return 0;
  }
  const isWhole = line.files.length === 0 && line.only === undefined && !line.changed && line.since === undefined;
  const usesBinary = mayCompile && (suite.binary === "always" || (suite.binary === "whole" && isWhole));
  if (usesBinary && binaryIsOutdated()) {
    const compiled = await runCommand(["npm", "run", "compile"], { show: (text) => process.stderr.write(text) });
    if (compiled.code !== 0) return compiled.code;
  }
  const beganMs = performance.now();
  const scratch = mkdtempSync(join(tmpdir(), "assay-tests-"));
  const skipReasonsFile = join(scratch, "skip-reasons");
  const timings = join(scratch, "timings.json");
  writeTimings(timings, suite);
  try {
    if (suite.servers !== undefined) {
      const install = ["sh", "test/lab/install.sh", ...(suite.servers === "with machine" ? ["--machine"] : [])];
      const { code } = await runCommand(install, { show: (text) => process.stderr.write(text) });
      if (code !== 0) return code;
    }
    const color = process.stderr.isTTY ? { FORCE_COLOR: "1" } : {};
    const env = {
      // The cache keeps the sources of temporary folders for ever.
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
      // The last tier of the compiler pays only for code that runs for long. Here it would take more than it saves.
      ...(suite.full ? {} : { BUN_JSC_useFTLJIT: "0" }),
      [skipReasonsVariable]: skipReasonsFile,
      ...(usesBinary ? { TEST_BINARY: binary } : {}),
      ...(suite.full ? { TEST_FULL: "1" } : {}),
      ...color,
    };
    const steps = line.files.length === 0 && line.only === undefined ? (suite.beside ?? []) : [];
    const beside = steps.map(runBeside);
    const tests = await runCommand(testCommand(suite, line, { files, timings }), { env, show: (text) => process.stdout.write(text) });
    const all = [tests, ...(await Promise.all(beside))];
    const { lines, isGreen } = summaryOf({
      code: tests.code,
      output: stripVTControlCharacters(tests.output),
      failedSteps: all.slice(1).flatMap(({ code }, at) => (code === 0 ? [] : [steps[at]?.name ?? ""])),
      skipReasons: skipReasonsIn(skipReasonsFile),
      isCi: Boolean(process.env.CI),
    });
    const seconds = (performance.now() - beganMs) / 1000;
    const cpuSeconds = all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    console.log(`\n${line.name}: ${files.length} files, ${seconds.toFixed(0)} s, ${cpuSeconds.toFixed(0)} CPU s`);
    console.log(lines.join("\n"));
    return isGreen ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  try {
    const line = parseCommandLine(process.argv.slice(2));
    const suite = (suites as Readonly<Record<string, Suite>>)[line.name];
    if (line.help) console.log(usage);
    else if (suite === undefined) throw new UsageError(`there is no suite "${line.name}"; "npm test -- --help" lists them`);
    else process.exitCode = await runSuite(suite, line);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    console.error(`npm test: ${error.message}`);
    process.exitCode = 2;
  }
}
