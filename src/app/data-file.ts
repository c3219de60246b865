/** Files of the operator that replace data of the program. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import { parseInternetDate } from "../parse/internet-date.ts";
import { ConfigError } from "./config.ts";
import type { SettingKey } from "./settings.ts";

export interface DataFile {
  readonly setting: SettingKey;
  readonly path: string;
  /** What the file should be, as in "preload list". */
  readonly kind: string;
  readonly bytesMax: number;
}

const partBytes = 64 * 1024;
/** First bytes of a gzip file (RFC 1952 section 2.3.1). */
const gzipMagic = [0x1f, 0x8b];

export function dataFileFault({ setting, path, kind }: DataFile, fault: string): ConfigError {
  return new ConfigError(`${setting}: ${path} is no ${kind}: ${fault}`);
}

/** @throws ConfigError */
export function dataFileBytes(file: DataFile): Buffer {
  const { setting, path, bytesMax } = file;
  let bytes: Buffer;
  try {
    bytes = firstBytes(path, bytesMax + 1);
  } catch (error) {
    throw new ConfigError(`${setting}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (bytes.length > bytesMax) throw dataFileFault(file, `it has more than ${bytesMax} bytes`);
  return bytes;
}

/** Text of a file that may be compressed with gzip; `bytesMax` holds for both forms. @throws ConfigError */
export function dataFileText(file: DataFile): string {
  const bytes = dataFileBytes(file);
  if (gzipMagic.some((byte, at) => bytes[at] !== byte)) return bytes.toString();
  try {
    return gunzipSync(bytes, { maxOutputLength: file.bytesMax }).toString();
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw dataFileFault(file, tooLarge ? `it has more than ${file.bytesMax} bytes when unpacked` : "its gzip data is damaged");
  }
}

/** Copy in shared memory, which no worker thread copies. */
export function sharedBytes(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** At most `count` bytes. The size of a device or a pipe is unknown, and its bytes must not fill the memory. */
export function firstBytes(path: string, count: number): Buffer {
  const file = openSync(path, "r");
  try {
    return readOpenFile(file, count);
  } finally {
    closeSync(file);
  }
}

/** The same of an open file. */
export function readOpenFile(file: number, count: number): Buffer {
  const parts: Buffer[] = [];
  for (let left = count; left > 0; ) {
    const part = Buffer.alloc(Math.min(left, partBytes));
    const length = readSync(file, part);
    if (length === 0) break;
    parts.push(part.subarray(0, length));
    left -= length;
  }
  return Buffer.concat(parts);
}

/** Date that the file states of itself, else the one in its name, else the day of its last change. @throws ConfigError for a future date. */
export function dataFileDate(file: DataFile, now: Date, stated: string | null = null): string {
  const inName = (basename(file.path).match(/\d{4}-\d\d-\d\d/g) ?? []).find((day) => parseInternetDate(`${day}T00:00:00Z`) !== null);
  const named = stated ?? inName;
  if (named !== undefined && Date.parse(named) > now.getTime())
    throw dataFileFault(file, `the date in ${stated === null ? "its name" : "it"}, ${named}, is in the future`);
  return named ?? new Date(Math.min(statSync(file.path).mtimeMs, now.getTime())).toISOString().slice(0, 10);
}
