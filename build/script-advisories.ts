/** Writes the advisories that the program holds, from a collection such as script-libraries-2026-08-22.json: `bun build/script-advisories.ts FILE`. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAdvisoriesFile } from "../src/parse/script-libraries.ts";

const target = fileURLToPath(new URL("../src/probe/browser/script-advisories.json", import.meta.url));

const [file = ""] = process.argv.slice(2);
const date = /\d{4}-\d{2}-\d{2}/.exec(file)?.[0];
if (date === undefined) throw new Error("name a file with its date, as in script-libraries-2026-08-22.json");
const read = parseAdvisoriesFile(readFileSync(file, "utf8"));
if ("fault" in read) throw new Error(`${file} ${read.fault}`);
writeFileSync(target, `${JSON.stringify({ date, libraries: read.libraries }, null, 2)}\n`);
