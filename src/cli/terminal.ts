/** Where words go: data to stdout, everything else to stderr, and nothing that could steer the terminal. */
import { writeSync } from "node:fs";

const stdout = 1;
const stderr = 2;
/** Between two attempts to write to a pipe that is full. */
const fullPipePauseMs = 5;

/** The reader of stdout went away, as `head` does; there is nobody left to talk to. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** Data, as one or more lines. Complete when it returns. @throws OutputClosed */
export function print(text: string): void {
  write(stdout, `${text}\n`);
}

/** Errors and warnings. */
export function tell(text: string): void {
  write(stderr, `${text}\n`);
}

let notesWanted = true;

/** For `--quiet`: from now on `note` says nothing. */
export function silenceNotes(): void {
  notesWanted = false;
}

/** What is good to know but nobody needs. */
export function note(text: string): void {
  if (notesWanted) tell(text);
}

/** Overwrites the current line of stderr, which must be a terminal. Empty removes it. */
export function tellOnSameLine(text: string): void {
  write(stderr, `\r\x1b[2K${text}`);
}

/** Synchronous, so that nothing is lost however the process ends. */
function write(file: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(file, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPIPE" && file === stdout) throw new OutputClosed("stdout is closed");
      if (code !== "EAGAIN") return;
      Bun.sleepSync(fullPipePauseMs);
    }
  }
}

/** Control characters and marks that turn the direction of writing: an attacker wrote what is quoted. */
const steering = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** On one line and harmless to a terminal. */
export function harmless(text: string): string {
  return text.replace(steering, "?");
}

/** JSON on one line, with everything escaped that could steer a terminal. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(steering, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Columns aligned by their longest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => harmless(cell).padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
