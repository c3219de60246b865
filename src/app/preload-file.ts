/** Reads the operator's HSTS preload list, which replaces the embedded one. */
import { parsePreloadList } from "../parse/host-lists.ts";
import type { PreloadList } from "../probe/browser/page-preload.ts";
import { type DataFile, dataFileDate, dataFileFault, dataFileText, sharedBytes } from "./data-file.ts";
import type { Config } from "./settings.ts";

/** Ten times the embedded list. */
const fileBytesMax = 16 * 1024 ** 2;

/** Null without the setting. @throws ConfigError */
export function configuredPreloadList(config: Config, now: Date): PreloadList | null {
  const path = config["hsts.preload_file"];
  if (path === null) return null;
  const file: DataFile = { setting: "hsts.preload_file", path, kind: "preload list", bytesMax: fileBytesMax };
  const list = parsePreloadList(dataFileText(file));
  if ("fault" in list) throw dataFileFault(file, list.fault);
  return { date: dataFileDate(file, now), bytes: sharedBytes(list.bytes) };
}
