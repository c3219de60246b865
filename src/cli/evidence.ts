/** `assay evidence`: captures what a scan of a page sees into a file, without judging it, and prints it. */
import { openOneShotScanner } from "../app/scanning.ts";
import { readEvidenceFile } from "../authoring/evidence-file.ts";
import { evidenceText } from "../authoring/scaffold-plugin.ts";
import { builtInCatalog } from "../catalog/catalog.ts";
import type { Evidence, ReadingName } from "../evidence/evidence.ts";
import { isReadingName, readingNames } from "../evidence/facts.ts";
import type { HeaderField } from "../evidence/http-facts.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import type { Config } from "../settings/settings.ts";
import { scanErrorMessage } from "../text/render.ts";
import { command, commandGroup } from "./command.ts";
import { CliError, type ExitCode, exitCodes, stopSignal, usageError } from "./exit.ts";
import { adviceOnName } from "./input.ts";
import { openOutputFile } from "./output-file.ts";
import { startProgress } from "./progress.ts";
import { commandLog } from "./scan/scan.ts";
import { urlsFrom } from "./scan/targets.ts";
import { configOf, scanSettings, settingOptions } from "./settings.ts";
import { jsonLines, note, print, printError, stripControls, table } from "./terminal.ts";

/** Plugins do not judge here, and there is one page. */
export const captureSettings = scanSettings.filter((key) => key !== "checks.dir" && key !== "scan.concurrency");

const capture = command({
  name: "capture",
  summary: "Scan a page once and write its evidence as JSON: all that a check can read.",
  arguments: { "<url>": "page to scan; https:// is added where no scheme is given" },
  options: {
    "-o, --output <file>": { text: "file to write, or - for stdout", default: "-" },
    ...settingOptions(["locale.default", ...captureSettings]),
  },
  help: `
Examples:
  assay evidence capture https://example.com -o example.json
  assay evidence capture https://intranet.example --profile internal -o intranet.json

Credentials and parameters that look secret are removed, as in every scan. Exit codes are those of assay scan.`,
  run: async ({ url: given, output, quiet }, parsed) => {
    const [url = ""] = await urlsFrom([given]);
    const config = configOf(parsed);
    // Before the scan, so that a path that cannot be written costs no time.
    const file = output === "-" ? null : openOutputFile(output);
    const evidence = await captureUrl(url, config, quiet);
    if (file === null) return print(evidenceText(evidence).trimEnd());
    await file.write(evidenceText(evidence));
    note(`wrote ${output}; "assay evidence show ${output}" prints it`);
  },
});

/** Every other failure is one of the target. */
export const codeOfFailure: { readonly [C in ScanErrorCode]?: ExitCode } = {
  crashed: exitCodes.internal,
  "browser-unavailable": exitCodes.internal,
  interrupted: exitCodes.interrupted,
};

/** A user who captures a page is the operator of this command. */
export const howToAllow = "For a server of your own: --profile internal, or --allow-cidr and, for ports besides 80 and 443, --allow-port.";

/** @throws CliError for a page that cannot be reached, ConfigError or BrowserError. */
export async function captureUrl(url: string, config: Config, quiet: true | undefined): Promise<Evidence> {
  const stop = stopSignal();
  const progress = startProgress(1, quiet !== true);
  const log = commandLog(config, quiet, progress);
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

const show = command({
  name: "show",
  summary: "Print captured evidence: each reading with its main facts, or why it failed, and the headers of the page.",
  arguments: { "<file>": "evidence from `assay evidence capture`, or a full report" },
  options: { "--reading <name>": "print all facts of one reading, as JSON" },
  help: `
Examples:
  assay evidence show example.json
  assay evidence show example.json --reading tls`,
  run: async ({ file, reading }) => {
    const evidence = readEvidenceFile(file);
    if (reading === undefined) print(overview(evidence));
    else printReading(evidence, readingNamed(reading));
  },
});

export const evidenceCommand = commandGroup({
  name: "evidence",
  summary: "Capture and show evidence: what a scan saw, without judging it.",
  help: `
Examples:
  assay evidence capture https://example.com -o example.json
  assay evidence show example.json
  assay judge example.json                              the report of that evidence
  assay checks try acme-build.ts example.json           what one check makes of it`,
  commands: [capture, show],
});

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
  const shown = stripControls(cut(name, valueCharsMax));
  throw usageError(`there is no reading "${shown}"; ${adviceOnName(name, readingNames, `they are ${readingNames.join(", ")}`)}`);
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
