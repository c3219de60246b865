/** JSON bodies of sites, their runs, history and events. */
import { shownRunsOf } from "../../sites/site-planning.ts";
import type { StoredEvent } from "../../store/site-events.ts";
import type { SiteHistoryEntry, SiteRun } from "../../store/site-runs.ts";
import type { NewSite, Site } from "../../store/sites.ts";
import { statusUrlOf } from "../own-scan.ts";

/** A site in a list. `run`: under way, if any. */
export function siteBody(site: Site, run: SiteRun | undefined): object {
  const { id, name, url, pages, client, tags, location, schedule, paused, accepted, createdAt, nextRunAt, lastRunAt } = site;
  const { secondLookAt, failingSince, reading, trend } = site;
  return {
    ...{ id, name, url, pages, client, tags, location, schedule, paused, accepted, createdAt, nextRunAt, secondLookAt, lastRunAt },
    run: run === undefined ? null : runBody(run),
    failingSince,
    reading: reading === null ? null : { ...reading, statusUrl: statusUrlOf(reading.token) },
    trend,
  };
}

/** One site: also its next runs. */
export function fullSiteBody(site: Site, run: SiteRun | undefined): object {
  return { ...siteBody(site, run), nextRuns: shownRunsOf(site) };
}

export function runBody({ kind, startedAt, scans }: SiteRun): object {
  return { kind, startedAt, scans: scans.map(({ url, token }) => ({ url, token, statusUrl: statusUrlOf(token) })) };
}

/** A site of a bulk answer; `id` is null for one that is only planned. */
export function addedSiteBody(site: Site | NewSite): object {
  const { name, url, pages, client, tags, location, schedule, paused, nextRunAt } = site;
  return { id: "id" in site ? site.id : null, name, url, pages, client, tags, location, schedule, paused, nextRunAt };
}

export function historyBody({ at, token, score, band, rank, open }: SiteHistoryEntry): object {
  return { at, token, statusUrl: statusUrlOf(token), score, band, rank, open };
}

export function eventBody({ id, type, at, site, token, data }: StoredEvent): object {
  return { id, type, at, site, token, statusUrl: token === null ? null : statusUrlOf(token), data };
}
