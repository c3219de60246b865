/** Reads the operator's HSTS preload list, which replaces the embedded one. */
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import { parseInternetDate } from "../parse/internet-date.ts";
import { parsePreloadList } from "../parse/preload-list.ts";
import type { PreloadList } from "../probe/browser/preload-list.ts";
import { ConfigError } from "./config.ts";
import type { Config } from "./settings.ts";

/** Ten times the embedded list. */
const fileBytesMax = 16 * 1024 ** 2;
/** First bytes of a gzip file (RFC 1952 section 2.3.1). */
const gzipMagic = [0x1f, 0x8b];

/** Null without the setting. The bytes are shared memory, which no worker thread copies. @throws ConfigError */
export function configuredPreloadList(config: Config, now: Date): PreloadList | null {
  const file = config["hsts.preload_file"];
  if (file === null) return null;
  const list = parsePreloadList(textOf(file));
  if ("fault" in list) throw faultOf(file, list.fault);
  const bytes = new Uint8Array(new SharedArrayBuffer(list.bytes.length));
  bytes.set(list.bytes);
  return { date: dateOf(file, now), bytes };
}

function faultOf(file: string, fault: string): ConfigError {
  return new ConfigError(`hsts.preload_file: ${file} is no preload list: ${fault}`);
}

function textOf(file: string): string {
  const bytes = bytesOf(file);
  if (gzipMagic.some((byte, at) => bytes[at] !== byte)) return bytes.toString();
  try {
    return gunzipSync(bytes, { maxOutputLength: fileBytesMax }).toString();
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw faultOf(file, tooLarge ? `it has more than ${fileBytesMax} bytes when unpacked` : "its gzip data is damaged");
  }
}

/** The size is read first: a file of any length must not fill the memory. */
function bytesOf(file: string): Buffer {
  try {
    if (statSync(file).size > fileBytesMax) throw faultOf(file, `it has more than ${fileBytesMax} bytes`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`hsts.preload_file: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Date in the file name, else the day of the last change. @throws ConfigError for a name with a date in the future. */
function dateOf(file: string, now: Date): string {
  const named = (basename(file).match(/\d{4}-\d\d-\d\d/g) ?? []).find((day) => parseInternetDate(`${day}T00:00:00Z`) !== null);
  if (named !== undefined && Date.parse(named) > now.getTime()) throw faultOf(file, `the date in its name, ${named}, is in the future`);
  return named ?? new Date(Math.min(statSync(file).mtimeMs, now.getTime())).toISOString().slice(0, 10);
}
