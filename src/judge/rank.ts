/** Score floors, ranks and bands in one table, so that they cannot contradict each other. */

export const bands = ["good", "warn", "poor", "unknown"] as const;
export type Band = (typeof bands)[number];

export const ranks = ["excellent", "strong", "solid", "fair", "weak", "bad", "critical", "unknown"] as const;
export type Rank = (typeof ranks)[number];

/** Highest first; the first floor that the score reaches applies. */
const steps: readonly { readonly scoreMin: number; readonly rank: Rank; readonly band: Band }[] = [
  { scoreMin: 95, rank: "excellent", band: "good" },
  { scoreMin: 88, rank: "strong", band: "good" },
  { scoreMin: 80, rank: "solid", band: "good" },
  { scoreMin: 65, rank: "fair", band: "warn" },
  { scoreMin: 50, rank: "weak", band: "warn" },
  { scoreMin: 25, rank: "bad", band: "poor" },
  { scoreMin: 0, rank: "critical", band: "poor" },
];

/** Ranks of a band, highest first. */
export function ranksOf(band: Band): readonly Rank[] {
  return band === "unknown" ? ["unknown"] : steps.flatMap((step) => (step.band === band ? [step.rank] : []));
}

/** Rank and band of a score from 0 to 100; both `unknown` for null. */
export function standing(score: number | null): { readonly rank: Rank; readonly band: Band } {
  const step = score === null ? undefined : steps.find((row) => score >= row.scoreMin);
  return step === undefined ? { rank: "unknown", band: "unknown" } : { rank: step.rank, band: step.band };
}
