/** Comma-separated values (RFC 4180): a line for each finding, or for each check. Safe to open in a spreadsheet. */
import { localLocation } from "../parse/location.ts";
import type { ExportedScan, ExportSettings, ExportWriter } from "./export.ts";
import { type ExportedReport, exportedReport } from "./exported-report.ts";
import { plainText } from "./safe-text.ts";

type Cell = string | number | boolean | null;

/**
 * Places where a formula of a spreadsheet would begin, full-width signs included: at the start, and after characters at which a spreadsheet
 * with other settings begins a new cell or line. A tab or line feed at the start counts too.
 */
const formulaStart = /^(?=[\t\n])|(?<=^|[;|\t\n])(?:[^\S\t\n]|\u200b)*(?=[=+\-@\uff0b\uff0d\uff1d\uff20])/g;

export const writeCsv: ExportWriter = (scans, settings) => {
  const [columns, rowsOf] = settings.csvRows === "checks" ? [checkColumns, checkRows] : [findingColumns, findingRows];
  const rows = scans.flatMap((scan) => rowsOf(scan, exportedReport(scan, settings), settings));
  return [columns, ...rows].map((row) => `${row.map(cellText).join(",")}\r\n`).join("");
};

/** A number or a state stands as it is; a text is quoted, and an apostrophe keeps it from being a formula. */
function cellText(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  const text = plainText(cell).replaceAll(formulaStart, (space) => `${space}'`);
  return /^[\w.:/-]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

const scanColumns = ["url", "endedAt", "measured", "score", "rank", "notMeasuredBecause"];

/** Last column, because readers may count columns. */
const lastColumn = "location";

function scanCells({ url, endedAt, failure, security }: ExportedReport): readonly Cell[] {
  return [url, endedAt, failure === null, security?.score ?? null, security?.rank ?? null, failure];
}

const findingColumns = [
  ...scanColumns,
  "code",
  "checkKey",
  "severity",
  "riskLevel",
  "effort",
  "cwe",
  "note",
  "accepted",
  "acceptedReason",
  "acceptedUntil",
  "inBaseline",
  "title",
  "detail",
  "riskStatement",
  "remediation",
  lastColumn,
];

/** A scan without findings has a line all the same, which says whether it was measured. */
function findingRows(_scan: ExportedScan, report: ExportedReport): readonly (readonly Cell[])[] {
  const cells = scanCells(report);
  const location = report.location ?? localLocation;
  if (report.findings.length === 0) return [padded(cells, findingColumns, location)];
  return report.findings.map((finding) => {
    const { code, checkKey, severity, riskLevel, effort, cwe, isNote, accepted, inBaseline, title, detail, riskStatement, remediation } =
      finding;
    return [
      ...cells,
      ...[code, checkKey, severity, riskLevel, effort, cwe, isNote],
      ...[accepted !== null, accepted?.reason ?? null, accepted?.until ?? null, inBaseline],
      ...[title, detail, riskStatement, remediation, location],
    ];
  });
}

const checkColumns = [
  ...scanColumns,
  "key",
  "state",
  "note",
  "weight",
  "charged",
  "notCheckedBecause",
  "label",
  "reason",
  "codes",
  lastColumn,
];

function checkRows({ result }: ExportedScan, report: ExportedReport, _settings: ExportSettings): readonly (readonly Cell[])[] {
  const cells = scanCells(report);
  const location = report.location ?? localLocation;
  if (report.rows.length === 0) return [padded(cells, checkColumns, location)];
  return report.rows.map(({ key, state, isNote, because, label, reason, findings }, at) => {
    const { weight = null, charged = null } = result?.ledger[at] ?? {};
    const codes = findings.map(({ code }) => code).join(" ");
    return [...cells, key, state, isNote, weight, charged, because, label, reason, codes, location];
  });
}

function padded(cells: readonly Cell[], columns: readonly string[], last: string): readonly Cell[] {
  return [...cells, ...columns.slice(cells.length + 1).map(() => null), last];
}
