/** Formats benchmark results as a table. */
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

const columns = ["", "median", "p10 .. p90", "baseline", "target", "met"] as const;

export function tableOf(rows: readonly Row[]): string {
  const lines = [columns, ...rows.map(cellsOf)];
  const widths = columns.map((_name, at) => Math.max(...lines.map((line) => (line[at] ?? "").length)));
  const text = lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const notes = rows.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`]));
  return [...text, ...(notes.length === 0 ? [] : ["", ...notes])].join("\n");
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
