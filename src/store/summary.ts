/** Summary of a finished scan for lists, stored with the scan so that lists never read whole results. */
import type { Band, Rank } from "../judge/rank.ts";
import { isNote, type ResultBasis, type StoredResult } from "../judge/result.ts";

export interface ScanSummary {
  readonly measured: boolean;
  /** 0 to 100; null when not measured. */
  readonly score: number | null;
  readonly band: Band;
  readonly rank: Rank;
  /** Violated rows of the ledger, without notes. */
  readonly violated: number;
  /** Scores are comparable only if both versions and the basis agree. */
  readonly algorithmVersion: number;
  readonly catalogVersion: string;
  /** Absent in summaries of algorithm version 2 and older. */
  readonly basis?: ResultBasis;
}

export function scanSummaryOf({ ledger, ...result }: StoredResult): ScanSummary {
  const { measured, score, band, rank, algorithmVersion, catalogVersion, basis } = result;
  const violated = ledger.filter((row) => row.state === "violated" && !isNote(row)).length;
  return { measured, score, band, rank, violated, algorithmVersion, catalogVersion, ...(basis === undefined ? {} : { basis }) };
}
