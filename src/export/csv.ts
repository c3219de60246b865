/** Comma-separated values (RFC 4180): a line for each finding, or for each check. Safe to open in a spreadsheet. */

import type { LedgerRow } from "../judge/result.ts";
import { localLocation } from "../parse/location.ts";
import type { ExportedScan, ExportWriter } from "./export.ts";
import { type ExportedFinding, type ExportedReport, type ExportedRow, exportedReport } from "./exported-report.ts";
import { plainText } from "./safe-text.ts";

type Cell = string | number | boolean | null;

/**
 * Places where a formula of a spreadsheet would begin, full-width signs included: at the start, and after characters at which a spreadsheet
 * with other settings begins a new cell or line. A tab or line feed at the start counts too.
 */
const formulaStart = /^(?=[\t\n])|(?<=^|[;|\t\n])(?:[^\S\t\n]|\u200b)*(?=[=+\-@\uff0b\uff0d\uff1d\uff20])/g;

/** Name of a column, and its value for what a line is about. */
type Column<R> = readonly [name: string, cellOf: (row: R) => Cell];

export const writeCsv: ExportWriter = (scans, settings) => {
  const reports = scans.map((scan) => ({ scan, report: exportedReport(scan, settings) }));
  const lines =
    settings.csvRows === "checks"
      ? linesOf(reports, checkColumns, ({ scan, report }) => report.rows.map((row, at) => ({ row, stored: scan.result?.ledger[at] })))
      : linesOf(reports, findingColumns, ({ report }) => report.findings);
  return lines.map((line) => `${line.map(cellText).join(",")}\r\n`).join("");
};

interface ReportedScan {
  readonly scan: ExportedScan;
  readonly report: ExportedReport;
}

/** Names of the columns, then the lines. A scan without rows has a line all the same, which says whether it was measured. */
function linesOf<R>(reports: readonly ReportedScan[], columns: readonly Column<R>[], rowsOf: (reported: ReportedScan) => readonly R[]) {
  const lines = reports.flatMap((reported) => {
    const { report } = reported;
    const rows = rowsOf(reported);
    const cells = (row: R | null) => [
      ...scanColumns.map(([, cellOf]) => cellOf(report)),
      ...columns.map(([, cellOf]) => (row === null ? null : cellOf(row))),
      report.location ?? localLocation,
    ];
    return rows.length === 0 ? [cells(null)] : rows.map(cells);
  });
  // The location is the last column, because readers may count columns.
  return [[...scanColumns.map(([name]) => name), ...columns.map(([name]) => name), "location"], ...lines];
}

/** A number or a state stands as it is; a text is quoted, and an apostrophe keeps it from being a formula. */
function cellText(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  const text = plainText(cell).replaceAll(formulaStart, (space) => `${space}'`);
  return /^[\w.:/-]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

/** Columns that have the names of fields. */
function fieldColumns<N extends string>(...names: readonly N[]): readonly Column<Readonly<Record<N, Cell>>>[] {
  return names.map((name) => [name, (row) => row[name]]);
}

const scanColumns: readonly Column<ExportedReport>[] = [
  ...fieldColumns("url", "endedAt"),
  ["measured", ({ failure }) => failure === null],
  ["score", ({ security }) => security?.score ?? null],
  ["rank", ({ security }) => security?.rank ?? null],
  ["notMeasuredBecause", ({ failure }) => failure],
];

const findingColumns: readonly Column<ExportedFinding>[] = [
  ...fieldColumns("code", "checkKey", "severity", "riskLevel", "effort", "cwe"),
  ["note", ({ isNote }) => isNote],
  ["accepted", ({ accepted }) => accepted !== null],
  ["acceptedReason", ({ accepted }) => accepted?.reason ?? null],
  ["acceptedUntil", ({ accepted }) => accepted?.until ?? null],
  ...fieldColumns("inBaseline", "title", "detail", "riskStatement", "remediation"),
];

interface CheckLine {
  readonly row: ExportedRow;
  /** The row as stored; absent if the scan failed. */
  readonly stored: LedgerRow | undefined;
}

const checkColumns: readonly Column<CheckLine>[] = [
  ["key", ({ row }) => row.key],
  ["state", ({ row }) => row.state],
  ["note", ({ row }) => row.isNote],
  ["weight", ({ stored }) => stored?.weight ?? null],
  ["charged", ({ stored }) => stored?.charged ?? null],
  ["notCheckedBecause", ({ row }) => row.because],
  ["label", ({ row }) => row.label],
  ["reason", ({ row }) => row.reason],
  ["codes", ({ row }) => row.findings.map(({ code }) => code).join(" ")],
];
