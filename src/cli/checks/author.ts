/** `assay checks new` and `test`: write the folder of a new plugin, and run the cases of an author's checks. */

import { existsSync, type FSWatcher, mkdirSync, watch, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { workerFiles } from "../../app/placement.ts";
import { type AuthoredCheck, authoredChecksAt } from "../../authoring/check-folders.ts";
import { type AuthorOutcome, runAuthorTaskInThread } from "../../authoring/run-author-task.ts";
import { codeOfNewCheck, scaffoldPlugin } from "../../authoring/scaffold-plugin.ts";
import { builtInCatalog } from "../../catalog/catalog.ts";
import { faultOfFile, type PluginFault, placedReason } from "../../catalog/fault.ts";
import { loadCatalogSafely } from "../../catalog/load.ts";
import { isCheckKey } from "../../catalog/validate.ts";
import type { Evidence } from "../../evidence/evidence.ts";
import sampleScan from "../../web/scans/report/sample-scan.json" with { type: "json" };
import { command } from "../command.ts";
import { type ExitCode, exitCodes, failureOf, stopSignal, usageError } from "../exit.ts";
import { note, print, printError, quotedText, stripControls, table } from "../terminal.ts";

/** RFC 9110 section 5.1: a field name is a token. */
const headerPattern = /^[!#$%&'*+.^`|~\w-]{1,128}$/;

export const newCheck = command({
  name: "new",
  summary: "Write a folder with a new check, its test, captured evidence and the types for editors.",
  arguments: { "<key>": "key of the check and name of the folder: lower-case words joined by hyphens" },
  options: { "--header <name>": "response header that the check reads (default: the key)" },
  help: `
Examples:
  assay checks new acme-build --header X-Acme-Build
  cd acme-build && assay checks test`,
  run: async ({ key, header = key }) => {
    assertUsable(key, header);
    const files = scaffoldPlugin({ key, header }, sampleScan.evidence as unknown as Evidence);
    createFolder(key);
    for (const { name, text } of files) writeFileSync(join(key, name), text, { mode: 0o644 });
    print(files.map(({ name }) => join(key, name)).join("\n"));
    note(`\nNext: cd ${key} && assay checks test --watch, then edit ${key}.ts; README.md has the other steps.`);
  },
});

/** @throws CliError for a key or header that cannot be used. */
function assertUsable(key: string, header: string): void {
  if (!isCheckKey(key)) throw usageError(`"${quotedText(key)}" is no key: use lower-case words joined by hyphens${suggestion(key)}`);
  if (!headerPattern.test(header)) throw usageError(`--header "${quotedText(header)}" is no name of a header, such as X-Frame-Options`);
  const { checks } = builtInCatalog();
  if (checks.some((check) => check.key === key))
    throw usageError(`"${key}" is the key of a built-in check; choose another one, such as own-${key}`);
  const code = codeOfNewCheck({ key, header });
  const owner = checks.find(({ findings }) => Object.hasOwn(findings, code));
  if (owner !== undefined)
    throw usageError(`the finding ${code} belongs to the check "${owner.key}"; choose another key, such as own-${key}`);
  if (existsSync(key)) throw usageError(`${key} exists already; choose another key or remove it`);
}

function createFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o755 });
  } catch (error) {
    throw usageError(`the folder ${path} cannot be created (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** The key that was probably meant: `Acme_Build` is "acme-build". */
function suggestion(key: string): string {
  const words = key
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, "-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return isCheckKey(words) ? `; did you mean ${words}?` : ", such as acme-build";
}

export const testChecks = command({
  name: "test",
  summary: "Run the cases of checks, with cases that hold for every check: failed readings, cut headers, texts in both languages.",
  arguments: { "[path]": { text: "folder with checks, or one check", default: "." } },
  options: { "--watch": "run again after every save, until interrupted" },
  help: `
Examples:
  assay checks test                     the check of the current folder
  assay checks test acme-build --watch  again after every save
  assay checks test acme-build/acme-build.ts

Exit codes: 0 all cases passed, 1 a case failed, 2 a check or its test cannot be loaded.`,
  run: ({ path, watch }) => {
    const run = () => testAt(path);
    return watch === true ? watchFolders(() => foldersOf(path), run) : run();
  },
});

function foldersOf(path: string): readonly string[] {
  return [...new Set(authoredChecksAt(path).map(({ checkFile }) => dirname(checkFile)))];
}

/** @throws CliError if there is no check. */
async function testAt(path: string): Promise<ExitCode> {
  const began = performance.now();
  const checks = authoredChecksAt(path);
  if (checks.length === 0) throw usageError(`there is no check in ${stripControls(path)}; "assay checks new KEY" writes one`);
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
  const rows = tested.flatMap(caseRows);
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
    // Faults of other checks in the folder do not count: the caller did not ask for them.
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
function caseRows({ check: { key }, outcome: { cases } }: TestedCheck): readonly (readonly string[])[] {
  return [...Map.groupBy(cases, ({ group }) => group)].map(([group, ran], at) => {
    const failed = ran.filter(({ fault }) => fault !== null).length;
    const slowestMs = Math.max(...ran.map(({ judgeMs }) => judgeMs));
    return [at === 0 ? key : "", group, String(ran.length - failed), String(failed), slowestMs === 0 ? "" : milliseconds(slowestMs)];
  });
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
}

/** Sources and evidence. Other files may be written by the command itself, as by a redirection of its output. */
const watchedNames = /\.([jt]s|json)$/;
/** Editors write a file in several steps. */
const settleMs = 60;

/** Calls `folders` after each run, since they may change. Ends at SIGINT or SIGTERM. */
export async function watchFolders(folders: () => readonly string[], run: () => Promise<ExitCode>): Promise<ExitCode> {
  // Without a folder, the run says what is missing.
  if (folders().length === 0) return run();
  const stop = stopSignal();
  while (!stop.aborted) {
    // Watches before the run, so that a save during it is seen.
    const change = nextChange(folders(), stop);
    try {
      await run();
    } catch (error) {
      const { code, sentence } = failureOf(error);
      if (code === exitCodes.internal) throw error;
      printError(`assay: ${sentence}`);
    }
    note("\nwaiting for a change; end with Ctrl+C");
    const changed = await change;
    if (changed !== null) note(`\n${changed} was saved at ${new Date().toTimeString().slice(0, 8)}\n`);
  }
  return exitCodes.interrupted;
}

/** Name of the first file that changes, once it is at rest; null after the stop signal. */
async function nextChange(folders: readonly string[], stop: AbortSignal): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const onChange = (name: string | null) => {
    if (name !== null && watchedNames.test(name)) resolve(name);
  };
  const watchers: FSWatcher[] = folders
    .filter((folder) => existsSync(folder))
    .map((folder) => watch(folder, (_event, name) => onChange(name)));
  const onStop = () => resolve(null);
  stop.addEventListener("abort", onStop, { once: true });
  if (stop.aborted) onStop();
  const changed = await promise;
  if (changed !== null) await Bun.sleep(settleMs);
  stop.removeEventListener("abort", onStop);
  for (const watcher of watchers) watcher.close();
  return changed;
}

/** Fault on one line, with a path that editors and terminals link: relative if the file is below the current folder. */
export function faultLine(fault: PluginFault): string {
  const shown = relative(process.cwd(), fault.file);
  const file = shown === "" || shown.startsWith("..") ? fault.file : shown;
  return placedReason({ ...fault, file });
}
