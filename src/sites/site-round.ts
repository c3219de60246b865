/** Round over all watched sites: notices of certificates, wrong times, and the runs that the sites need. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { messageOf } from "../base/log.ts";
import { dayMs } from "../base/units.ts";
import type { SiteSchedule } from "../parse/site-csv.ts";
import { DataDirError } from "../store/data-dir.ts";
import type { Site } from "../store/sites.ts";
import type { Store } from "../store/store.ts";
import type { SiteTickerOptions } from "./clock.ts";
import { acceptedChange, certificateDaysLeft, certificateNoticeDaysMax, dueThresholds, noticeCertificate } from "./run-changes.ts";
import { correctedTimes, includedSites, withoutPlannedRun } from "./run-starts.ts";
import { demandPerHour } from "./schedule.ts";

/** A certificate that was read longer ago is read again before a notice, which waits no longer for it. */
const freshMs = dayMs;
/** Sites that are examined without a pause: a pattern of cron can take a part of a millisecond. */
const sitesAtOnce = 50;

export interface RoundOptions extends Required<Pick<SiteTickerOptions, "clock" | "sitesMaxOf" | "log">> {
  readonly store: Pick<Store, "sites" | "siteRuns" | "accounts">;
  /** Since when the certificate of a site is to be read again before a notice, by its id. Kept from round to round. */
  readonly unread: Map<number, number>;
}

/** Returns the mean number of regular runs per hour, and the number of events. Other work goes on between some sites. @throws DataDirError */
export async function walkSites({ store, clock, sitesMaxOf, unread, log }: RoundOptions) {
  const isIncluded = includedSites(store, sitesMaxOf);
  const schedules: SiteSchedule[] = [];
  let [events, visited] = [0, 0];
  for (const account of store.accounts.list()) {
    if (account.disabled) continue;
    for (const site of store.sites.list(account.id)) {
      if (site.paused) continue;
      const included = isIncluded(site);
      if (included) schedules.push(site.schedule);
      try {
        events += included ? await visitSite({ store, unread }, site, clock.now()) : await passOver(store, site);
      } catch (error) {
        if (error instanceof DataDirError) throw error;
        log.error("site could not be examined", { site: site.id, because: messageOf(error) });
      }
      if (++visited % sitesAtOnce === 0) await nextTurn();
    }
    await nextTurn();
  }
  return { demandPerHour: demandPerHour(schedules, clock.now()), events };
}

/** Nothing reads its certificate any more, so nothing is reported of it. */
async function passOver({ sites }: RoundOptions["store"], { accountId, id, nextRunAt }: Site): Promise<number> {
  if (nextRunAt !== null) await sites.change(accountId, id, () => withoutPlannedRun);
  return 0;
}

/** An acceptance that has ended makes its finding an open one of the lists, before the next run reports it. */
async function recountOpen({ sites, siteRuns }: RoundOptions["store"], { accountId, id, accepted }: Site, now: Date): Promise<void> {
  const today = now.toISOString().slice(0, 10);
  if (!accepted.some(({ until }) => until !== null && until < today)) return;
  const recounted = (site: Site) => acceptedChange(site, site.accepted, siteRuns.state(id), now);
  const stored = sites.find(accountId, id);
  if (stored === undefined || stored.reading?.open === recounted(stored).reading?.open) return;
  await sites.change(accountId, id, recounted);
}

async function visitSite({ store, unread }: Pick<RoundOptions, "store" | "unread">, site: Site, now: Date): Promise<number> {
  if (correctedTimes(site, now) !== null)
    await store.sites.change(site.accountId, site.id, (current) => correctedTimes(current, now) ?? {});
  await recountOpen(store, site, now);
  const expiresAt = site.reading?.certificateExpiresAt;
  if (expiresAt === null || (expiresAt !== undefined && certificateDaysLeft(expiresAt, now) > certificateNoticeDaysMax)) return 0;
  const { certificate } = store.siteRuns.state(site.id);
  if (certificate === null || dueThresholds(certificate, now).length === 0) {
    unread.delete(site.id);
    return 0;
  }
  if (mustBeRead(unread, site, now)) {
    await store.sites.change(site.accountId, site.id, (current) => runNow(current, now));
    return 0;
  }
  if (store.siteRuns.find(site.id) !== undefined) return 0;
  const notice = await store.siteRuns.noteState(site, (_site, state) => noticeCertificate(state, now) ?? { state, events: [] }, now);
  return notice.length;
}

/** A certificate that was read days ago may be renewed by now: also after an outage, or while the clock is wrong. */
function mustBeRead(unread: Map<number, number>, { id, lastRunAt }: Site, now: Date): boolean {
  const nowMs = now.getTime();
  if (lastRunAt !== null && Math.abs(nowMs - Date.parse(lastRunAt)) < freshMs) return false;
  const sinceMs = unread.get(id) ?? nowMs;
  // After the clock was set back, the time lies ahead.
  unread.set(id, Math.min(sinceMs, nowMs));
  return nowMs - sinceMs < freshMs;
}

function runNow({ nextRunAt }: Site, now: Date): Pick<Site, "nextRunAt"> {
  return { nextRunAt: nextRunAt !== null && Date.parse(nextRunAt) < now.getTime() ? nextRunAt : now.toISOString() };
}
