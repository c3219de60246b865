/** Compares pairs of generated sites: an improvement never lowers the score, and a worsening never raises it. */
import fc from "fast-check";
import { anySite } from "../unit/judge/site-laws/any-site.ts";
import { breachOf, pairOf } from "../unit/judge/site-laws/site-law.ts";

const breachesMax = 5;

export interface SitePairsOutcome {
  readonly pairs: number;
  /** Number of pairs whose scores differ. */
  readonly moved: number;
  readonly failures: readonly string[];
}

export function compareSitePairs(count: number): SitePairsOutcome {
  const failures = new Set<string>();
  let pairs = 0;
  let moved = 0;
  const compare = fc.property(anySite, fc.nat({ max: 10_000 }), (site, choice) => {
    const pair = pairOf(site, choice);
    const breach = breachOf(pair);
    pairs++;
    if (pair.better.score !== pair.worse.score) moved++;
    if (breach !== null && failures.size < breachesMax) failures.add(`sites: ${breach} on ${JSON.stringify(site)}`);
  });
  fc.assert(compare, { numRuns: count });
  return { pairs, moved, failures: [...failures] };
}
