/** Input of a command: names, files in bounded size, secrets, and lines of stdin. */

import { closeSync, fstatSync, openSync } from "node:fs";
import { nearest } from "../parse/text.ts";
import { firstBytes, firstLineOf, passwordInFile, readOpenFile } from "../settings/files.ts";
import type { Values } from "./command.ts";
import { CliError, usageError } from "./exit.ts";
import { currentTerminal, note } from "./terminal.ts";

/** Advice after an unknown name: the name that was probably meant, or else `otherwise`. */
export function adviceOnName(name: string, known: readonly string[], otherwise: string): string {
  const meant = nearest(name, known);
  return meant === null ? otherwise : `did you mean ${meant}?`;
}

const mebibyte = 1024 ** 2;

/** @throws CliError for a file that is absent, unreadable or larger. */
export function inputBytes(file: string, bytesMax: number): Buffer {
  const bytes = inputBytesIfPresent(file, bytesMax);
  if (bytes === null) throw usageError(`${file} does not exist`);
  return bytes;
}

/** Null if the file is absent. @throws CliError if it cannot be read or is larger. */
export function inputBytesIfPresent(file: string, bytesMax: number): Buffer | null {
  let bytes: Buffer;
  try {
    bytes = firstBytes(file, bytesMax + 1);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw usageError(`${file} cannot be read (${code})`);
  }
  if (bytes.length > bytesMax) throw usageError(`${file} is larger than ${bytesMax / mebibyte} MiB`);
  return bytes;
}

/** A browser export holds the cookies of every site. */
const fileBytesMax = 4 * mebibyte;
/** Permission bits of group and others, to read and to write. */
const othersMode = 0o066;

/**
 * Checks the permissions of the open file, because its path may change.
 * @throws CliError for a file that is absent, larger, no UTF-8 text, or readable by others.
 */
export function secretText(file: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch (error) {
    throw unreadable(file, error);
  }
  try {
    const stats = fstatSync(descriptor);
    if (stats.isFile() && (stats.mode & othersMode) !== 0)
      throw usageError(`${file} holds secrets, and other users may read or change it: chmod 600 ${file}`);
    const bytes = readOpenFile(descriptor, fileBytesMax + 1);
    if (bytes.length > fileBytesMax) throw usageError(`${file} is larger than ${fileBytesMax / mebibyte} MiB`);
    return utf8Text(file, bytes);
  } catch (error) {
    throw error instanceof CliError ? error : unreadable(file, error);
  } finally {
    closeSync(descriptor);
  }
}

function unreadable(file: string, error: unknown): CliError {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === "ENOENT" ? "does not exist" : code === "EISDIR" ? "is a folder" : null;
  return usageError(`${file} ${reason ?? `cannot be read (${code})`}`);
}

/** @throws CliError for bytes that are not UTF-8. */
export function utf8Text(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`${file} is not UTF-8 text`);
  }
}

/** Characters read from stdin at most; far more than the longest password or name. */
const inputCharsMax = 65_536;

/** First line of stdin. Stops at its end, so that it can be typed. */
export async function firstLineOfInput(): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of currentTerminal().stdin.stream()) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n") || text.length > inputCharsMax) break;
  }
  return firstLineOf(text);
}

export const passwordOptions = {
  "--password-stdin": "read the password from stdin: its first line",
  "--password-file <file>": "read the password from a file: its first line",
} as const;
export type PasswordOptions = Values<typeof passwordOptions>;

/** Null if none was given. @throws CliError or ConfigError if it cannot be read. */
export async function readPassword({ passwordStdin, passwordFile }: PasswordOptions): Promise<string | null> {
  if (passwordStdin === true && passwordFile !== undefined) throw usageError("--password-stdin and --password-file exclude each other");
  if (passwordStdin === true) {
    if (currentTerminal().isInteractive()) note("Type the password, then Enter. It can be seen while you type.");
    return firstLineOfInput();
  }
  return passwordFile === undefined ? null : passwordInFile(passwordFile, "--password-file");
}
