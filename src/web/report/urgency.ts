/** Orders findings by urgency: score gain and severity against effort. */
import type { Effort, Severity } from "../../check/check.ts";
import type { StoredFinding } from "../../judge/result.ts";

const firstStepsMax = 3;
/** Factors by design: one critical finding outweighs several mild ones of equal points and effort. */
const severityFactor: Readonly<Record<Severity, number>> = { critical: 8, high: 5, medium: 3, low: 1, info: 0.25 };
const effortFactor: Readonly<Record<Effort, number>> = { low: 1, medium: 2, high: 4 };

export interface WeightedFinding {
  readonly finding: StoredFinding;
  /** Points that its check charges, or its weight by the rules of algorithm version 2; null in older results. */
  readonly points: number | null;
  /** Maximum score while the finding exists, 0 to 100; null for most. */
  readonly scoreCap: number | null;
}

/** Gain per effort; comparable only with other urgencies. */
export function urgencyOf({ finding: { severity, effort }, points }: WeightedFinding): number {
  return (severityFactor[severity] * (points ?? 1)) / effortFactor[effort];
}

/**
 * Picks at most three findings of different checks, without notes: lowest cap first, as only they raise the limit, then by urgency. Stable.
 */
export function fixFirst<T extends WeightedFinding>(findings: readonly T[]): readonly T[] {
  const sorted = findings
    .filter(({ points }) => points !== 0)
    .toSorted((one, other) => (one.scoreCap ?? 100) - (other.scoreCap ?? 100) || urgencyOf(other) - urgencyOf(one));
  const firstOfCheck = new Map<string, T>();
  for (const each of sorted) if (!firstOfCheck.has(each.finding.checkKey)) firstOfCheck.set(each.finding.checkKey, each);
  return [...firstOfCheck.values()].slice(0, firstStepsMax);
}
