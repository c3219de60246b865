/** Files that settings name: data that replaces embedded lists, certificates, and first lines with a secret. */
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import { messageOf } from "../base/log.ts";
import { parsePreloadList, parsePublicSuffixes } from "../parse/host-lists.ts";
import { parseInternetDate } from "../parse/internet-date.ts";
import { parseAdvisoriesFile, type ScriptAdvisories } from "../parse/script-libraries.ts";
import { type GivenPublicSuffixes, usePublicSuffixes } from "../parse/site.ts";
import type { PreloadList } from "../probe/browser/page-preload.ts";
import { ConfigError } from "./config.ts";
import type { Config, SettingKey } from "./settings.ts";

interface DataFile {
  readonly setting: SettingKey;
  readonly path: string;
  /** What the file should be, as in "preload list". */
  readonly kind: string;
  readonly bytesMax: number;
}

const partBytes = 64 * 1024;
/** First bytes of a gzip file (RFC 1952 section 2.3.1). */
const gzipMagic = [0x1f, 0x8b];

function dataFileFault({ setting, path, kind }: DataFile, fault: string): ConfigError {
  return new ConfigError(`${setting}: ${path} is no ${kind}: ${fault}`);
}

/** @throws ConfigError */
function dataFileBytes(file: DataFile): Buffer {
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
function dataFileText(file: DataFile): string {
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

/** At most `count` bytes of an open file. */
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
function dataFileDate(file: DataFile, now: Date, stated: string | null = null): string {
  const inName = (basename(file.path).match(/\d{4}-\d\d-\d\d/g) ?? []).find((day) => parseInternetDate(`${day}T00:00:00Z`) !== null);
  const named = stated ?? inName;
  if (named !== undefined && Date.parse(named) > now.getTime())
    throw dataFileFault(file, `the date in ${stated === null ? "its name" : "it"}, ${named}, is in the future`);
  return named ?? new Date(Math.min(statSync(file.path).mtimeMs, now.getTime())).toISOString().slice(0, 10);
}

/** The list of August 2026 has 85 KB. */
const advisoriesBytesMax = 4 * 1024 ** 2;

/** Null without the setting. @throws ConfigError */
export function configuredAdvisories(config: Config, now: Date): ScriptAdvisories | null {
  const path = config["scripts.advisories_file"];
  if (path === null) return null;
  const file: DataFile = { setting: "scripts.advisories_file", path, kind: "list of advisories", bytesMax: advisoriesBytesMax };
  const list = parseAdvisoriesFile(dataFileBytes(file).toString());
  if ("fault" in list) throw dataFileFault(file, `it ${list.fault}`);
  return { date: dataFileDate(file, now), libraries: list.libraries };
}

/** Ten times the embedded list. */
const preloadBytesMax = 16 * 1024 ** 2;

/** Null without the setting. @throws ConfigError */
export function configuredPreloadList(config: Config, now: Date): PreloadList | null {
  const path = config["hsts.preload_file"];
  if (path === null) return null;
  const file: DataFile = { setting: "hsts.preload_file", path, kind: "preload list", bytesMax: preloadBytesMax };
  const list = parsePreloadList(dataFileText(file));
  if ("fault" in list) throw dataFileFault(file, list.fault);
  return { date: dataFileDate(file, now), bytes: sharedBytes(list.bytes) };
}

/** Ten times the list of 2026. */
const suffixesBytesMax = 4 * 1024 ** 2;

/** Null without the setting. @throws ConfigError */
export function configuredPublicSuffixes(config: Config, now: Date): GivenPublicSuffixes | null {
  const path = config["public_suffixes.file"];
  if (path === null) return null;
  const file: DataFile = { setting: "public_suffixes.file", path, kind: "public suffix list", bytesMax: suffixesBytesMax };
  const list = parsePublicSuffixes(dataFileText(file));
  if ("fault" in list) throw dataFileFault(file, list.fault);
  return { date: dataFileDate(file, now, list.versionDate), bytes: sharedBytes(list.bytes) };
}

/** Data of the gatherer. The public suffix list is used by this thread and by those that it starts. @throws ConfigError */
export function loadDataFiles(config: Config) {
  const now = new Date();
  usePublicSuffixes(configuredPublicSuffixes(config, now));
  return { scriptAdvisories: configuredAdvisories(config, now), preloadList: configuredPreloadList(config, now) };
}

/** @throws ConfigError */
export function certificatePem(setting: SettingKey, file: string): string {
  const pem = readPem(setting, file);
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new ConfigError(`${setting}: ${file} holds no PEM certificate`);
  return pem;
}

function readPem(setting: SettingKey, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${setting}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** First line of a file. `namedBy` is the setting or flag that names it. @throws ConfigError if the file cannot be read. */
export function passwordInFile(file: string, namedBy: string): string {
  try {
    return firstLineOf(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ConfigError(`the file of ${namedBy} cannot be read: ${messageOf(error)}`);
  }
}

export function firstLineOf(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? "";
}
