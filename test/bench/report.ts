/** What the benchmarks found: rows for people at a terminal, and the same as JSON. */
import type { Spread } from "./spread.ts";

export interface Row {
  readonly name: string;
  readonly unit: "ms" | "/s" | "MB" | "ratio";
  readonly measured: Spread;
  /** What it is measured against, taken in turn with it in the same run. */
  readonly against?: Spread;
  /** In words; absent where a row only informs. */
  readonly aim?: { readonly words: string; readonly met: boolean };
  readonly note?: string;
}

const columns = ["", "median", "p10 .. p90", "against", "aim", "met"] as const;

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

function cellsOf({ name, unit, measured, against, aim }: Row): readonly string[] {
  return [
    name,
    `${shown(measured.median)} ${unit}`,
    `${shown(measured.low)} .. ${shown(measured.high)} (${measured.runs})`,
    against === undefined ? "" : `${shown(against.median)} ${unit}`,
    aim?.words ?? "",
    aim === undefined ? "" : aim.met ? "yes" : "NO",
  ];
}

/** Three digits that count. */
function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
