/** Clock of watched sites: starts runs that are due, concludes those that have ended, and notices certificates that expire. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { type Log, messageOf } from "../base/log.ts";
import { dayMs, hourMs, minuteMs } from "../base/units.ts";
import type { SiteSchedule } from "../parse/site-csv.ts";
import type { Site } from "../store/sites.ts";
import type { Store } from "../store/store.ts";
import { cancelOldRuns, concludeEndedRuns } from "./conclude-run.ts";
import { acceptedChange, certificateDaysLeft, certificateNoticeDaysMax, dueThresholds, noticeCertificate } from "./run-changes.ts";
import { correctedTimes, createRunStarter, eachApart, includedSites, type SitesMaxOf, withoutPlannedRun } from "./run-starts.ts";
import { demandPerHour } from "./schedule.ts";
import type { SiteNetworks } from "./site-networks.ts";

const tickMsDefault = 10_000;
/** Interval of rounds over all sites. */
const roundMs = 10 * minuteMs;
/** Interval of removals of old events and deliveries. */
const tidyMs = hourMs;

export interface SiteTickerOptions {
  readonly store: Pick<Store, "sites" | "siteRuns" | "scans" | "results" | "evidence" | "accounts" | "deliveries">;
  readonly clock: Clock;
  /** False while no scan can succeed, as without a browser: then no run starts. Concluding goes on. */
  readonly ready?: () => boolean;
  /** False postpones the runs of a site by some minutes, as while its location has no workers. */
  readonly mayBeScanned?: (site: Site) => boolean;
  /** Scans at a time of a location. Absent: first runs start as soon as they are due. */
  readonly slotsOf?: (location: string) => number;
  /** Null: runs of one network are not limited. */
  readonly networks?: SiteNetworks | null;
  /** Absent: all sites are scanned by schedule. */
  readonly sitesMaxOf?: SitesMaxOf;
  /** Called after scans were queued. */
  readonly wake: () => void;
  /** Called after events were stored, whose deliveries may wait. */
  readonly onEvents?: () => void;
  readonly log: Log;
}

export interface SiteClockOptions extends SiteTickerOptions {
  readonly tickMs?: number;
}

export type SiteClock = ReturnType<typeof startSiteClock>;

/** Begins with a first tick, which concludes what an earlier process left. Never two ticks at once. */
export function startSiteClock({ tickMs = tickMsDefault, ...options }: SiteClockOptions) {
  const ticker = createSiteTicker(options);
  let stopped = false;
  let running: Promise<void> | null = null;
  let requested: "all" | "ended" | null = null;

  async function work(): Promise<void> {
    while (requested !== null && !stopped) {
      const isWhole = requested === "all";
      requested = null;
      await (isWhole ? ticker.tick() : ticker.conclude());
    }
    running = null;
  }

  function request(what: "all" | "ended"): void {
    if (stopped) return;
    if (requested !== "all") requested = what;
    running ??= work();
  }

  const endTicks = options.clock.every(tickMs, () => request("all"));
  request("all");
  return {
    waiting: ticker.waiting,
    /** A scan has ended, of a site or not; its outcome is stored. */
    scanEnded: (_token: string): void => request("ended"),
    /** Looks at everything now. */
    wake: (): void => request("all"),
    /** Resolves when nothing of the clock uses the store any more. */
    stop: async (): Promise<void> => {
      stopped = true;
      endTicks();
      await running;
    },
  };
}

export type SiteTicker = ReturnType<typeof createSiteTicker>;

/** The work of the clock, without its time. No method throws: what failed is logged, and done at the next tick. */
export function createSiteTicker(options: SiteTickerOptions) {
  const { store, clock, ready = () => true, wake, onEvents = () => {}, log } = options;
  const { mayBeScanned = () => true, sitesMaxOf = () => Number.POSITIVE_INFINITY } = options;
  const { slotsOf = () => Number.POSITIVE_INFINITY, networks = null } = options;
  const starter = createRunStarter({ store, clock, mayBeScanned, slotsOf, networks, sitesMaxOf, wake, log });
  const isRoundDue = createInterval(roundMs);
  const isTidyDue = createInterval(tidyMs);
  const unread = new Map<number, number>();
  let demand = 0;

  async function conclude(): Promise<void> {
    if ((await concludeEndedRuns({ store, clock, log })) > 0) onEvents();
  }

  async function walk(): Promise<void> {
    await cancelOldRuns({ store, clock, log });
    const round = await walkSites({ store, clock, sitesMaxOf, unread, log });
    demand = round.demandPerHour;
    const corrected = await store.deliveries.correctTimes(clock.now());
    if (round.events + corrected > 0) onEvents();
  }

  async function start(): Promise<void> {
    if (ready()) await starter.startDue(demand);
  }

  async function tidy(): Promise<void> {
    while (await store.deliveries.removeOlder(clock.now())) await nextTurn();
  }

  /** Each step is apart: a full disk at one must not keep the log from naming the others. */
  async function attempt(step: () => Promise<void>, event: string): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      log.error(event, { because: messageOf(error) });
      return false;
    }
  }

  return {
    waiting: starter.waiting,
    /** Only what follows from scans that have ended: also first runs that waited for a slot. */
    conclude: async (): Promise<void> => {
      await attempt(conclude, "runs of sites not concluded");
      if (starter.isFirstLeft()) await attempt(start, "runs of sites not started");
    },
    /** Everything that is due. */
    tick: async (): Promise<void> => {
      await attempt(conclude, "runs of sites not concluded");
      await isRoundDue(clock.now(), () => attempt(walk, "sites not examined"));
      await attempt(start, "runs of sites not started");
      await isTidyDue(clock.now(), () => attempt(tidy, "old events not removed"));
    },
  };
}

/** Runs an action if its last success is long enough ago, also by a clock that was set back. */
function createInterval(everyMs: number): (now: Date, action: () => Promise<boolean>) => Promise<void> {
  let lastMs: number | null = null;
  return async (now, action) => {
    const nowMs = now.getTime();
    if (lastMs !== null && nowMs >= lastMs && nowMs - lastMs < everyMs) return;
    if (await action()) lastMs = nowMs;
  };
}

/** A certificate that was read longer ago is read again before a notice, which waits no longer for it. */
const freshMs = dayMs;
/** Sites that are examined without a pause: a pattern of cron can take a part of a millisecond. */
const sitesAtOnce = 50;

interface RoundOptions extends Required<Pick<SiteTickerOptions, "clock" | "sitesMaxOf" | "log">> {
  readonly store: Pick<Store, "sites" | "siteRuns" | "accounts">;
  /** Time since which the certificate of a site must be read again before a notice, by the id of the site. Kept from round to round. */
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
      await eachApart(log, "site could not be examined", site.id, async () => {
        events += included ? await visitSite({ store, unread }, site, clock.now()) : await passOver(store, site);
      });
      if (++visited % sitesAtOnce === 0) await nextTurn();
    }
    events += (await store.siteRuns.reportRules(account.id, clock.now())).length;
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
