/** Score of a site about a month ago, and whether today's may be compared with it. */
import { dayMs } from "../../base/units.ts";
import { localLocation } from "../../parse/location.ts";
import type { SiteHistoryEntry } from "../../store/site-runs.ts";
import type { Site, SiteReading } from "../../store/sites.ts";
import { sameRules } from "../../text/comparison.ts";
import type { ClientReportStore } from "./collect.ts";

/** Age of the score that today's is compared with. */
const comparedDays = 30;
/** An entry of the history may be so much older or younger. */
const toleranceDays = 15;

export interface EarlierScore {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly score: number;
  /** Today's score minus the earlier one; null if the two cannot be compared. */
  readonly delta: number | null;
}

/** Null before the first measured run, and without an entry of about that age. */
export function earlierScore(store: ClientReportStore, site: Site, now: Date): EarlierScore | null {
  const { reading } = site;
  const wantedMs = now.getTime() - comparedDays * dayMs;
  const distanceMs = ({ at }: SiteHistoryEntry) => Math.abs(Date.parse(at) - wantedMs);
  const [nearest] = store.siteRuns
    .historyNear(site.id, new Date(wantedMs))
    .filter((entry) => reading !== null && entry.at < reading.at && distanceMs(entry) <= toleranceDays * dayMs)
    .toSorted((one, other) => distanceMs(one) - distanceMs(other));
  if (reading === null || nearest === undefined) return null;
  const { at, score } = nearest;
  return { at, score, delta: isComparable(store, site, nearest, reading) ? reading.score - score : null };
}

/** By the scans of the first address. Without one of them, its rules are not known. */
function isComparable({ scans }: ClientReportStore, site: Site, earlier: SiteHistoryEntry, reading: SiteReading): boolean {
  const [before, after] = [scans.findByToken(earlier.token), scans.findByToken(reading.token)];
  if (before === undefined || after === undefined || before.summary === null || after.summary === null) return false;
  const samePlace = before.url === after.url && (before.location ?? localLocation) === (after.location ?? localLocation);
  return samePlace && after.url === site.url && sameRules(before.summary, after.summary);
}
