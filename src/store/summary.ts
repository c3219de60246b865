/** Summary of a finished scan for lists, stored with the scan so that lists never read whole results. */
import { bands, isNote, type Rank, type ResultBasis, ranks, type StoredResult, standing } from "../judge/result.ts";
import { type Static, stored } from "./define-table.ts";

export const basisRow = stored.as<ResultBasis>(stored.row({ headerValueCharsMax: stored.number, dataDates: stored.objectOf() }));
export const summaryRow = stored.row({
  measured: stored.flag,
  /** 0 to 100; null when not measured. */
  score: stored.orNull(stored.number),
  band: stored.oneOf(bands),
  /** Missing in rows of older releases, where it follows from the score. */
  rank: stored.as<Rank>(stored.optional(stored.oneOf(ranks))),
  /** Violated rows of the ledger, without notes. */
  violated: stored.number,
  /** Scores are comparable only if both versions and the basis agree. */
  algorithmVersion: stored.unchecked<number>(),
  catalogVersion: stored.unchecked<string>(),
  /** Absent in summaries of algorithm version 2 and older. */
  basis: stored.optional(basisRow),
});
export type ScanSummary = Static<typeof summaryRow>;

export function scanSummaryOf({ ledger, ...result }: StoredResult): ScanSummary {
  const { measured, score, band, rank, algorithmVersion, catalogVersion, basis } = result;
  const violated = ledger.filter((row) => row.state === "violated" && !isNote(row)).length;
  return { measured, score, band, rank, violated, algorithmVersion, catalogVersion, ...(basis === undefined ? {} : { basis }) };
}

/** Score, band and rank for lists; `unknown` for a scan without summary. A summary without rank gets the rank of its score. */
export function listedScoreOf(
  summary: (Omit<ScanSummary, "rank"> & { readonly rank?: Rank }) | null,
): Pick<ScanSummary, "score" | "band" | "rank"> {
  const score = summary?.score ?? null;
  return { score, band: summary?.band ?? "unknown", rank: summary?.rank ?? standing(score).rank };
}
