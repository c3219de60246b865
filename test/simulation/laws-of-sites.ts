/** Laws of watched sites. */
import { planTerms } from "../../src/accounts/account-operations.ts";
import { hourMs, secondMs } from "../../src/base/units.ts";
import { openFindings } from "../../src/store/site-runs.ts";
import type { Site } from "../../src/store/sites.ts";
import { firstOf, type Law, lastsTooLong, law, type UpLife } from "./law.ts";
import type { World } from "./world.ts";

/** Ticks within which a look that is due is queued. */
const lookTicksMax = 2;
/** Starts that an account may be ahead of another one that waits: several start at one tick. */
const aheadMax = 2;

function sitesOf({ store }: UpLife): readonly Site[] {
  return [...store.sites.listAll()];
}

/** Every place that shows the state of a site says the same: reading, state, history, trend and course. */
function placesAgree(world: World, life: UpLife): string | null {
  const { siteRuns } = life.store;
  return firstOf(sitesOf(life), (site) => {
    const { id, reading, trend, course } = site;
    if (reading === null) return null;
    const state = siteRuns.state(id);
    const open = openFindings(site, state, world.clock.now()).length;
    if (reading.open !== open) return `site ${id} shows ${reading.open} open findings, and has ${open}`;
    if (trend.at(-1) !== reading.score) return `site ${id} shows score ${reading.score}, and its trend ends with ${trend.at(-1)}`;
    if (course?.at(-1)?.[1] !== reading.score)
      return `site ${id} shows score ${reading.score}, and its course ends with ${course?.at(-1)?.[1]}`;
    const entry = siteRuns.historyNear(id, new Date(reading.at)).find(({ token }) => token === reading.token);
    if (entry?.score !== reading.score) return `site ${id} shows score ${reading.score}, and its history ${entry?.score}`;
    return reading.certificateExpiresAt === (state.certificate?.expiresAt ?? null) ? null : `site ${id} shows another certificate`;
  });
}

/** What was deleted does not come back: neither sites nor accounts, nor what belongs to them. */
function staysDeleted({ told }: World, { store }: UpLife): string | null {
  const page = { limit: 1, cursor: null };
  const ofSite = firstOf(told.removedSites, ([id, accountId]) => {
    const left = {
      site: store.sites.find(accountId, id) !== undefined,
      run: store.siteRuns.find(id) !== undefined,
      state: store.siteRuns.state(id).rules !== null,
      history: store.siteRuns.history(id).length > 0,
      events: store.events.listOfSite(accountId, id, 1).length > 0,
    };
    const found = Object.entries(left).find(([, isLeft]) => isLeft);
    return found === undefined ? null : `removed site ${id} has a ${found[0]}`;
  });
  const ofAccount = firstOf(told.deletedAccounts, (id) => {
    const left = {
      account: store.accounts.findById(id) !== undefined,
      sites: store.sites.count(id) > 0,
      scans: store.scans.listOfAccount(id, page).items.length > 0,
      events: store.events.list(id, page).items.length > 0,
      deliveries: store.deliveries.list(id, page).items.length > 0,
    };
    const found = Object.entries(left).find(([, isLeft]) => isLeft);
    return found === undefined ? null : `deleted account ${id} has ${found[0]}`;
  });
  return ofSite ?? ofAccount;
}

/** A second look, for which an alarm waits, starts when it is due: no budget and no other run holds it up. */
function alarmsAreNotHeldUp(world: World, life: UpLife): string | null {
  const { store } = life;
  const { plan, clock } = world;
  const now = clock.now();
  const isFull = world.lanesOf(life).some(({ lane, scans }) => lane === "second-look" && scans > 0);
  const overdue = store.sites.listDue(now, 100).flatMap(({ accountId, siteId }) => {
    const site = store.sites.find(accountId, siteId);
    if (site?.secondLookAt == null || new Date(site.secondLookAt) > now || site.paused) return [];
    return store.siteRuns.find(siteId) === undefined && store.accounts.findById(accountId)?.disabled === false ? siteId : [];
  });
  const texts = new Set(overdue.map((siteId) => `site ${siteId} waits for its second look`));
  for (const what of world.seen.waiting.keys()) if (what.endsWith("second look") && !texts.has(what)) world.seen.waiting.delete(what);
  return firstOf(texts, (what) => lastsTooLong(world, what, !isFull, lookTicksMax * plan.tickMs + 10 * secondMs));
}

/** Each account gets its share of the regular runs: none is ahead of another one whose run is due. */
function eachGetsItsShare(world: World, { store }: UpLife): string | null {
  const { runs, seen, nowMs, clock, plan } = world;
  if (runs.length === seen.starts) return null;
  const fresh = runs.slice(seen.starts);
  seen.starts = runs.length;
  const counts = (accountId: number) => runs.filter((run) => run.accountId === accountId && nowMs - run.atMs < hourMs).length;
  const lateAt = new Date(clock.now().getTime() - 2 * plan.tickMs);
  const waiting = new Set(
    store.sites.listDue(lateAt, 1_000).flatMap(({ accountId, siteId }) => {
      const site = store.sites.find(accountId, siteId);
      const isWaiting =
        site?.lastRunAt != null && "every" in site.schedule && site.nextRunAt !== null && new Date(site.nextRunAt) <= lateAt;
      return isWaiting && store.siteRuns.find(siteId) === undefined ? accountId : [];
    }),
  );
  return firstOf(fresh, ({ accountId }) =>
    firstOf(waiting, (other) =>
      other !== accountId && counts(accountId) > counts(other) + aheadMax
        ? `account ${accountId} has ${counts(accountId)} starts in an hour, and account ${other}, which waits, ${counts(other)}`
        : null,
    ),
  );
}

/** No account has more sites than its plan. */
function planLimits(_world: World, { store }: UpLife): string | null {
  return firstOf(store.accounts.list(), ({ id, plan }) => {
    const count = store.sites.count(id);
    return count > planTerms[plan].sites ? `account ${id} has ${count} sites` : null;
  });
}

export const laws: readonly Law[] = [
  ...[placesAgree, staysDeleted, eachGetsItsShare, planLimits].map((check) => law(check)),
  law(alarmsAreNotHeldUp, "time"),
];
