/** Output: data to stdout, everything else to stderr, without terminal escape sequences. */
import { AsyncLocalStorage } from "node:async_hooks";
import { writeSync } from "node:fs";
import { CliError, exitCodes } from "./exit.ts";
import { systemReason } from "./output-file.ts";

const stdout = 1;
const stderr = 2;
/** Pause between two attempts to write to a full pipe, in milliseconds. */
const fullPipePauseMs = 5;

/** Environment and streams of one command line. Tests pass their own to run commands without a process. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Blob;
  isInteractive(): boolean;
  /** @throws OutputClosed, CliError if stdout cannot be written */
  writeOut(text: string): void;
  writeError(text: string): void;
}

const processTerminal: Terminal = {
  env: process.env,
  stdin: Bun.stdin,
  isInteractive: () => process.stdin.isTTY === true,
  writeOut: (text) => write(stdout, text),
  writeError: (text) => write(stderr, text),
};

interface CommandContext {
  readonly terminal: Terminal;
  notesWanted: boolean;
}

const contexts = new AsyncLocalStorage<CommandContext>();
const processContext: CommandContext = { terminal: processTerminal, notesWanted: true };

function context(): CommandContext {
  return contexts.getStore() ?? processContext;
}

export function withTerminal<T>(terminal: Terminal | undefined, command: () => Promise<T>): Promise<T> {
  return terminal === undefined ? command() : contexts.run({ terminal, notesWanted: true }, command);
}

export function currentTerminal(): Terminal {
  return context().terminal;
}

/** The reader of stdout closed the pipe, as `head` does. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** Prints data as one or more lines; complete when it returns. @throws OutputClosed, CliError if stdout cannot be written */
export function print(text: string): void {
  currentTerminal().writeOut(`${text}\n`);
}

/**
 * Runs what prints data, and stops it quietly once the reader of stdout is gone. What follows, and the exit code, stay the same. False, with a
 * line on stderr, if stdout could not be written.
 */
export function printWhileOpen(action: () => void): boolean {
  try {
    action();
  } catch (error) {
    if (error instanceof CliError) printError(`assay: ${error.message}`);
    else if (!(error instanceof OutputClosed)) throw error;
    return error instanceof OutputClosed;
  }
  return true;
}

export function printError(text: string): void {
  currentTerminal().writeError(`${text}\n`);
}

export function silenceNotes(): void {
  context().notesWanted = false;
}

export function note(text: string): void {
  if (context().notesWanted) printError(text);
}

/** Overwrites the current line of stderr, which must be a terminal. Empty removes it. */
export function rewriteLine(text: string): void {
  currentTerminal().writeError(`\r\x1b[2K${text}`);
}

/** Synchronous, so that no output is lost when the process exits. */
function write(file: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(file, rest));
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "EAGAIN") Bun.sleepSync(fullPipePauseMs);
      else if (file !== stdout) return;
      else if (code === "EPIPE" || code === "EBADF") throw new OutputClosed("stdout is closed");
      else throw new CliError(exitCodes.internal, `stdout could not be written: ${systemReason(error)}`);
    }
  }
}

/** Control and bidirectional formatting characters. Quoted text comes from the scanned site and can be hostile. */
const steering = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Marks of commands in the log of a build: `::name::text` where a line begins (GitHub), `##[name]` and `##vso[` anywhere (GitHub, Azure). */
const logCommand = /(?<![^ ])::(?=[a-z-]{1,50}(?: [^:]{0,200})?::)|##(?=\[|vso\[)/gi;

/** Text on one line, without characters that control a terminal, and without commands to the runner of a pipeline. */
export function stripControls(text: string): string {
  return text.replace(steering, "?").replace(logCommand, "?");
}

/** Text of a user or a file for a message: on one line, and cut to its first characters. */
export function quotedText(text: string, charsMax = 100): string {
  return stripControls(text.length > charsMax ? `${text.slice(0, charsMax)}...` : text);
}

/** JSON on one line, with what controls a terminal or a runner escaped. */
export function jsonLine(value: unknown): string {
  return escapeControls(JSON.stringify(value));
}

/** Indented JSON, line by line, with what controls a terminal or a runner escaped. */
export function jsonLines(value: unknown): readonly string[] {
  return JSON.stringify(value, null, 2).split("\n").map(escapeControls);
}

/** A line of JSON begins with no colon, and both patterns match inside strings only. */
function escapeControls(line: string): string {
  const escaped = (signs: string) => signs.replace(/./gs, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return line.replace(steering, escaped).replace(/##(?=\[|vso\[)/gi, escaped);
}

export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => stripControls(cell).padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Prints a list as a JSON array, or as a table with this head, or notes that it is empty. */
export function printList<T>(
  items: readonly T[],
  json: true | undefined,
  head: readonly string[],
  rowOf: (item: T) => readonly string[],
  emptyNote?: string,
): void {
  if (json === true) print(jsonLine(items));
  else if (items.length > 0) print(table([head, ...items.map(rowOf)]));
  else if (emptyNote !== undefined) note(emptyNote);
}
