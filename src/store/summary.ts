/** Summary of a finished scan for lists, stored with the scan so that lists never read whole results. */
import { type Band, type Rank, standing } from "../judge/rank.ts";
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

/** Score, band and rank for lists; `unknown` for a scan without summary. A summary without rank has that of its score. */
export function listedScoreOf(
  summary: (Omit<ScanSummary, "rank"> & { readonly rank?: Rank }) | null,
): Pick<ScanSummary, "score" | "band" | "rank"> {
  const score = summary?.score ?? null;
  return { score, band: summary?.band ?? "unknown", rank: summary?.rank ?? standing(score).rank };
}
