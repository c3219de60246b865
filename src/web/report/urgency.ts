/** Which findings to fix first: what lowers the score most and frightens most, for the least work. */
import type { Effort, Severity } from "../../check/check.ts";
import type { StoredFinding } from "../../judge/result.ts";

/** More would be a list again. */
const firstStepsMax = 3;
/** A critical finding outweighs several mild ones of the same points and effort; what is only said for information, all of them. */
const severityFactor: Readonly<Record<Severity, number>> = { critical: 8, high: 5, medium: 3, low: 1, info: 0.25 };
const effortFactor: Readonly<Record<Effort, number>> = { low: 1, medium: 2, high: 4 };

export interface Weighed {
  readonly finding: StoredFinding;
  /** Of its check; null in results that did not keep them. */
  readonly points: number | null;
  /** The score cannot rise above this while it stands, 0 to 100; null for most. */
  readonly scoreCap: number | null;
}

/** How much fixing it brings for its effort; only for putting findings in order. */
export function urgencyOf({ finding: { severity, effort }, points }: Weighed): number {
  return (severityFactor[severity] * (points ?? 1)) / effortFactor[effort];
}

/** At most three, one of a check: a cap first, since no other work raises the score above it, then by urgency. Equal ones keep their order. */
export function fixFirst<T extends Weighed>(findings: readonly T[]): readonly T[] {
  const inOrder = findings.toSorted((one, other) => (one.scoreCap ?? 100) - (other.scoreCap ?? 100) || urgencyOf(other) - urgencyOf(one));
  const ofEachCheck = new Map<string, T>();
  for (const each of inOrder) if (!ofEachCheck.has(each.finding.checkKey)) ofEachCheck.set(each.finding.checkKey, each);
  return [...ofEachCheck.values()].slice(0, firstStepsMax);
}
