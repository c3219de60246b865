/** Reads the operator's HSTS preload list, which replaces the embedded one. */
import { gunzipSync } from "node:zlib";
import { parsePreloadList } from "../parse/preload-list.ts";
import type { PreloadList } from "../probe/browser/preload-list.ts";
import { type DataFile, dataFileBytes, dataFileDate, dataFileFault } from "./data-file.ts";
import type { Config } from "./settings.ts";

/** Ten times the embedded list. */
const fileBytesMax = 16 * 1024 ** 2;
/** First bytes of a gzip file (RFC 1952 section 2.3.1). */
const gzipMagic = [0x1f, 0x8b];

/** Null without the setting. The bytes are shared memory, which no worker thread copies. @throws ConfigError */
export function configuredPreloadList(config: Config, now: Date): PreloadList | null {
  const path = config["hsts.preload_file"];
  if (path === null) return null;
  const file: DataFile = { setting: "hsts.preload_file", path, kind: "preload list", bytesMax: fileBytesMax };
  const list = parsePreloadList(textOf(file));
  if ("fault" in list) throw dataFileFault(file, list.fault);
  const bytes = new Uint8Array(new SharedArrayBuffer(list.bytes.length));
  bytes.set(list.bytes);
  return { date: dataFileDate(file, now), bytes };
}

function textOf(file: DataFile): string {
  const bytes = dataFileBytes(file);
  if (gzipMagic.some((byte, at) => bytes[at] !== byte)) return bytes.toString();
  try {
    return gunzipSync(bytes, { maxOutputLength: fileBytesMax }).toString();
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw dataFileFault(file, tooLarge ? `it has more than ${fileBytesMax} bytes when unpacked` : "its gzip data is damaged");
  }
}
