/** Judged result as stored: codes and values, never sentences. */
import type { Effort, RiskLevel, Severity, State } from "../check/check.ts";
import type { FindingValues } from "../check/verdict.ts";
import type { Band, Rank } from "./rank.ts";

/** Increased when rules of the ledger or the score change. Scores are comparable only with equal versions. */
export const algorithmVersion = 3;

/** Reason for `notChecked`, for the full report and the log; the API's security block omits it. */
export type NotCheckedBecause = `${string}: ${string}` | "header-truncated" | "headers-dropped" | "check-undecided" | "check-failed";

export interface LedgerRow {
  readonly key: string;
  readonly state: State;
  /** Weight of the check at the time of judging. Absent in results from older versions. */
  readonly weight?: number;
  /** Points that a violated row takes from the score. Absent in other rows, and in results of algorithm version 2 and older. */
  readonly charged?: number;
  /** Evidence used: names of readings, `subject`, and `headers.<name>` for declared header fields. */
  readonly evidence: readonly string[];
  readonly notCheckedBecause?: NotCheckedBecause;
}

/** Severity, risk level and effort are copied, so that stored results never change with a definition. */
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
  /** 0 to 100; null if not measured. */
  readonly score: number | null;
  readonly band: Band;
  readonly rank: Rank;
  /** One row per check of the catalog. */
  readonly ledger: readonly LedgerRow[];
  readonly findings: readonly StoredFinding[];
}
