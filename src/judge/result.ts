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

/** True for a violated row of weight 0, which is reported without effect on the score. */
export function isNote({ state, weight }: LedgerRow): boolean {
  return state === "violated" && weight === 0;
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

/** What a verdict depends on besides the rules and the site. Scores are comparable only if this agrees too. */
export interface ResultBasis {
  /** Longest header value that was read, in characters. */
  readonly headerValueCharsMax: number;
  /** Date of each data file that the scan used, `YYYY-MM-DD`, by name of its reading; `publicSuffixes` if not the embedded list. */
  readonly dataDates: Readonly<Record<string, string>>;
}

export interface StoredResult {
  readonly algorithmVersion: number;
  readonly catalogVersion: string;
  /** Absent in results of algorithm version 2 and older. */
  readonly basis?: ResultBasis;
  readonly measured: boolean;
  /** 0 to 100; null if not measured. */
  readonly score: number | null;
  readonly band: Band;
  readonly rank: Rank;
  /** One row per check of the catalog. */
  readonly ledger: readonly LedgerRow[];
  readonly findings: readonly StoredFinding[];
}
