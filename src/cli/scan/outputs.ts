/** Files of `-o FORMAT=PATH`: checked before the first scan, written after the last. */
import type { ExportedScan, ExportSettings } from "../../export/export.ts";
import { type ExportFormatName, exportFormats } from "../../export/formats.ts";
import { baselineText } from "../../policy/baseline.ts";
import { baselineOf, failedPages } from "../../policy/policy.ts";
import { CliError, usageError } from "../exit.ts";
import { adviceOnName } from "../input.ts";
import { fileIdentity, type OutputFile, openOutputFile } from "../output-file.ts";
import { currentTerminal, note, printError, printWhileOpen } from "../terminal.ts";
import type { JudgedCall } from "./policy.ts";

export interface ScanOutput {
  readonly format: ExportFormatName;
  /** Null for stdout. */
  readonly file: OutputFile | null;
}

const stdoutPath = "-";

/** @throws CliError for the first output that cannot be written. */
export function outputsFrom(given: readonly string[]): readonly ScanOutput[] {
  const outputs = given.map(outputFrom);
  if (outputs.filter(({ file }) => file === null).length > 1) throw usageError("stdout takes one output: -o FORMAT=-");
  return outputs;
}

function outputFrom(text: string): ScanOutput {
  const [name = "", ...rest] = text.split("=");
  const path = rest.join("=");
  if (path === "") throw usageError(`-o ${text} must be FORMAT=PATH, as in json=report.json; the path - is stdout`);
  const format = formatNames.find((known) => known === name);
  if (format === undefined) {
    const hint = adviceOnName(name, formatNames, `formats are ${formatNames.join(", ")}`);
    throw usageError(`-o ${text}: unknown format "${name}"; ${hint}`);
  }
  return { format, file: path === stdoutPath ? null : openOutputFile(path) };
}

export const formatNames = Object.keys(exportFormats) as readonly ExportFormatName[];

/** @throws CliError if two of the files are one. */
export function assertDistinct(files: readonly OutputFile[]): void {
  const byIdentity = Map.groupBy(files, ({ identity }) => identity);
  for (const [first, second] of byIdentity.values())
    if (first !== undefined && second !== undefined)
      throw usageError(`${first.path} and ${second.path} are one file; each output needs its own`);
}

/** @throws CliError if an output would overwrite one of the files that the call reads. */
export function assertKept(inputs: readonly (string | null | undefined)[], outputs: readonly OutputFile[]): void {
  const identities = new Set(inputs.filter((input) => input !== null && input !== undefined).map(fileIdentity));
  const clash = outputs.find(({ identity }) => identities.has(identity));
  if (clash !== undefined) throw usageError(`${clash.path} would be overwritten, but this call reads it`);
}

/** Writes each file, also if another one could not be written; stdout last. True if all were written. */
export async function writeOutputs(
  outputs: readonly ScanOutput[],
  scans: readonly ExportedScan[],
  settings: ExportSettings,
): Promise<boolean> {
  const textOf = (format: ExportFormatName) => exportFormats[format].write(scans, settings);
  const unmeasured = unmeasuredText(scans);
  const written: boolean[] = [];
  for (const { format, file } of outputs)
    if (file !== null) written.push(await isDone(() => writeOutput(file, textOf(format), unmeasured)));
  const toStdout = outputs.find(({ file }) => file === null);
  if (toStdout !== undefined) written.push(printWhileOpen(() => printOutput(textOf(toStdout.format), unmeasured)));
  return !written.includes(false);
}

/** No baseline is written while a page was not measured: it would lack findings, which later look new. False if the file cannot be written. */
export async function writeBaseline(file: OutputFile, { pages, verdicts, policy, checks }: JudgedCall): Promise<boolean> {
  const failed = failedPages(pages, policy);
  if (failed.length > 0) {
    printError(`assay: ${file.path} was not written: not measured: ${failed.map(({ url }) => url).join(", ")}`);
    return true;
  }
  const unread = pages.flatMap(({ result }) => result?.ledger.filter(({ state }) => state === "notChecked") ?? []).length;
  if (unread > 0) note(`assay: checks without a verdict: ${unread}; what they find later is new to the baseline`);
  return isDone(() => writeAndNote(file, baselineText(baselineOf(pages, verdicts, checks))));
}

/** False, with a line on stderr, if a file cannot be written. */
async function isDone(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    printError(`assay: ${error.message}`);
    return false;
  }
}

/** Why a format has nothing to say. */
function unmeasuredText(scans: readonly ExportedScan[]): string {
  const hasMeasured = scans.some(({ result }) => result?.measured === true);
  return hasMeasured ? "each host has a page that was not measured" : "no page was measured";
}

function printOutput(text: string | null, unmeasured: string): void {
  if (text === null) printError(`assay: nothing was written to stdout: ${unmeasured}`);
  else currentTerminal().writeOut(text);
}

async function writeOutput(file: OutputFile, text: string | null, unmeasured: string): Promise<void> {
  if (text !== null) return writeAndNote(file, text);
  const removed = await file.remove();
  printError(`assay: ${file.path} was not written: ${unmeasured}${removed ? "; the earlier file was removed" : ""}`);
}

/** @throws CliError */
export async function writeAndNote(file: OutputFile, text: string): Promise<void> {
  await file.write(text);
  note(`assay: wrote ${file.path} (${sizeOf(text)})`);
}

function sizeOf(text: string): string {
  const bytes = Buffer.byteLength(text);
  return bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} kB`;
}
