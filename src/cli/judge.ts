/** `assay judge`: judges stored or captured evidence again, without network and browser. */
import { readFileSync, statSync } from "node:fs";
import { Command, Option } from "commander";
import { checksDirOf } from "../app/scanning.ts";
import { loadCatalog } from "../catalog/load.ts";
import { evidenceWithoutErrorPage } from "../evidence/error-page.ts";
import { type Evidence, failed, readingNames } from "../evidence/evidence.ts";
import { jsonFaultPosition } from "../parse/json-position.ts";
import { performJudge } from "../scan/judge-task.ts";
import type { ScanOutcome } from "../scan/task.ts";
import { unreachableBecause } from "../scan/unreachable.ts";
import { createTexts } from "../text/i18n.ts";
import { CliError, type ExitCode, exitCodes } from "./exit.ts";
import { renderReports, type ScanOptions } from "./scan.ts";
import { codeOf } from "./scan-outcome.ts";
import { addSettings, configOf } from "./settings.ts";
import { printError } from "./terminal.ts";

/** A full report has 1 MB at most; a landmark less. */
const fileBytesMax = 16 * 1024 ** 2;

export function judgeCommand(onExit: (code: ExitCode) => void): Command {
  const judge = new Command("judge")
    .description("Judge evidence again, without network and browser, and print the report of `assay scan`.")
    .argument("<file>", "JSON with evidence: a full report of page or API, a landmark, or the evidence alone")
    .addOption(new Option("--format <format>", "as in assay scan").choices(["text", "json"]).default("text"))
    .option("--json", "the same as --format json")
    .action(async (file: string, { json }: { readonly json?: boolean }, command: Command) => {
      const config = configOf(command);
      const options: ScanOptions = command.optsWithGlobals();
      const evidence = evidenceIn(file);
      const catalog = await loadCatalog({ checksDir: checksDirOf(config) });
      const code = unreachableBecause(evidence);
      const { result, faults } = performJudge({ evidence, hung: [] }, catalog, () => {});
      for (const { key, fault } of faults) printError(`assay: check ${key} failed: ${fault}`);
      const outcome: ScanOutcome =
        code === null
          ? { status: "finished", result, evidence, screenshot: null, timings: {} }
          : { status: "failed", code, evidence, timings: {} };
      const judged = [{ url: evidence.subject.url, outcome }];
      renderReports(judged, config, json === true ? { ...options, format: "json" } : options, {
        checks: catalog.checks,
        texts: createTexts(catalog.texts, catalog.checks),
      });
      onExit(codeOf(judged, { failOn: null, failUnder: null }, false));
    });
  return addSettings(judge, ["locale.default", "checks.dir"]);
}

/** @throws CliError for a file that cannot be read or holds no evidence. */
function evidenceIn(file: string): Evidence {
  const document = jsonIn(file);
  const inner = isObject(document) && "evidence" in document ? document.evidence : document;
  if (!isObject(inner) || !isObject(inner.subject)) throw unusable(file, "holds no evidence");
  const { subject } = inner;
  for (const field of ["url", "host", "scannedAt"])
    if (typeof subject[field] !== "string") throw unusable(file, `holds evidence without subject.${field}`);
  if (!URL.canParse(String(subject.url))) throw unusable(file, "holds evidence whose subject.url is not a URL");
  // Evidence of an older version lacks readings of newer probes, and takes an error page for the page.
  const readings = readingNames.map((name) => [name, inner[name] ?? failed("not-asked")] as const);
  const malformed = readings.find(([, reading]) => !isObject(reading) || !(reading.status === "failed" || isObject(reading.facts)));
  if (malformed !== undefined) throw unusable(file, `holds evidence with a malformed reading, ${malformed[0]}`);
  return evidenceWithoutErrorPage({ subject, ...Object.fromEntries(readings) } as unknown as Evidence);
}

function jsonIn(file: string): unknown {
  let text: string;
  try {
    if (statSync(file).size > fileBytesMax) throw unusable(file, `is larger than ${fileBytesMax / 1024 ** 2} MB`);
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw unusable(file, code === "ENOENT" ? "does not exist" : `cannot be read (${code})`);
  }
  try {
    return JSON.parse(text);
  } catch {
    const position = jsonFaultPosition(text);
    throw unusable(file, position === null ? "is not JSON" : `is not JSON: line ${position.line}, column ${position.column}`);
  }
}

function unusable(file: string, because: string): CliError {
  return new CliError(exitCodes.usage, `${file} ${because}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
