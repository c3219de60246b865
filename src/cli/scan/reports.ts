/** Reports of a call on stdout, as text or as JSON, and a table of all pages, the worst first. */
import { type ExportedScan, fullReportOf } from "../../export/export.ts";
import type { FindingMarks } from "../../policy/finding-mark.ts";
import type { Config } from "../../settings/settings.ts";
import type { FullReport } from "../../text/render.ts";
import { jsonLine, note, print, stripControls, table } from "../terminal.ts";
import type { ScanOptions } from "./options.ts";
import type { ReportCatalog } from "./outcome.ts";
import { type ReportStyle, reportText } from "./report-text.ts";

/** Width of a report if the terminal does not report its own. */
const columnsDefault = 100;
/** Reports of more pages are too long to read on a terminal. */
const textReportsMax = 10;

/** `hasPolicy` adds accepted and new findings to the JSON. */
export function renderReports(
  scans: readonly ExportedScan[],
  config: Config,
  options: ScanOptions,
  { texts }: ReportCatalog,
  hasPolicy: boolean,
): void {
  const locale = config["locale.default"];
  const colour = process.stdout.isTTY === true && options.color && !process.env.NO_COLOR && process.env.TERM !== "dumb";
  // A terminal without size has 0 columns, as under "docker run -t" in a pipeline.
  const style = { locale, texts, colour, columns: process.stdout.columns || columnsDefault };
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

interface PageRow {
  readonly url: string;
  /** Null unless measured. */
  readonly score: number | null;
  readonly failed: boolean;
  readonly verdict: string;
  readonly critical: number;
  readonly high: number;
}

function pageTable(reports: readonly FullReport<unknown, unknown>[], { locale, texts }: ReportStyle): string {
  const text = (path: string) => texts.translate(locale, ["report", ...path.split("/")]) ?? path;
  const rows = reports.map((report) => rowOf(report, text)).toSorted(byNeed);
  const head = ["score", "rank", "critical", "high", "url"].map((column) => text(`pages/${column}`));
  const cells = rows.map(({ url, score, failed, verdict, critical, high }) => [
    String(score ?? "-"),
    verdict,
    failed ? "-" : String(critical),
    failed ? "-" : String(high),
    stripControls(url),
  ]);
  const title = texts.translate(locale, ["report", "pages", "count"], { count: rows.length }) ?? "";
  return `${title}\n\n${table([head, ...cells])}`;
}

function rowOf({ url, security, scanErrorMessage }: FullReport<unknown, unknown>, text: (path: string) => string): PageRow {
  const failed = scanErrorMessage !== null || security === null;
  const score = security?.measured === true ? security.score : null;
  const verdict = failed ? text("pages/failed") : score === null ? text("pages/notMeasured") : text(`ranks/${security?.rank}`);
  const countOf = (wanted: string) => security?.findings.filter(({ severity }) => severity === wanted).length ?? 0;
  return { url, score, failed, verdict, critical: countOf("critical"), high: countOf("high") };
}

/** Pages without a verdict come first, because nothing is known about them. */
function byNeed(one: PageRow, other: PageRow): number {
  return (
    Number(other.failed) - Number(one.failed) ||
    (one.score ?? -1) - (other.score ?? -1) ||
    other.critical - one.critical ||
    other.high - one.high ||
    (one.url < other.url ? -1 : Number(one.url > other.url))
  );
}
