/** Reads the operator's advisories for script libraries, which replace the embedded ones. */
import { parseAdvisoriesFile, type ScriptAdvisories } from "../parse/script-libraries.ts";
import { type DataFile, dataFileBytes, dataFileDate, dataFileFault } from "./data-file.ts";
import type { Config } from "./settings.ts";

/** The list of August 2026 has 85 KB. */
const fileBytesMax = 4 * 1024 ** 2;

/** Null without the setting. @throws ConfigError */
export function configuredAdvisories(config: Config, now: Date): ScriptAdvisories | null {
  const path = config["scripts.advisories_file"];
  if (path === null) return null;
  const file: DataFile = { setting: "scripts.advisories_file", path, kind: "list of advisories", bytesMax: fileBytesMax };
  const list = parseAdvisoriesFile(dataFileBytes(file).toString());
  if ("fault" in list) throw dataFileFault(file, `it ${list.fault}`);
  return { date: dataFileDate(file, now), libraries: list.libraries };
}
