/** Formats benchmark results: one line for each row, as it is measured. */
import type { Spread } from "./spread.ts";

export interface Row {
  readonly name: string;
  readonly unit: "us" | "ms" | "/s" | "/min" | "TB" | "MB" | "KB" | "count" | "ratio";
  readonly measured: Spread;
  /** Baseline, measured alternately in the same run. */
  readonly baseline?: Spread;
  /** Absent where a row only informs. */
  readonly target?: { readonly text: string; readonly met: boolean };
  readonly note?: string;
}

/** Columns with their widths, which fit nearly all rows: later rows are not known when one is printed. */
const columns = [
  ["", 54],
  ["median", 14],
  ["p10 .. p90", 24],
  ["baseline", 10],
  ["target", 26],
  ["met", 3],
] as const;

export const rowHead = lineOf(columns.map(([name]) => name));

/** One line, and another one for its note. */
export function rowText(row: Row): string {
  return [lineOf(cellsOf(row)), ...(row.note === undefined ? [] : [`      ${row.note}`])].join("\n");
}

function lineOf(cells: readonly string[]): string {
  return cells
    .map((cell, at) => cell.padEnd(columns[at]?.[1] ?? 0))
    .join("  ")
    .trimEnd();
}

/** Progress of long work, on stderr. */
export function noteProgress(text: string): void {
  process.stderr.write(`  ${text}\n`);
}

function cellsOf({ name, unit, measured, baseline, target }: Row): readonly string[] {
  return [
    name,
    `${format(measured.median)} ${unit}`,
    `${format(measured.low)} .. ${format(measured.high)} (${measured.runs})`,
    baseline === undefined ? "" : `${format(baseline.median)} ${unit}`,
    target?.text ?? "",
    target === undefined ? "" : target.met ? "yes" : "NO",
  ];
}

/** Three significant digits. */
function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
