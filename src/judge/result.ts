/** The judged result as it is stored: codes and values, never sentences. */
import type { Effort, RiskLevel, Severity, State } from "../check/check.ts";
import type { FindingValues } from "../check/verdict.ts";
import type { Band, Rank } from "./rank.ts";

/** Rises when the ledger's or the score's rules change, so that two scores are compared only when it is equal. */
export const algorithmVersion = 2;

/** Why a row is `notChecked`; for the full report and the log, not part of the security block. */
export type NotCheckedBecause = `${string}: ${string}` | "header-truncated" | "headers-dropped" | "check-undecided" | "check-failed";

export interface LedgerRow {
  readonly key: string;
  readonly state: State;
  /** Of the check when it was judged: what the row can add to the score. Results from before this was kept have none. */
  readonly weight?: number;
  /** What the verdict rests on: names of readings, `subject`, and `headers.<name>` for header fields that the check declared. */
  readonly evidence: readonly string[];
  readonly notCheckedBecause?: NotCheckedBecause;
}

/** Severity, risk level and effort are copied in: a stored result never changes when a definition does. */
export interface StoredFinding {
  readonly code: string;
  readonly checkKey: string;
  readonly severity: Severity;
  readonly riskLevel: RiskLevel;
  readonly effort: Effort;
  readonly values: FindingValues;
}

export interface StoredResult {
  readonly algorithmVersion: number;
  readonly catalogVersion: string;
  readonly measured: boolean;
  /** 0 to 100; null when not measured, never zero in its place. */
  readonly score: number | null;
  readonly band: Band;
  readonly rank: Rank;
  /** One row per check of the catalog: complete. */
  readonly ledger: readonly LedgerRow[];
  readonly findings: readonly StoredFinding[];
}
