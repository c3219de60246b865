/** Results of planted faults: one JSON line each, and their table. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Fault } from "./faults.ts";

/** `unreached`: no test runs the line. `timedOut`: the tests did not end, as with a loop without an end. */
export type FaultOutcome = "noticed" | "timedOut" | "survived" | "unreached";

export interface FaultResult {
  readonly fault: Fault;
  /** Hash of the file before the fault. */
  readonly hash: string;
  readonly outcome: FaultOutcome;
  readonly seconds: number;
  /** Test files that ran. */
  readonly tests: readonly string[];
  /** First case that failed. */
  readonly failure: string;
  /** The whole line, without indentation. */
  readonly source: string;
}

export interface Results {
  /** The last result of each fault, by its id. */
  readonly latest: ReadonlyMap<string, FaultResult>;
  add(result: FaultResult): void;
}

export function openResults(file: string): Results {
  mkdirSync(dirname(file), { recursive: true });
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const latest = new Map<string, FaultResult>();
  for (const line of lines) {
    // The last line is cut if the program was killed while it wrote.
    const result = parsed(line);
    if (result !== null) latest.set(result.fault.id, result);
  }
  return {
    latest,
    add: (result) => {
      latest.set(result.fault.id, result);
      appendFileSync(file, `${JSON.stringify(result)}\n`);
    },
  };
}

function parsed(line: string): FaultResult | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

export function isSurvivor({ outcome }: FaultResult): boolean {
  return outcome === "survived" || outcome === "unreached";
}

const columns = ["folder", "planted", "noticed", "timed out", "survived", "unreached", "noticed %"];

/** Counts by folder, and each survivor with what was replaced. */
export function summary(results: readonly FaultResult[]): string {
  const folders = Map.groupBy(results, ({ fault }) => fault.path.split("/").slice(0, 2).join("/"));
  const rows = [...folders].sort(([one], [other]) => (one < other ? -1 : 1)).map(([folder, ofFolder]) => rowOf(folder, ofFolder));
  const table = [columns, ...rows, rowOf("all", results)];
  const widths = columns.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  const lines = table.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  "),
  );
  const survivors = results
    .filter(isSurvivor)
    .map(
      ({ fault, outcome, source }) => `${outcome} ${fault.id}\n  ${fault.original} -> ${fault.replacement || "(nothing)"}\n  in: ${source}`,
    );
  return [...lines, ...(survivors.length > 0 ? ["", ...survivors] : [])].join("\n");
}

function rowOf(name: string, results: readonly FaultResult[]): readonly string[] {
  const count = (outcome: FaultOutcome) => results.filter((result) => result.outcome === outcome).length;
  const share = results.length === 0 ? 0 : (count("noticed") + count("timedOut")) / results.length;
  const counts = [count("noticed"), count("timedOut"), count("survived"), count("unreached")];
  return [name, String(results.length), ...counts.map(String), (share * 100).toFixed(1)];
}
