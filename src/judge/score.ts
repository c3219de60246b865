/** Computes the score from the ledger by the formula of `docs/scoring.md`. */
import type { State } from "../check/check.ts";
import type { LedgerRow, StoredResult } from "./result.ts";

/** Below this share of the applicable weight, a score would be a guess. */
const ranWeightShareMin = 0.5;
/** Share of the score that remains after each charged point. */
const remainingSharePerPoint = 0.99;
/** A check of this weight protects every visitor. */
const mainDefenceWeightMin = 8;
/** Maximum score while a main defence could not be read. */
export const unreadDefenceScoreMax = 79;
/** First version of the algorithm with charges and with that maximum. */
const chargesVersionMin = 3;

export interface ScoredRow {
  readonly state: State;
  readonly weight: number;
  /** Points that the findings of a violated row charge; the weight by default. */
  readonly charged?: number;
  /** See `LedgerRow`. */
  readonly scoreMax?: number;
}

/** Score; null if not all that it needs was read, or less than half of the applicable weight ran. Only a ledger without charges gives 100. */
export function scoreOf(rows: readonly ScoredRow[], scoreCaps: readonly number[], isRead: boolean): number | null {
  const weightOf = (...states: readonly State[]) =>
    rows.filter((row) => states.includes(row.state)).reduce((sum, row) => sum + row.weight, 0);
  const ran = weightOf("passed", "violated");
  const applicable = ran + weightOf("notChecked");
  if (!isRead || ran === 0 || ran < applicable * ranWeightShareMin) return null;
  const charged = rows.reduce((sum, row) => sum + (row.state === "violated" ? (row.charged ?? row.weight) : 0), 0);
  const remaining = remainingScore(charged);
  return Math.min(remaining, unreadScoreMax(rows), ...scoreCaps);
}

/** Score after the given number of charged points, without any cap. Only 0 points give 100. */
export function remainingScore(charged: number): number {
  return Math.min(Math.round(100 * remainingSharePerPoint ** charged), charged > 0 ? 99 : 100);
}

/** False for results of older versions, whose score is the share of the passed weight. */
export function hasCharges({ algorithmVersion }: Pick<StoredResult, "algorithmVersion">): boolean {
  return algorithmVersion >= chargesVersionMin;
}

/** Maximum score by the rows without a verdict. */
export function unreadScoreMax(rows: readonly (Pick<ScoredRow, "state" | "scoreMax"> & { readonly weight?: number })[]): number {
  return Math.min(100, ...rows.filter(isUnreadDefence).map(({ scoreMax = unreadDefenceScoreMax }) => scoreMax));
}

/** Rows that limit the score, because a main defence could not be read; none without a score. */
export function heavyUnreadRows({ algorithmVersion, score, ledger }: StoredResult): readonly LedgerRow[] {
  return score === null || !hasCharges({ algorithmVersion }) ? [] : ledger.filter(isUnreadDefence);
}

/** True for a row without a verdict whose check protects every visitor: nothing is called good while such a row is unread. */
function isUnreadDefence({ state, weight = 0 }: { readonly state: State; readonly weight?: number }): boolean {
  return state === "notChecked" && isMainDefence(weight);
}

/** True if a check of this weight limits the score while it has no verdict. */
export function isMainDefence(weight: number): boolean {
  return weight >= mainDefenceWeightMin;
}
