/** Reads the operator's public suffix list, which replaces the embedded one. */
import { parsePublicSuffixes } from "../parse/host-lists.ts";
import type { GivenPublicSuffixes } from "../parse/site.ts";
import { type DataFile, dataFileDate, dataFileFault, dataFileText, sharedBytes } from "./data-file.ts";
import type { Config } from "./settings.ts";

/** Ten times the list of 2026. */
const fileBytesMax = 4 * 1024 ** 2;

/** Null without the setting. @throws ConfigError */
export function configuredPublicSuffixes(config: Config, now: Date): GivenPublicSuffixes | null {
  const path = config["public_suffixes.file"];
  if (path === null) return null;
  const file: DataFile = { setting: "public_suffixes.file", path, kind: "public suffix list", bytesMax: fileBytesMax };
  const list = parsePublicSuffixes(dataFileText(file));
  if ("fault" in list) throw dataFileFault(file, list.fault);
  return { date: dataFileDate(file, now, list.versionDate), bytes: sharedBytes(list.bytes) };
}
