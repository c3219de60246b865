/** Computes the score from the ledger by the formula of `docs/scoring.md`. */
import type { State } from "../check/check.ts";

/** Below this share of the applicable weight, a score would be a guess. */
const ranWeightShareMin = 0.5;

export interface ScoredRow {
  readonly state: State;
  readonly weight: number;
}

/** Null if the document was not read, or under half of the applicable weight ran. Only a ledger without violations reaches 100. */
export function scoreOf(rows: readonly ScoredRow[], scoreCaps: readonly number[], documentRead: boolean): number | null {
  const weightOf = (...states: readonly State[]) =>
    rows.filter((row) => states.includes(row.state)).reduce((sum, row) => sum + row.weight, 0);
  const ran = weightOf("passed", "violated");
  const applicable = ran + weightOf("notChecked");
  if (!documentRead || ran === 0 || ran < applicable * ranWeightShareMin) return null;
  const share = Math.round((100 * weightOf("passed")) / ran);
  const ceiling = rows.some((row) => row.state === "violated") ? 99 : 100;
  return Math.min(share, ceiling, ...scoreCaps);
}
