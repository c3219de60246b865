/** `assay checks try`: judges one page with one check, and shows everything about the verdict. */
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Command } from "commander";
import { catalogOptions } from "../../app/configured-catalog.ts";
import { workerFiles } from "../../app/placement.ts";
import { authoredChecksAt } from "../../authoring/check-folders.ts";
import { readEvidenceFile } from "../../authoring/evidence-file.ts";
import { runAuthorTaskInThread } from "../../authoring/run-author-task.ts";
import { type TriedVerdict, tryCheck } from "../../authoring/try-check.ts";
import { builtInCatalog } from "../../catalog/catalog.ts";
import type { Evidence } from "../../evidence/evidence.ts";
import { nearest } from "../../parse/text.ts";
import { captureSettings } from "../evidence/capture.ts";
import { captureUrl } from "../evidence/capture-url.ts";
import { CliError, type ExitCode, exitCodes } from "../exit.ts";
import { urlsFrom } from "../scan-targets.ts";
import { addSettings, configOf } from "../settings.ts";
import { print, printError, stripControls } from "../terminal.ts";
import { faultLine } from "./fault-line.ts";
import { triedText } from "./tried-text.ts";
import { watchFolders } from "./watch.ts";

/** Of a name that is shown in an error. */
const nameCharsMax = 100;

const examples = `
Examples:
  assay checks try acme-build.ts https://example.com
  assay checks try acme-build.ts example.json --watch   again after every save
  assay checks try content-security-policy report.json  a built-in check

Exit codes: 0 the check has judged, 1 it is broken or a server would refuse it, 2 it cannot be loaded, 3 the page cannot be reached.`;

export function tryCheckCommand(onExit: (code: ExitCode) => void): Command {
  const command = new Command("try")
    .description("Judge a page with one check: verdict, values, texts in both languages, and why it was not checked.")
    .argument("<check>", "file of a check, its folder, or the key of a check")
    .argument("<page>", "URL, which is captured once, or a file with evidence or a full report")
    .option("--watch", "run again after every save, until interrupted")
    .addHelpText("after", examples)
    .action(async (check: string, page: string, _options, command: Command) => {
      const { watch, quiet }: { readonly watch?: boolean; readonly quiet?: boolean } = command.optsWithGlobals();
      const config = configOf(command);
      const tried = checkNamed(check, catalogOptions(config).checksDir ?? "");
      const isFile = existsSync(page) || page.endsWith(".json");
      const captured = isFile ? null : await captureUrl((await urlsFrom([page]))[0] ?? "", config, quiet === true ? { quiet } : {});
      const run = () => tryOn(tried, captured ?? readEvidenceFile(page));
      const folders = [...("file" in tried ? [dirname(tried.file)] : []), ...(isFile ? [dirname(resolve(page))] : [])];
      onExit(watch === true ? await watchFolders(() => [...new Set(folders)], run) : await run());
    });
  return addSettings(command, ["locale.default", "checks.dir", ...captureSettings]);
}

type TriedName = { readonly file: string } | { readonly builtInKey: string };

/** @throws CliError if there is no such check. */
function checkNamed(name: string, checksDir: string): TriedName {
  const [own, another] = [name, `${name}.ts`, `${name}.js`].filter(existsSync).flatMap((path) => authoredChecksAt(path));
  if (another !== undefined && existsSync(name) && statSync(name).isDirectory())
    throw new CliError(exitCodes.usage, `${stripControls(name)} holds several checks; name the file of one`);
  if (own !== undefined) return { file: own.checkFile };
  const [plugin] = [".ts", ".js"].map((ending) => join(checksDir, `${name}${ending}`)).filter(existsSync);
  if (plugin !== undefined && !name.includes("/")) return { file: plugin };
  const keys = builtInCatalog().checks.map(({ key }) => key);
  if (keys.includes(name)) return { builtInKey: name };
  const meant = nearest(name.slice(0, nameCharsMax), keys);
  const suggestion = meant === null ? '"assay checks list" lists all keys' : `did you mean ${meant}?`;
  throw new CliError(
    exitCodes.usage,
    `there is no check ${stripControls(name.slice(0, nameCharsMax))}, as a file or as a key; ${suggestion}`,
  );
}

async function tryOn(name: TriedName, evidence: Evidence): Promise<ExitCode> {
  if ("builtInKey" in name) {
    print(triedText(triedBuiltIn(name.builtInKey, evidence), evidence));
    return exitCodes.ok;
  }
  const { tried, refused, broken } = await runAuthorTaskInThread({ kind: "try", checkFile: name.file, evidence }, workerFiles.author);
  if (tried !== null) print(triedText(tried, evidence));
  const faults = [broken, tried?.broken ?? null].flatMap((fault) => fault ?? []).concat(tried?.faults ?? []);
  for (const fault of [...refused, ...faults]) printError(`assay: ${faultLine(fault)}`);
  if (refused.length > 0) return exitCodes.usage;
  return faults.length > 0 ? exitCodes.policy : exitCodes.ok;
}

/** Built-in checks end by themselves, so they need no thread. */
function triedBuiltIn(key: string, evidence: Evidence): TriedVerdict {
  const { checks, texts } = builtInCatalog();
  const check = checks.find((one) => one.key === key);
  if (check === undefined) throw new Error(`${key} is not built in`);
  return { definition: check, texts: { "en-gb": texts["en-gb"][key], "de-de": texts["de-de"][key] }, ...tryCheck(check, evidence) };
}
