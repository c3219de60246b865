/** Files that a call names as input, in bounded size. */
import { firstBytes } from "../app/data-file.ts";
import { CliError, exitCodes } from "./exit.ts";

const mebibyte = 1024 ** 2;

/** @throws CliError for a file that is absent, unreadable or larger. */
export function inputBytes(file: string, bytesMax: number): Buffer {
  const bytes = inputBytesIfPresent(file, bytesMax);
  if (bytes === null) throw new CliError(exitCodes.usage, `${file} does not exist`);
  return bytes;
}

/** Null for a file that is absent. @throws CliError for one that is unreadable or larger. */
export function inputBytesIfPresent(file: string, bytesMax: number): Buffer | null {
  let bytes: Buffer;
  try {
    bytes = firstBytes(file, bytesMax + 1);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw new CliError(exitCodes.usage, `${file} cannot be read (${code})`);
  }
  if (bytes.length > bytesMax) throw new CliError(exitCodes.usage, `${file} is larger than ${bytesMax / mebibyte} MiB`);
  return bytes;
}
