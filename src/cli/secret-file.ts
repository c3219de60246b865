/** Text files with secrets. Messages never quote them. */
import { closeSync, fstatSync, openSync } from "node:fs";
import { readOpenFile } from "../app/data-file.ts";
import { CliError, exitCodes } from "./exit.ts";

/** A browser export holds the cookies of every site. */
const fileBytesMax = 4 * 1024 ** 2;
/** Permission bits of group and others, to read and to write. */
const othersMode = 0o066;

/**
 * The permissions are those of the file that was opened, even if its path changes.
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
      throw new CliError(exitCodes.usage, `${file} holds secrets, and other users may read or change it: chmod 600 ${file}`);
    const bytes = readOpenFile(descriptor, fileBytesMax + 1);
    if (bytes.length > fileBytesMax) throw new CliError(exitCodes.usage, `${file} is larger than ${fileBytesMax / 1024 ** 2} MiB`);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw error instanceof CliError ? error : unreadable(file, error);
  } finally {
    closeSync(descriptor);
  }
}

function unreadable(file: string, error: unknown): CliError {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === "ENOENT" ? "does not exist" : code === "EISDIR" ? "is a folder" : null;
  if (reason !== null) return new CliError(exitCodes.usage, `${file} ${reason}`);
  return new CliError(
    exitCodes.usage,
    `${file} ${code?.startsWith("E") && !code.startsWith("ERR_") ? `cannot be read (${code})` : "is not UTF-8 text"}`,
  );
}
