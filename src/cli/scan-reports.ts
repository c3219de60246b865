/** Reports of a call on stdout, as text or as JSON. */
import type { Config } from "../app/settings.ts";
import { type ExportedScan, fullReportOf } from "../export/export.ts";
import type { FindingMarks } from "../policy/finding-mark.ts";
import { reportText } from "./report-text.ts";
import type { ScanOptions } from "./scan-options.ts";
import type { ReportCatalog } from "./scan-outcome.ts";
import { pageTable } from "./scan-table.ts";
import { jsonLine, note, print } from "./terminal.ts";

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
