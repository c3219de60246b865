/** The operator's list of advisories for script libraries, in the format of Retire.js's collection as reduced for assay. */
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { parseAdvisoriesFile, type ScriptAdvisories } from "../parse/script-advisories.ts";
import { ConfigError } from "./config.ts";
import type { Config } from "./settings.ts";

/** The list of August 2026 has 85 KB. */
const fileBytesMax = 5_000_000;

/** Null for the list of the program. @throws ConfigError for a file that cannot be read, is too large or has another format. */
export function configuredAdvisories(config: Config): ScriptAdvisories | null {
  const file = config["scripts.advisories_file"];
  if (file === null) return null;
  const read = parseAdvisoriesFile(textOf(file));
  if ("fault" in read) throw new ConfigError(`scripts.advisories_file: ${file} ${read.fault}`);
  return { date: dateOf(file), libraries: read.libraries };
}

function textOf(file: string): string {
  try {
    if (statSync(file).size <= fileBytesMax) return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`scripts.advisories_file: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  throw new ConfigError(`scripts.advisories_file: ${file} is larger than ${fileBytesMax} bytes`);
}

/** Date in the name of the file, or else the day of its last change. */
function dateOf(file: string): string {
  const [named] = /\d{4}-\d{2}-\d{2}/.exec(basename(file)) ?? [];
  return named !== undefined && !Number.isNaN(Date.parse(named)) ? named : statSync(file).mtime.toISOString().slice(0, 10);
}
