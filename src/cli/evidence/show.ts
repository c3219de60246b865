/** `assay evidence show`: prints captured evidence for people: readings, failures, headers. */
import { Command } from "commander";
import { readEvidenceFile } from "../../authoring/evidence-file.ts";
import type { Evidence, ReadingName } from "../../evidence/evidence.ts";
import { isReadingName, readingNames } from "../../evidence/facts.ts";
import type { HeaderField } from "../../evidence/http-facts.ts";
import { nearest } from "../../parse/text.ts";
import { CliError, exitCodes } from "../exit.ts";
import { jsonLines, print, printError, stripControls, table } from "../terminal.ts";

/** Characters of a cell; the rest is in the reading itself. */
const cellCharsMax = 100;
const valueCharsMax = 40;
/** Header fields that are listed. */
const headersShownMax = 100;
/** Lines of one reading. */
const readingLinesMax = 2_000;

const examples = `
Examples:
  assay evidence show example.json
  assay evidence show example.json --reading tls`;

export function showEvidenceCommand(): Command {
  return new Command("show")
    .description("Print captured evidence: each reading with its main facts, or why it failed, and the headers of the page.")
    .argument("<file>", "evidence from `assay evidence capture`, or a full report")
    .option("--reading <name>", "print all facts of one reading, as JSON")
    .addHelpText("after", examples)
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
