/**
 * Reports of a call on stdout, as JSON or as text: score, ledger in one line, findings in the order to fix them, and checks without result;
 * of several pages also a table, the worst first.
 */
import type { Severity } from "../../check/check.ts";
import { type ExportedScan, fullReportOf } from "../../export/export.ts";
import { localLocation } from "../../parse/location.ts";
import type { FindingMark, FindingMarks } from "../../policy/finding-mark.ts";
import type { Config } from "../../settings/settings.ts";
import type { PageLocale, Texts, TextValues } from "../../text/i18n.ts";
import type { FullReport, RenderedFinding, SecurityBlock } from "../../text/render.ts";
import { jsonLine, note, print, stripControls, table } from "../terminal.ts";
import type { ScanOptions } from "./options.ts";

const indent = "  ";

/** SGR parameters (ECMA-48 section 8.3.117) by severity. */
const colours: Readonly<Record<Severity, string>> = { critical: "1;31", high: "31", medium: "33", low: "36", info: "2" };

export interface ReportStyle {
  readonly locale: PageLocale;
  readonly texts: Texts;
  readonly colour: boolean;
  readonly columns: number;
}

/** Removes control characters from every text of the site before colours are added. */
export function reportText(report: FullReport<unknown, unknown>, style: ReportStyle, marks: FindingMarks = new Map()): string {
  const { security, notChecked, notMeasuredBecause } = report;
  const head = [painted(stripControls(report.url), "1", style), ...locationLines(report, style)];
  if (report.scanErrorMessage !== null) return [...head, ...wrapped(report.scanErrorMessage, indent, style)].join("\n");
  if (security === null) return head.join("\n");
  return [
    ...head,
    ...wrapped(verdict(security, notMeasuredBecause, style), indent, style),
    ...heldLines(report, style),
    ...summaryLines(security.checkSummary, report.notes ?? [], style),
    ...changingLines(report, style),
    ...findingLines(security.findings, style, marks),
    ...linesScoreLines(report, style),
    ...notCheckedLines(security, notChecked ?? [], style),
  ].join("\n");
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
    return [
      "",
      `${painted(translate(style, `severities/${severity}`), colours[severity], style)}  ${painted(stripControls(title), "1", style)}`,
      `${indent}${stripControls(code)}`,
      ...markLines(marks.get(code), style),
      ...wrapped(detail, indent, style),
      ...wrapped(translate(style, "risk", { text: riskStatement }), indent, style),
      ...remediationLines(remediation, style),
      ...wrapped(translate(style, "effort", { effort: translate(style, `efforts/${effort}`) }), indent, style),
    ];
  });
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

/** Advice, then lines to paste, unwrapped: a wrapped line would break the configuration. */
function remediationLines(remediation: string, style: ReportStyle): readonly string[] {
  const [advice = "", ...toPaste] = remediation.split("\n");
  return [
    ...wrapped(translate(style, "remediation", { text: advice }), indent, style),
    ...toPaste.map((line) => indent + indent + stripControls(line)),
  ];
}

/** Accepted findings are counted too: their lines are printed. */
function linesScoreLines({ linesScore, policyDraft, security }: FullReport<unknown, unknown>, style: ReportStyle): readonly string[] {
  if (linesScore === undefined || security?.score == null) return [];
  const name = policyDraft === undefined ? "linesScore" : "linesScoreDrafted";
  return ["", ...wrapped(translate(style, name, { before: security.score, after: linesScore }), indent, style)];
}

function changingLines({ stillChanging }: FullReport<unknown, unknown>, style: ReportStyle): readonly string[] {
  if (stillChanging === undefined) return [];
  return wrapped(style.texts.translate(style.locale, ["pages", "report", "ledger", "stillChanging"]) ?? "", indent, style);
}

function notCheckedLines(
  security: SecurityBlock,
  rows: readonly { readonly key: string; readonly because: string }[],
  style: ReportStyle,
): readonly string[] {
  if (rows.length === 0) return [];
  const lines = rows.flatMap(({ key, because }) => wrapped(`${labelOf(key, security)} - ${key} (${because})`, indent, style));
  return ["", ...wrapped(translate(style, "notChecked"), "", style), ...lines];
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

export function terminalStyle(config: Config, options: Pick<ScanOptions, "color">, texts: Texts): ReportStyle {
  const colour = process.stdout.isTTY === true && options.color && !process.env.NO_COLOR && process.env.TERM !== "dumb";
  // A terminal without size has 0 columns, as under "docker run -t" in a pipeline.
  return { locale: config["locale.default"], texts, colour, columns: process.stdout.columns || columnsDefault };
}

/** `hasPolicy` adds accepted and new findings to the JSON. */
export function renderReports(
  scans: readonly ExportedScan[],
  config: Config,
  options: Pick<ScanOptions, "format" | "color">,
  texts: Texts,
  hasPolicy: boolean,
): void {
  const style = terminalStyle(config, options, texts);
  const { locale } = style;
  const reports = scans.map((scan) => ({ report: fullReportOf(scan, locale, texts), marks: scan.marks }));
  if (options.format === "json")
    for (const { report, marks } of reports) print(jsonLine(hasPolicy ? { ...report, policy: policyFields(marks) } : report));
  else if (reports.length > 0) {
    const isShort = reports.length <= textReportsMax;
    const texts = isShort ? reports.map(({ report, marks }) => reportText(report, style, marks)) : [];
    const all = reports.map(({ report }) => report);
    print([...texts, ...(reports.length > 1 ? [pageTable(all, style)] : [])].join("\n\n"));
    if (!isShort)
      note(
        `assay: reports of more than ${textReportsMax} pages are not printed: -o html=report.html writes them, --format json prints them`,
      );
  }
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
