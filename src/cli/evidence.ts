/** `assay evidence`: captures what a scan of a page sees into a file, without judging it, and prints it. */
import { Command } from "commander";
import { openOneShotScanner } from "../app/scanning.ts";
import { readEvidenceFile } from "../authoring/evidence-file.ts";
import { evidenceText } from "../authoring/scaffold-plugin.ts";
import { builtInCatalog } from "../catalog/catalog.ts";
import type { Evidence, ReadingName } from "../evidence/evidence.ts";
import { isReadingName, readingNames } from "../evidence/facts.ts";
import type { HeaderField } from "../evidence/http-facts.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import { nearest } from "../parse/text.ts";
import type { Config } from "../settings/settings.ts";
import { scanErrorMessage } from "../text/render.ts";
import { CliError, type ExitCode, exitCodes, stopSignal } from "./exit.ts";
import { openOutputFile } from "./output-file.ts";
import { startProgress } from "./progress.ts";
import { commandLog } from "./scan/scan.ts";
import { urlsFrom } from "./scan/targets.ts";
import { addSettings, configOf, scanSettings } from "./settings.ts";
import { jsonLines, note, print, printError, stripControls, table } from "./terminal.ts";

const examples = `
Examples:
  assay evidence capture https://example.com -o example.json
  assay evidence show example.json
  assay judge example.json                              the report of that evidence
  assay checks try acme-build.ts example.json           what one check makes of it`;

export function evidenceCommand(): Command {
  return new Command("evidence")
    .description("Capture and show evidence: what a scan saw, without judging it.")
    .addHelpText("after", examples)
    .addCommand(captureEvidenceCommand())
    .addCommand(showEvidenceCommand());
}

const captureExamples = `
Examples:
  assay evidence capture https://example.com -o example.json
  assay evidence capture https://intranet.example --profile internal -o intranet.json

Credentials and parameters that look secret are removed, as in every scan. Exit codes are those of assay scan.`;

/** Plugins do not judge here, and there is one page. */
export const captureSettings = scanSettings.filter((key) => key !== "checks.dir" && key !== "scan.concurrency");

function captureEvidenceCommand(): Command {
  const capture = new Command("capture")
    .description("Scan a page once and write its evidence as JSON: all that a check can read.")
    .argument("<url>", "page to scan; https:// is added where no scheme is given")
    .option("-o, --output <file>", "file to write, or - for stdout", "-")
    .addHelpText("after", captureExamples)
    .action(async (given: string, _options, command: Command) => {
      const { output, quiet }: { readonly output: string; readonly quiet?: boolean } = command.optsWithGlobals();
      const [url = ""] = await urlsFrom([given]);
      const config = configOf(command);
      // Before the scan, so that a path that cannot be written costs no time.
      const file = output === "-" ? null : openOutputFile(output);
      const evidence = await captureUrl(url, config, quiet === true ? { quiet } : {});
      if (file === null) return print(evidenceText(evidence).trimEnd());
      await file.write(evidenceText(evidence));
      note(`wrote ${output}; "assay evidence show ${output}" prints it`);
    });
  return addSettings(capture, ["locale.default", ...captureSettings]);
}

/** Every other failure is one of the target. */
const codeOfFailure: { readonly [C in ScanErrorCode]?: ExitCode } = {
  crashed: exitCodes.internal,
  "browser-unavailable": exitCodes.internal,
  interrupted: exitCodes.interrupted,
};

/** A user who captures a page is the operator of this command. */
const howToAllow = "For a server of your own: --profile internal, or --allow-cidr and, for ports besides 80 and 443, --allow-port.";

/** @throws CliError for a page that cannot be reached, ConfigError or BrowserError. */
export async function captureUrl(url: string, config: Config, options: { readonly quiet?: boolean }): Promise<Evidence> {
  const stop = stopSignal();
  const progress = startProgress(1, options.quiet !== true);
  const log = commandLog(config, options, progress);
  const scanner = await openOneShotScanner(config, 1, log, { catalog: builtInCatalog() }).catch((error) => {
    progress.stop();
    throw error;
  });
  try {
    const outcome = await scanner.scanUrl(url, (stage) => progress.stage(url, stage), stop);
    progress.ended(url, outcome.status);
    if (outcome.status === "finished") return outcome.evidence;
    const { code } = outcome;
    const reason = scanErrorMessage(code, url, config["locale.default"], scanner.texts);
    throw new CliError(codeOfFailure[code] ?? exitCodes.target, code === "blocked" ? `${reason}\n${howToAllow}` : reason);
  } finally {
    progress.stop();
    await scanner.close();
  }
}

/** Characters of a cell; the rest is in the reading itself. */
const cellCharsMax = 100;
const valueCharsMax = 40;
/** Header fields that are listed. */
const headersShownMax = 100;
/** Lines of one reading. */
const readingLinesMax = 2_000;

const showExamples = `
Examples:
  assay evidence show example.json
  assay evidence show example.json --reading tls`;

function showEvidenceCommand(): Command {
  return new Command("show")
    .description("Print captured evidence: each reading with its main facts, or why it failed, and the headers of the page.")
    .argument("<file>", "evidence from `assay evidence capture`, or a full report")
    .option("--reading <name>", "print all facts of one reading, as JSON")
    .addHelpText("after", showExamples)
    .action((file: string, { reading }: { readonly reading?: string }) => {
      const evidence = readEvidenceFile(file);
      if (reading === undefined) print(overview(evidence));
      else printReading(evidence, readingNamed(reading));
    });
}

function overview(evidence: Evidence): string {
  const { subject, page } = evidence;
  const rows = readingNames.map((name) => {
    const reading = evidence[name];
    return reading.status === "read" ? [name, "read", summaryOf(reading.facts)] : [name, `failed: ${reading.because}`, ""];
  });
  const domain = subject.registrableDomain ?? "none";
  return [
    stripControls(subject.url),
    stripControls(`  host ${subject.host}, registrable domain ${domain}, scanned at ${subject.scannedAt}`),
    "",
    table([["READING", "STATE", "FACTS"], ...rows]),
    ...(page.status === "read" ? headerLines(page.facts.headers) : []),
  ].join("\n");
}

function headerLines(headers: readonly HeaderField[]): readonly string[] {
  const lines = headers.slice(0, headersShownMax).map(({ name, value, truncated }) => {
    return `  ${cut(stripControls(`${name}: ${value}`), cellCharsMax)}${truncated ? "  (cut at the limit)" : ""}`;
  });
  const more = headers.length > lines.length ? [`  and ${headers.length - lines.length} more`] : [];
  return ["", `Headers of the page: ${headers.length}`, ...lines, ...more];
}

/** Scalar facts, and the number of entries of lists. */
function summaryOf(facts: object): string {
  const parts = Object.entries(facts).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.length === 0 ? [] : [`${name}[${value.length}]`];
    if (value === null || value === 0 || value === "" || typeof value === "object") return [];
    return [`${name} ${cut(String(value), valueCharsMax)}`];
  });
  return cut(parts.join(", "), cellCharsMax);
}

function cut(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 3)}...` : text;
}

function readingNamed(name: string): ReadingName {
  if (isReadingName(name)) return name;
  const meant = nearest(name.slice(0, valueCharsMax), readingNames);
  const suggestion = meant === null ? `they are ${readingNames.join(", ")}` : `did you mean ${meant}?`;
  throw new CliError(exitCodes.usage, `there is no reading "${stripControls(cut(name, valueCharsMax))}"; ${suggestion}`);
}

function printReading(evidence: Evidence, name: ReadingName): void {
  const reading = evidence[name];
  if (reading.status === "failed") {
    print(`failed: ${stripControls(String(reading.because))}`);
    return;
  }
  const lines = jsonLines(reading.facts);
  print(lines.slice(0, readingLinesMax).join("\n"));
  if (lines.length > readingLinesMax) printError(`assay: ${lines.length - readingLinesMax} more lines are in the file`);
}
