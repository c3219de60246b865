/** Files of the operator that replace data of the program. */
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
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

export function dataFileFault({ setting, path, kind }: DataFile, fault: string): ConfigError {
  return new ConfigError(`${setting}: ${path} is no ${kind}: ${fault}`);
}

/** The size is read first: a file of any length must not fill the memory. @throws ConfigError */
export function dataFileBytes(file: DataFile): Buffer {
  const { setting, path, bytesMax } = file;
  try {
    if (statSync(path).size > bytesMax) throw dataFileFault(file, `it has more than ${bytesMax} bytes`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${setting}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Date in the file name, else the day of the last change. @throws ConfigError for a name with a date in the future. */
export function dataFileDate(file: DataFile, now: Date): string {
  const named = (basename(file.path).match(/\d{4}-\d\d-\d\d/g) ?? []).find((day) => parseInternetDate(`${day}T00:00:00Z`) !== null);
  if (named !== undefined && Date.parse(named) > now.getTime())
    throw dataFileFault(file, `the date in its name, ${named}, is in the future`);
  return named ?? new Date(Math.min(statSync(file.path).mtimeMs, now.getTime())).toISOString().slice(0, 10);
}
