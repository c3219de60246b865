/** Starts the runs of sites that are due, within the budget. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Log, messageOf } from "../base/log.ts";
import { hourMs, minuteMs } from "../base/units.ts";
import { DataDirError } from "../store/data-dir.ts";
import type { Site, SiteChange } from "../store/sites.ts";
import type { Store } from "../store/store.ts";
import type { SiteTickerOptions } from "./clock.ts";
import { includedSites } from "./included-sites.ts";
import { dueRun, nextRunAfter } from "./schedule.ts";
import { scheduleKeyOf } from "./site-planning.ts";
import { createAdmission, type RecentStart, type RunCandidate } from "./start-budget.ts";

/** Due sites that one call looks at, the earliest first. */
const dueMax = 5_000;
/** Due sites that are looked at without a pause. */
const sitesAtOnce = 200;
/** Pause of a site that may not be scanned now. */
const postponedMs = 10 * minuteMs;
/** Second looks are planned minutes ahead; one that is planned later comes from a clock that was set back. */
const secondLookAheadMsMax = hourMs;

export interface RunStarterOptions extends Required<Pick<SiteTickerOptions, "clock" | "mayBeScanned" | "sitesMaxOf" | "log">> {
  readonly store: Pick<Store, "sites" | "siteRuns" | "accounts">;
}

export interface RunStarter {
  /** Returns the number of runs. @throws DataDirError, after which the rest is left to the next call. */
  startDue(demandPerHour: number): Promise<number>;
}

interface Candidate extends RunCandidate {
  readonly site: Site;
  readonly isRegular: boolean;
}

export function createRunStarter({ store, clock, mayBeScanned, sitesMaxOf, log }: RunStarterOptions): RunStarter {
  let recentStarts = recentStartsOf(store, clock.now());

  /** Whether the run has started. `fullFor`: by location, the fewest scans for which its queue has no space. */
  async function start({ site, kind: startKind, isRegular }: Candidate, fullFor: Map<string, number>): Promise<boolean> {
    const scans = 1 + site.pages.length;
    if (scans >= (fullFor.get(site.location) ?? Number.POSITIVE_INFINITY)) return false;
    const at = clock.now();
    const nextRunAt = isRegular ? nextRunAfter(site.schedule, scheduleKeyOf(site), at) : undefined;
    const kind = isRegular ? "scheduled" : "second-look";
    const run = await store.siteRuns.start({ accountId: site.accountId, siteId: site.id, kind, nextRunAt, now: at });
    // The row of the site stays due.
    if (run === "full") fullFor.set(site.location, scans);
    if (typeof run === "string") return false;
    recentStarts.push({ atMs: at.getTime(), accountId: site.accountId, kind: startKind });
    log.debug("run of a site started", { site: site.id, kind, scans: run.scans.length });
    return true;
  }

  /** Null for a site that does not run now. */
  async function candidateOf(site: Site, isIncluded: boolean): Promise<Candidate | null> {
    if (store.siteRuns.find(site.id) !== undefined) return null;
    const change = changeInsteadOfRun(site);
    if (change === null && isIncluded) return asCandidate(site, clock.now());
    await store.sites.change(site.accountId, site.id, () => change ?? withoutPlannedRun);
    // A run by hand may have its second look.
    return change === null ? asCandidate({ ...site, ...withoutPlannedRun }, clock.now()) : null;
  }

  function changeInsteadOfRun(site: Site): SiteChange | null {
    if (site.paused) return { nextRunAt: null, secondLookAt: null };
    const account = store.accounts.findById(site.accountId);
    if (account === undefined || account.disabled) return { nextRunAt: nextRegularRun(site, clock.now()), secondLookAt: null };
    return mayBeScanned(site) ? null : postponed(site, clock.now());
  }

  return {
    startDue: async (demandPerHour) => {
      const fullFor = new Map<string, number>();
      const isIncluded = includedSites(store, sitesMaxOf);
      const candidates: Candidate[] = [];
      for (const [at, { accountId, siteId }] of store.sites.listDue(clock.now(), dueMax).entries()) {
        if (at % sitesAtOnce === sitesAtOnce - 1) await nextTurn();
        await eachApart(siteId, log, async () => {
          const site = store.sites.find(accountId, siteId);
          const candidate = site === undefined ? null : await candidateOf(site, isIncluded(site));
          if (candidate !== null) candidates.push(candidate);
        });
      }
      recentStarts = recentStarts.filter(({ atMs }) => Math.abs(clock.now().getTime() - atMs) < hourMs);
      const admission = createAdmission(candidates, recentStarts, clock.now(), demandPerHour);
      let started = 0;
      for (let run = admission.next(); run !== null; run = admission.next()) {
        const candidate = run;
        await eachApart(candidate.site.id, log, async () => {
          if (!(await start(candidate, fullFor))) return;
          admission.noteStart(candidate);
          started++;
        });
      }
      return started;
    },
  };
}

/** Of a site that the plan of its account does not include. */
export const withoutPlannedRun = { nextRunAt: null } as const satisfies SiteChange;

/** A fault of one site does not stop the others; one of the data directory does. */
async function eachApart(site: number, log: Log, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (error instanceof DataDirError) throw error;
    log.error("run of a site could not be started", { site, because: messageOf(error) });
  }
}

/** Of the last hour, so that a restart does not begin the budget anew. */
function recentStartsOf({ sites }: Pick<Store, "sites">, now: Date): RecentStart[] {
  const starts: RecentStart[] = [];
  for (const { accountId, lastRunAt, schedule } of sites.listAll()) {
    const atMs = lastRunAt === null ? Number.NaN : Date.parse(lastRunAt);
    const kind = "cron" in schedule ? "cron" : "interval";
    if (Math.abs(now.getTime() - atMs) < hourMs) starts.push({ atMs, accountId, kind });
  }
  return starts;
}

/** A regular run that is due stands for the second look too. */
function asCandidate(site: Site, now: Date): Candidate | null {
  const isRegular = isDue(site.nextRunAt, now);
  const isSecondLook = isDue(site.secondLookAt, now);
  if (!isRegular && !isSecondLook) return null;
  const instants = [site.nextRunAt, site.secondLookAt].flatMap((at) => (at !== null && isDue(at, now) ? [Date.parse(at)] : []));
  const kind = isRegular && "cron" in site.schedule ? "cron" : isSecondLook ? "second-look" : "interval";
  const { id, accountId, lastRunAt } = site;
  return { id, accountId, kind, dueAt: new Date(Math.min(...instants)), isFirst: lastRunAt === null, site, isRegular };
}

function isDue(at: string | null, now: Date): boolean {
  return at !== null && Date.parse(at) <= now.getTime();
}

function postponed({ nextRunAt, secondLookAt }: Site, now: Date): SiteChange {
  const later = new Date(now.getTime() + postponedMs).toISOString();
  return { nextRunAt: isDue(nextRunAt, now) ? later : nextRunAt, secondLookAt: isDue(secondLookAt, now) ? later : secondLookAt };
}

function nextRegularRun(site: Site, now: Date): string {
  return nextRunAfter(site.schedule, scheduleKeyOf(site), now).toISOString();
}

/** Planned times that a change of the clock, or a lost write, has left wrong; null for none. */
export function correctedTimes(site: Site, now: Date): SiteChange | null {
  if (site.paused) return null;
  const planned = site.nextRunAt === null ? null : new Date(site.nextRunAt);
  const run = planned === null ? null : dueRun(site.schedule, scheduleKeyOf(site), planned, now);
  const nextRunAt = run === null ? nextRegularRun(site, now) : run.due ? site.nextRunAt : run.nextRunAt.toISOString();
  const isFar = site.secondLookAt !== null && Date.parse(site.secondLookAt) - now.getTime() > secondLookAheadMsMax;
  const secondLookAt = isFar ? now.toISOString() : site.secondLookAt;
  return nextRunAt === site.nextRunAt && secondLookAt === site.secondLookAt ? null : { nextRunAt, secondLookAt };
}
