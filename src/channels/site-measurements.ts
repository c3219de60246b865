/** Measurements around the events of a site, for mails that show before and after. Only confirmed runs are in the history. */
import type { EventSite, StoredEvent } from "../store/site-events.ts";
import type { SiteHistoryEntry } from "../store/site-runs.ts";
import type { Store } from "../store/store.ts";

export interface SiteMeasurements {
  /** The last one before the events; null without one. */
  readonly before: SiteHistoryEntry | null;
  /** The one that the newest event is about; null if no run measured the site then. */
  readonly after: SiteHistoryEntry | null;
  /** When a run first showed what is worse now. */
  readonly since: string;
}

/** `events`: at least one, the worst first. */
export function measurementsOf(
  runs: Pick<Store["siteRuns"], "historyNear">,
  { id }: Pick<EventSite, "id">,
  events: readonly StoredEvent[],
): SiteMeasurements {
  const times = events.map(({ at }) => at).toSorted();
  const [first = "", last = ""] = [times[0], times.at(-1)];
  const justBefore = new Date(Date.parse(first) - 1);
  const before = runs.historyNear(id, justBefore).find(({ at }) => at < first) ?? null;
  // A run, its entry and its events have the same time.
  const after = runs.historyNear(id, new Date(last)).find(({ at }) => times.includes(at)) ?? null;
  const begins = events.flatMap((event) => (event.type === "finding.opened" ? (event.data.since ?? []) : []));
  return { before, after, since: [...begins, first].toSorted()[0] ?? first };
}
