/** Reports of a call on stdout, as text or as JSON. */
import type { Config } from "../app/settings.ts";
import type { ExportedScan } from "../export/export.ts";
import { fullReportOf } from "../export/json.ts";
import type { FindingMarks } from "../policy/finding-mark.ts";
import { reportText } from "./report-text.ts";
import type { ScanOptions } from "./scan-options.ts";
import type { ReportCatalog } from "./scan-outcome.ts";
import { jsonLine, print } from "./terminal.ts";

/** Width of a report if the terminal does not report its own. */
const columnsDefault = 100;

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
  else if (reports.length > 0) print(reports.map(({ report, marks }) => reportText(report, style, marks)).join("\n\n"));
}

/** Accepted findings by code, and the codes that the baseline lacks; null without a baseline. */
function policyFields(marks: FindingMarks) {
  const accepted = [...marks].flatMap(([code, mark]) => (mark.accepted === null ? [] : [[code, mark.accepted] as const]));
  const hasBaseline = marks.values().some(({ inBaseline }) => inBaseline !== null);
  const isNew = [...marks].flatMap(([code, { inBaseline }]) => (inBaseline === false ? [code] : []));
  return { accepted: Object.fromEntries(accepted), new: hasBaseline ? isNew : null };
}
