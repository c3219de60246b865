/** `assay checks test`: runs the cases of an author's checks. */
import { dirname } from "node:path";
import { Command } from "commander";
import { workerFiles } from "../../app/placement.ts";
import { type AuthoredCheck, authoredChecksAt } from "../../authoring/check-folders.ts";
import { type AuthorOutcome, runAuthorTaskInThread } from "../../authoring/run-author-task.ts";
import { faultOfFile, type PluginFault } from "../../catalog/fault.ts";
import { loadCatalogSafely } from "../../catalog/load.ts";
import { CliError, type ExitCode, exitCodes } from "../exit.ts";
import { print, printError, stripControls, table } from "../terminal.ts";
import { faultLine } from "./fault-line.ts";
import { watchFolders } from "./watch.ts";

const examples = `
Examples:
  assay checks test                     the check of the current folder
  assay checks test acme-build --watch  again after every save
  assay checks test acme-build/acme-build.ts

Exit codes: 0 all cases passed, 1 a case failed, 2 a check or its test cannot be loaded.`;

export function testChecksCommand(onExit: (code: ExitCode) => void): Command {
  return new Command("test")
    .description("Run the cases of checks, with cases that hold for every check: failed readings, cut headers, texts in both languages.")
    .argument("[path]", "folder with checks, or one check", ".")
    .option("--watch", "run again after every save, until interrupted")
    .addHelpText("after", examples)
    .action(async (path: string, { watch }: { readonly watch?: boolean }) => {
      const run = () => testAt(path);
      onExit(watch === true ? await watchFolders(() => foldersOf(path), run) : await run());
    });
}

function foldersOf(path: string): readonly string[] {
  return [...new Set(authoredChecksAt(path).map(({ checkFile }) => dirname(checkFile)))];
}

/** @throws CliError if there is no check. */
async function testAt(path: string): Promise<ExitCode> {
  const began = performance.now();
  const checks = authoredChecksAt(path);
  if (checks.length === 0)
    throw new CliError(exitCodes.usage, `there is no check in ${stripControls(path)}; "assay checks new KEY" writes one`);
  const unusable = await contractFaults(checks);
  const tested: TestedCheck[] = [];
  for (const check of checks)
    if (!unusable.some(({ file }) => file === check.checkFile)) tested.push({ check, outcome: await testOne(check) });
  const failures = tested.flatMap(({ outcome: { cases, broken } }) =>
    [...cases.map(({ fault }) => fault), broken].flatMap((fault) => fault ?? []),
  );
  const refused = [...unusable, ...tested.flatMap(({ outcome }) => outcome.refused)];
  printOutcome(tested, failures, performance.now() - began);
  for (const fault of refused) printError(`assay: ${faultLine(fault)}`);
  if (refused.length > 0) return exitCodes.usage;
  return failures.length > 0 ? exitCodes.policy : exitCodes.ok;
}

interface TestedCheck {
  readonly check: AuthoredCheck;
  readonly outcome: AuthorOutcome;
}

function printOutcome(tested: readonly TestedCheck[], failures: readonly PluginFault[], ms: number): void {
  const rows = tested.flatMap(rowsOf);
  if (rows.length > 0) print(table([["CHECK", "CASES OF", "PASSED", "FAILED", "SLOWEST"], ...rows]));
  if (failures.length > 0) print(`\n${failures.map(faultLine).join("\n")}`);
  const cases = tested.flatMap(({ outcome }) => outcome.cases);
  if (cases.length === 0) return;
  const slowestMs = Math.max(...cases.map(({ judgeMs }) => judgeMs));
  const verdict = failures.length === 0 ? "all passed" : `${failures.length} failed`;
  print(`\n${cases.length} cases, ${verdict}, in ${milliseconds(ms)}; slowest judgement ${milliseconds(slowestMs)}`);
}

/** Faults that a server would refuse too: by the same loader, each folder as a whole. */
async function contractFaults(checks: readonly AuthoredCheck[]): Promise<readonly PluginFault[]> {
  const folders = [...new Set(checks.map(({ checkFile }) => dirname(checkFile)))];
  const all = new Set(folders.flatMap((folder) => authoredChecksAt(folder).map(({ checkFile }) => checkFile)));
  const found: PluginFault[] = [];
  for (const checksDir of folders) {
    const { faults } = await loadCatalogSafely({ checksDir, unknownKeys: "refuse", workerFile: workerFiles.catalog });
    // Of the other checks in the folder of one check, nothing was asked.
    found.push(...(faults ?? []).filter(({ file }) => !all.has(file) || checks.some(({ checkFile }) => checkFile === file)));
  }
  return found;
}

async function testOne({ key, checkFile, testFile }: AuthoredCheck): Promise<AuthorOutcome> {
  if (testFile !== null) return runAuthorTaskInThread({ kind: "test", testFile, checkFile }, workerFiles.author);
  const untested = faultOfFile(checkFile, `has no test; write ${key}.test.ts beside it, as "assay checks new" does`);
  return { cases: [], tried: null, refused: [], broken: untested };
}

/** One line for each group of cases. */
function rowsOf({ check: { key }, outcome: { cases } }: TestedCheck): readonly (readonly string[])[] {
  return [...Map.groupBy(cases, ({ group }) => group)].map(([group, ran], at) => {
    const failed = ran.filter(({ fault }) => fault !== null).length;
    const slowestMs = Math.max(...ran.map(({ judgeMs }) => judgeMs));
    return [at === 0 ? key : "", group, String(ran.length - failed), String(failed), slowestMs === 0 ? "" : milliseconds(slowestMs)];
  });
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
}
