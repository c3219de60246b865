/** What lists show of a finished scan, kept with it so that they never read whole results. */
import type { Band, Rank } from "../judge/rank.ts";
import type { StoredResult } from "../judge/result.ts";

export interface ScanSummary {
  readonly measured: boolean;
  /** 0 to 100; null when not measured. */
  readonly score: number | null;
  readonly band: Band;
  readonly rank: Rank;
  /** Rows of the ledger that are violated. */
  readonly violated: number;
  /** Two scores compare only where both versions are equal. */
  readonly algorithmVersion: number;
  readonly catalogVersion: string;
}

export function summaryOf({ measured, score, band, rank, ledger, algorithmVersion, catalogVersion }: StoredResult): ScanSummary {
  const violated = ledger.filter(({ state }) => state === "violated").length;
  return { measured, score, band, rank, violated, algorithmVersion, catalogVersion };
}
