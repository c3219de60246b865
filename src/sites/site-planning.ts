/** When the runs of a site are due after it was added or changed. */
import type { NewSite, Site, SiteChange } from "../store/sites.ts";
import { nextRunAfter, nextRuns } from "./schedule.ts";
import type { SiteFields } from "./site-fields.ts";

/** Next runs that are shown. */
const shownRuns = 3;

/** Key by which runs are spread over the window of an interval. Known before the site has an id. */
export function scheduleKeyOf({ accountId, url }: Pick<Site, "accountId" | "url">): string {
  return `${accountId} ${url}`;
}

/** An interval starts at once, since the clock spreads the starts. Cron keeps its times. */
export function plannedSite(fields: SiteFields, accountId: number, now: Date): NewSite {
  return { ...fields, accountId, nextRunAt: firstRunAt({ ...fields, accountId, lastRunAt: null }, now), now };
}

/** The change with its effects on the planned runs. */
export function plannedChange(site: Site, change: Partial<SiteFields>, now: Date): SiteChange {
  const changed = { ...site, ...change };
  if (changed.paused) return { ...change, nextRunAt: null, secondLookAt: null };
  // Nothing is known of another address yet.
  if (changed.url !== site.url) return { ...change, nextRunAt: firstRunAt({ ...changed, lastRunAt: null }, now) };
  if (!site.paused && (change.schedule === undefined || isSameSchedule(site.schedule, change.schedule))) return change;
  return { ...change, nextRunAt: firstRunAt(changed, now) };
}

/** Instants of the next runs, the earliest first; none while the site is paused. */
export function shownRunsOf(site: Site): readonly string[] {
  if (site.nextRunAt === null) return [];
  const further = nextRuns(site.schedule, scheduleKeyOf(site), new Date(site.nextRunAt), shownRuns - 1);
  return [site.nextRunAt, ...further.map((run) => run.toISOString())];
}

function firstRunAt(site: Pick<Site, "accountId" | "url" | "schedule" | "lastRunAt">, now: Date): string {
  if ("every" in site.schedule && site.lastRunAt === null) return now.toISOString();
  return nextRunAfter(site.schedule, scheduleKeyOf(site), now).toISOString();
}

function isSameSchedule(one: Site["schedule"], other: Site["schedule"]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
