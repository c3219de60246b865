/**
 * Reports of a call on stdout, as JSON or as text: findings in the order to fix them, checks without result, and the score as the last lines;
 * of several pages also a table, the worst first.
 */
import type { Severity } from "../../check/check.ts";
import { type ExportedScan, fullReportOf } from "../../export/export.ts";
import { localLocation } from "../../parse/location.ts";
import type { FindingMark, FindingMarks } from "../../policy/finding-mark.ts";
import { chosenServer } from "../../report/report.ts";
import type { Config } from "../../settings/settings.ts";
import type { PageLocale, Texts, TextValues } from "../../text/i18n.ts";
import type { FullReport, RenderedFinding, SecurityBlock } from "../../text/render.ts";
import { type ServerName, serverLabel } from "../../text/servers/server-lines.ts";
import { jsonLine, note, print, stripControls, table } from "../terminal.ts";
import type { ScanOptions } from "./options.ts";

const indent = "  ";

/** SGR parameters (ECMA-48 section 8.3.117). */
const bold = "1";
const dim = "2";
const colours: Readonly<Record<Severity, string>> = { critical: "1;31", high: "31", medium: "33", low: "36", info: dim };
const bandColours: Readonly<Record<SecurityBlock["band"], string>> = { good: "1;32", warn: "1;33", poor: "1;31", unknown: bold };

/** Columns that a text has beside its label; on a narrower terminal it goes on below the label. */
const besideLabelColumnsMin = 40;
/** Rows of one reason that are named; more are counted. */
const namedRowsMax = 3;

export interface ReportStyle {
  readonly locale: PageLocale;
  readonly texts: Texts;
  readonly colour: boolean;
  readonly columns: number;
  /** Lists every row that was not checked. */
  readonly verbose: boolean;
}

/** Server of the lines in a report, and whether the response names it. */
export interface LinesServer {
  readonly name: ServerName;
  /** `chosen`: by the caller. `assumed`: the response names none. */
  readonly because: "chosen" | "guessed" | "assumed";
}

/** Removes control characters from every text of the site before colours are added. `server` is null for a report without a note about its lines. */
export function reportText(
  report: FullReport<unknown, unknown>,
  style: ReportStyle,
  marks: FindingMarks = new Map(),
  server: LinesServer | null = null,
): string {
  const { security, notChecked, notMeasuredBecause } = report;
  const head = [painted(stripControls(report.url), bold, style), ...locationLines(report, style)];
  if (report.scanErrorMessage !== null) return [...head, ...wrapped(report.scanErrorMessage, indent, style)].join("\n");
  if (security === null) return head.join("\n");
  return [
    ...head,
    ...changingLines(report, style),
    ...(security.findings.length > 0 ? serverLines(server, style) : []),
    ...findingLines(security.findings, style, marks),
    ...notCheckedLines(security, notChecked ?? [], style),
    "",
    ...summaryLines(security.checkSummary, report.notes ?? [], style),
    ...linesScoreLines(report, style),
    ...heldLines(report, style),
    ...wrapped(verdict(security, notMeasuredBecause, style), indent, style).map((line) => painted(line, bandColours[security.band], style)),
  ].join("\n");
}

function serverLines(server: LinesServer | null, style: ReportStyle): readonly string[] {
  if (server === null) return [];
  return wrapped(translate(style, `linesFor/${server.because}`, { server: serverLabel(server.name) }), indent, style);
}

function locationLines({ location }: FullReport<unknown, unknown>, style: ReportStyle): readonly string[] {
  if (location === localLocation) return [];
  return wrapped(style.texts.translate(style.locale, ["pages", "location", "of"], { location }) ?? location, indent, style);
}

function verdict({ measured, score, rank }: SecurityBlock, notMeasuredBecause: string | null, style: ReportStyle): string {
  if (!measured || score === null) return notMeasuredBecause ?? translate(style, "notMeasured");
  return translate(style, "score", { score, rank: translate(style, `ranks/${rank}`) });
}

/** Rows that limit the score, with what to do about each. */
function heldLines({ heldScore, security }: FullReport<unknown, unknown>, style: ReportStyle): readonly string[] {
  if (heldScore === null) return [];
  const lines = heldScore.rows.flatMap(({ key, because, remedy }) =>
    wrapped(`${labelOf(key, security)} (${because}): ${remedy}`, indent + indent, style),
  );
  return [...wrapped(translate(style, "held", { score: heldScore.scoreMax }), indent, style), ...lines];
}

function labelOf(key: string, security: SecurityBlock | null): string {
  return security?.checks?.find((check) => check.key === key)?.label ?? key;
}

/** Notes are violated rows by the API's states, but no failures. */
function summaryLines(summary: SecurityBlock["checkSummary"], notes: readonly string[], style: ReportStyle): readonly string[] {
  if (summary === null) return [];
  const counts = wrapped(translate(style, "summary", { ...summary, violated: summary.violated - notes.length }), indent, style);
  if (notes.length === 0) return counts;
  return [...counts, ...wrapped(translate(style, "summaryNotes", { notes: notes.length }), indent, style)];
}

function findingLines(findings: readonly RenderedFinding[], style: ReportStyle, marks: FindingMarks): readonly string[] {
  if (findings.length === 0) return ["", ...wrapped(translate(style, "noFindings"), indent, style)];
  return findings.flatMap((finding) => {
    const { severity, title, code, detail, riskStatement, remediation, effort } = finding;
    const [advice = "", ...toPaste] = remediation.split("\n");
    return [
      "",
      ...headingLines(severity, title, style),
      painted(`${indent}${stripControls(code)}`, dim, style),
      ...markLines(marks.get(code), style),
      ...wrapped(detail, indent, style),
      ...labelledLines("risk", riskStatement, style),
      ...labelledLines("remediation", advice, style),
      // Unwrapped: a wrapped line would break the configuration.
      ...toPaste.map((line) => indent + indent + stripControls(line)),
      ...labelledLines("effort", translate(style, `efforts/${effort}`), style),
    ];
  });
}

/** Severity and title; further lines of the title begin below its first. */
function headingLines(severity: Severity, title: string, style: ReportStyle): readonly string[] {
  const word = translate(style, `severities/${severity}`);
  const [first = "", ...others] = wrapped(title, " ".repeat(word.length + 2), style);
  const severityWord = painted(word, colours[severity], style);
  return [`${severityWord}  ${painted(first.trimStart(), bold, style)}`, ...others.map((line) => painted(line, bold, style))];
}

/** Texts of a finding that have a label, each with the name of its value. */
const labelledTexts = { risk: "text", remediation: "text", effort: "effort" } as const;

/** A text after its label. The texts of a finding begin in one column, where the terminal is wide enough. */
function labelledLines(name: keyof typeof labelledTexts, text: string, style: ReportStyle): readonly string[] {
  const filled = (name: keyof typeof labelledTexts, text: string) => translate(style, name, { [labelledTexts[name]]: text });
  const labels = {
    risk: filled("risk", "").trimEnd(),
    remediation: filled("remediation", "").trimEnd(),
    effort: filled("effort", "").trimEnd(),
  };
  const width = Math.max(...Object.values(labels).map(({ length }) => length)) + 1;
  const margin = indent + " ".repeat(width);
  if (style.columns - margin.length < besideLabelColumnsMin) return wrapped(filled(name, text), indent, style);
  const [first = "", ...others] = wrapped(text, margin, style);
  return [indent + painted(labels[name], bold, style) + " ".repeat(width - labels[name].length) + first.trimStart(), ...others];
}

/** What the policy of the caller says about a finding. */
function markLines(mark: FindingMark | undefined, style: ReportStyle): readonly string[] {
  if (mark === undefined) return [];
  const { accepted, inBaseline } = mark;
  if (accepted === null) return inBaseline === false ? wrapped(translate(style, "newFinding"), indent, style) : [];
  const { reason, until } = accepted;
  const line = until === null ? translate(style, "accepted", { reason }) : translate(style, "acceptedUntil", { reason, day: until });
  return wrapped(line, indent, style);
}

/** Accepted findings are counted too: their lines are printed. */
function linesScoreLines({ linesScore, policyDraft, security }: FullReport<unknown, unknown>, style: ReportStyle): readonly string[] {
  if (linesScore === undefined || security?.score == null) return [];
  const name = policyDraft === undefined ? "linesScore" : "linesScoreDrafted";
  return wrapped(translate(style, name, { before: security.score, after: linesScore }), indent, style);
}

function changingLines({ stillChanging }: FullReport<unknown, unknown>, style: ReportStyle): readonly string[] {
  if (stillChanging === undefined) return [];
  return wrapped(style.texts.translate(style.locale, ["pages", "report", "ledger", "stillChanging"]) ?? "", indent, style);
}

/** One line for each reason: an unread page has one reason for most checks. */
function notCheckedLines(
  security: SecurityBlock,
  rows: readonly { readonly key: string; readonly because: string }[],
  style: ReportStyle,
): readonly string[] {
  if (rows.length === 0) return [];
  const lines = [...Map.groupBy(rows, ({ because }) => because)].flatMap(([because, ofReason]) => {
    if (!style.verbose && ofReason.length > namedRowsMax)
      return wrapped(translate(style, "notCheckedCount", { count: ofReason.length, because: reasonText(because, style) }), indent, style);
    return ofReason.flatMap(({ key }) => wrapped(`${labelOf(key, security)} - ${key} (${because})`, indent, style));
  });
  return ["", ...wrapped(translate(style, "notChecked"), "", style), ...lines];
}

/** The code of a reason, after its first sentence where it has words without values. */
function reasonText(because: string, { locale, texts }: ReportStyle): string {
  const failure = because.split(": ").at(-1) ?? because;
  const words =
    texts.translate(locale, ["pages", "evidence", "failures", failure]) ??
    texts.translate(locale, ["pages", "evidence", "reasons", failure]);
  return words === null ? because : `${words.split(/[.](?: |$)/)[0]} (${because})`;
}

function translate({ locale, texts }: ReportStyle, path: string, values?: TextValues): string {
  return texts.translate(locale, ["report", ...path.split("/")], values) ?? path;
}

function painted(text: string, sgr: string, { colour }: ReportStyle): string {
  return colour ? `\x1b[${sgr}m${text}\x1b[0m` : text;
}

/** Wraps at spaces. A word longer than a line stays whole, so that URLs can be copied. */
export function wrapped(text: string, margin: string, { columns }: ReportStyle): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of stripControls(text).split(" ")) {
    if (line !== "" && margin.length + line.length + 1 + word.length > columns) {
      lines.push(margin + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, margin + line];
}

/** Width of a report if the terminal does not report its own. */
const columnsDefault = 100;
/** Reports of more pages are too long to read on a terminal. */
const textReportsMax = 10;

export function terminalStyle(
  config: Config,
  { color, verbose }: Pick<ScanOptions, "color"> & Partial<Pick<ScanOptions, "verbose">>,
  texts: Texts,
): ReportStyle {
  const colour = process.stdout.isTTY === true && color && !process.env.NO_COLOR && process.env.TERM !== "dumb";
  // A terminal without size has 0 columns, as under "docker run -t" in a pipeline.
  const columns = process.stdout.columns || columnsDefault;
  return { locale: config["locale.default"], texts, colour, columns, verbose: verbose === true };
}

/** `hasPolicy` adds accepted and new findings to the JSON. */
export function renderReports(
  scans: readonly ExportedScan[],
  config: Config,
  options: Pick<ScanOptions, "format" | "color"> & Partial<Pick<ScanOptions, "lines" | "verbose">>,
  texts: Texts,
  hasPolicy: boolean,
): void {
  const style = terminalStyle(config, options, texts);
  const { locale } = style;
  if (options.format === "json") {
    for (const scan of scans) {
      const report = fullReportOf(scan, locale, texts);
      print(jsonLine(hasPolicy ? { ...report, policy: policyFields(scan.marks) } : report));
    }
    return;
  }
  const reports = scans.map((scan) => {
    const server = linesServerOf(scan, options.lines ?? null);
    return { report: fullReportOf(scan, locale, texts, server.name), marks: scan.marks, server };
  });
  if (reports.length === 0) return;
  const isShort = reports.length <= textReportsMax;
  const whole = isShort ? reports.map(({ report, marks, server }) => reportText(report, style, marks, server)) : [];
  const all = reports.map(({ report }) => report);
  print([...whole, ...(reports.length > 1 ? [pageTable(all, style)] : [])].join("\n\n"));
  if (!isShort)
    note(`assay: reports of more than ${textReportsMax} pages are not printed: -o html=report.html writes them, --format json prints them`);
}

function linesServerOf({ evidence }: ExportedScan, chosen: ServerName | null): LinesServer {
  const { name, guessed } = chosenServer(chosen, evidence);
  return { name, because: chosen !== null ? "chosen" : guessed ? "guessed" : "assumed" };
}

/** Accepted findings by code, and the codes that the baseline lacks; null without a baseline. */
function policyFields(marks: FindingMarks) {
  const accepted = [...marks].flatMap(([code, mark]) => (mark.accepted === null ? [] : [[code, mark.accepted] as const]));
  const hasBaseline = marks.values().some(({ inBaseline }) => inBaseline !== null);
  const isNew = [...marks].flatMap(([code, { inBaseline }]) => (inBaseline === false ? [code] : []));
  return { accepted: Object.fromEntries(accepted), new: hasBaseline ? isNew : null };
}

function pageTable(reports: readonly FullReport<unknown, unknown>[], style: ReportStyle): string {
  const rows = reports.map((report) => rowOf(report, style)).toSorted(byNeed);
  const head = ["score", "rank", "critical", "high", "url"].map((column) => translate(style, `pages/${column}`));
  const cells = rows.map(({ url, score, failed, verdict, critical, high }) => [
    String(score ?? "-"),
    verdict,
    failed ? "-" : String(critical),
    failed ? "-" : String(high),
    stripControls(url),
  ]);
  return `${translate(style, "pages/count", { count: rows.length })}\n\n${table([head, ...cells])}`;
}

/** The score is null unless it was measured. */
function rowOf({ url, security, scanErrorMessage }: FullReport<unknown, unknown>, style: ReportStyle) {
  const failed = scanErrorMessage !== null || security === null;
  const score = security?.measured === true ? security.score : null;
  const verdict = translate(style, failed ? "pages/failed" : score === null ? "pages/notMeasured" : `ranks/${security?.rank}`);
  const countOf = (wanted: string) => security?.findings.filter(({ severity }) => severity === wanted).length ?? 0;
  return { url, score, failed, verdict, critical: countOf("critical"), high: countOf("high") };
}

/** Pages without a verdict come first, because nothing is known about them. */
function byNeed(one: ReturnType<typeof rowOf>, other: ReturnType<typeof rowOf>): number {
  return (
    Number(other.failed) - Number(one.failed) ||
    (one.score ?? -1) - (other.score ?? -1) ||
    other.critical - one.critical ||
    other.high - one.high ||
    (one.url < other.url ? -1 : Number(one.url > other.url))
  );
}
