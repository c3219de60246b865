/** Runs parts of the benchmarks one after another: rows appear as they are measured, and a part that fails ends no other. */
import { type Row, rowHead, rowText } from "./report.ts";

/** Rows at once, or one after another. */
export type BenchPart = () => AsyncIterable<Row> | Iterable<Row> | Promise<Iterable<Row>>;
export type BenchParts = Readonly<Record<string, BenchPart>>;

export interface BenchOutput {
  /** Rows, each as soon as it is measured. */
  readonly print: (text: string) => void;
  /** Progress and failures. */
  readonly note: (text: string) => void;
  /** Called after each part, also after a failed one: processes that it left would disturb the next one. */
  readonly cleanUp: () => Promise<void>;
}

export interface BenchResult {
  /** A failed part leaves the rows that it measured before its failure. */
  readonly rows: readonly Row[];
  readonly failed: readonly { readonly name: string; readonly because: string }[];
}

/** Names of the parts to run: the names in `only`, separated by commas. @throws Error for an unknown name, before anything is measured */
export function selectedParts(parts: BenchParts, only: string | undefined, onlyIfNamed: readonly string[]): readonly string[] {
  const known = Object.keys(parts);
  if (only === undefined) return known.filter((name) => !onlyIfNamed.includes(name));
  const names = only.split(",");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`there is no part "${unknown}"; choose from ${known.join(", ")}`);
  return names;
}

/** Its last lines name the failed parts. */
export async function runParts(parts: BenchParts, selected: readonly string[], output: BenchOutput): Promise<BenchResult> {
  const rows: Row[] = [];
  const failed: { name: string; because: string }[] = [];
  output.print(rowHead);
  for (const name of selected) {
    output.note(`${name} ...`);
    try {
      for await (const row of (await parts[name]?.()) ?? []) {
        rows.push(row);
        output.print(rowText(row));
      }
    } catch (error) {
      const because = error instanceof Error ? error.message : String(error);
      failed.push({ name, because });
      output.note(`${name} failed: ${because}`);
    }
    await output.cleanUp();
  }
  if (failed.length > 0) output.note(["", "failed:", ...failed.map(({ name, because }) => `  ${name}: ${because}`)].join("\n"));
  return { rows, failed };
}

export function exitCodeOf({ failed }: BenchResult): 0 | 1 {
  return failed.length === 0 ? 0 : 1;
}
