/** Summary of a finished scan for lists, stored with the scan so that lists never read whole results. */
import type { Band, Rank } from "../judge/rank.ts";
import type { StoredResult } from "../judge/result.ts";

export interface ScanSummary {
  readonly measured: boolean;
  /** 0 to 100; null when not measured. */
  readonly score: number | null;
  readonly band: Band;
  readonly rank: Rank;
  /** Violated rows of the ledger. */
  readonly violated: number;
  /** Scores are comparable only if both versions are equal. */
  readonly algorithmVersion: number;
  readonly catalogVersion: string;
}

export function scanSummaryOf({ measured, score, band, rank, ledger, algorithmVersion, catalogVersion }: StoredResult): ScanSummary {
  const violated = ledger.filter(({ state }) => state === "violated").length;
  return { measured, score, band, rank, violated, algorithmVersion, catalogVersion };
}
