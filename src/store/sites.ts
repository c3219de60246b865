/** Watched sites of accounts: what is scanned, how often, and the last reading for lists. */
import { dayMs } from "../base/units.ts";
import type { Band, Rank } from "../judge/rank.ts";
import { localLocation } from "../parse/location.ts";
import type { SiteSchedule } from "../parse/site-schedule.ts";
import { accountRange } from "./account-range.ts";
import { accountActor, noteAccount } from "./audit.ts";
import type { Db } from "./database.ts";
import { removeSiteRows } from "./remove-site.ts";
import { dueKeysOf, listDueKeys, removalOfStrayDue } from "./site-due-keys.ts";

/** Characters of a name and of a client. */
export const siteNameCharsMax = 100;
export const siteTagsMax = 20;
export const siteTagCharsMax = 40;
/** Addresses of one site, the first included. */
export const sitePagesMax = 25;
export const acceptedFindingsMax = 200;
export const acceptedReasonCharsMax = 500;
/** Sites that one transaction removes: each can have thousands of rows, and the server waits for the transaction. */
const removedAtOnce = 10;
/** Scores of a sparkline. */
const trendMax = 20;

/** Finding that the owner accepts: shown as such, and no longer notified. */
export interface AcceptedFinding {
  readonly code: string;
  readonly reason: string;
  /** Day on which the acceptance ends, `YYYY-MM-DD`; null for none. */
  readonly until: string | null;
  readonly acceptedAt: string;
}

/** Last measured run, as lists show it. */
export interface SiteReading {
  /** Token of the scan of the first address. */
  readonly token: string;
  readonly at: string;
  /** Lowest of all addresses, 0 to 100. */
  readonly score: number;
  readonly band: Band;
  readonly rank: Rank;
  /** Findings that are open and not accepted. */
  readonly open: number;
  /** Expiry of the certificate; null if it was not read. */
  readonly certificateExpiresAt: string | null;
}

/** All instants are ISO 8601, UTC. */
export interface Site {
  readonly id: number;
  readonly accountId: number;
  readonly name: string;
  /** ASCII form, without fragment; unique within the account. */
  readonly url: string;
  /** Further addresses of the same origin. */
  readonly pages: readonly string[];
  readonly client: string | null;
  readonly tags: readonly string[];
  readonly location: string;
  readonly accepted: readonly AcceptedFinding[];
  readonly schedule: SiteSchedule;
  readonly paused: boolean;
  readonly createdAt: string;
  /** Next scheduled run; null while paused. */
  readonly nextRunAt: string | null;
  /** Repetition of a doubtful run; null without a doubt. */
  readonly secondLookAt: string | null;
  /** Start of the last run. */
  readonly lastRunAt: string | null;
  /** Since when no run could measure the site, after its first failed run; null while it is measured. */
  readonly failingSince: string | null;
  /** Null before the first measured run. */
  readonly reading: SiteReading | null;
  /** Scores of the last measured runs, oldest first. */
  readonly trend: readonly number[];
}

export type SiteChange = Partial<Omit<Site, "id" | "accountId" | "createdAt">>;
export type NewSite = Pick<Site, "accountId" | "name" | "url" | "pages" | "client" | "tags" | "schedule" | "nextRunAt"> & {
  readonly location?: string;
  readonly paused?: boolean;
  readonly now: Date;
};

/** `url-taken`: the account watches the address already. `full`: `sitesMax` is reached. */
export type SiteRefusal = "url-taken" | "full";

export interface DueSite {
  readonly accountId: number;
  readonly siteId: number;
  readonly dueAt: Date;
}

export function siteRepository(db: Db) {
  const find = (accountId: number, id: number): Site | undefined => db.sites.get([accountId, id]);
  const list = (accountId: number): readonly Site[] => sitesOf(db, accountId);

  return {
    /** Undefined for an unknown id and for the site of another account. */
    find,
    /** In the order of their ids. */
    list,
    count: (accountId: number): number => db.sites.getKeysCount(accountRange(accountId)),

    /** One transaction: each site is added or refused for itself. */
    add: (sites: readonly NewSite[], sitesMax: number): Promise<readonly (Site | SiteRefusal)[]> =>
      db.write(() => {
        const refusals = refusalsOf(db, sites, sitesMax);
        return sites.map((site, at) => refusals[at] ?? putNewSite(db, site));
      }),
    /** What `add` would refuse now: a reason or null for each site. */
    preview: (sites: readonly NewSite[], sitesMax: number): readonly (SiteRefusal | null)[] => refusalsOf(db, sites, sitesMax),

    /**
     * Applies `change` to the stored site within one transaction; undefined for an unknown one. With another first address the site begins
     * anew: nothing that is known of the old one holds. Its history and its events stay.
     */
    change: (accountId: number, id: number, change: (site: Site) => SiteChange): Promise<Site | "url-taken" | undefined> =>
      db.write(() => {
        const site = find(accountId, id);
        if (site === undefined) return undefined;
        const changed = { ...site, ...change(site) };
        if (changed.url === site.url) return putSite(db, changed);
        if (list(accountId).some(({ url }) => url === changed.url)) return "url-taken";
        db.siteStates.remove(id);
        return putSite(db, { ...changed, reading: null, trend: [], failingSince: null, secondLookAt: null });
      }),

    /** Several sites in one transaction; unknown ids are passed over. */
    changeAll: (accountId: number, ids: readonly number[], change: (site: Site) => SiteChange): Promise<readonly Site[]> =>
      db.write(() =>
        ids.flatMap((id) => {
          const site = find(accountId, id);
          if (site === undefined) return [];
          return [putSite(db, { ...site, ...change(site) })];
        }),
      ),

    /**
     * Also removes state, history and events of the sites; their scans stay. Returns the ids that were there. A few in each transaction.
     * `by`: id of the account that asked.
     */
    remove: async (accountId: number, ids: readonly number[], by: number): Promise<readonly number[]> => {
      const removed: number[] = [];
      for (let at = 0; at < ids.length; at += removedAtOnce)
        removed.push(...(await db.write(() => removeSites(db, accountId, ids.slice(at, at + removedAtOnce), by))));
      return removed;
    },

    /** Sites whose run or second look is due, the earliest first. A site whose run is under way is not due. Stray rows take no places. */
    listDue: (now: Date, limit: number): readonly DueSite[] =>
      listDueKeys(db, now, limit).map(([ms, accountId, siteId]) => ({ accountId, siteId, dueAt: new Date(ms) })),
    /** One step of the removal of stray rows of due sites. False after the last step of a round; the next step begins another. */
    removeStrayDue: removalOfStrayDue(db),
    /** Of all accounts. */
    listAll: (): Iterable<Site> => valuesOf(db),
  };
}

/** Only within a transaction. */
function removeSites(db: Db, accountId: number, ids: readonly number[], by: number): readonly number[] {
  const sites = [...new Set(ids)].flatMap((id) => db.sites.get([accountId, id]) ?? []);
  for (const site of sites) removeSiteRows(db, site);
  const removed = sites.map(({ id }) => id);
  if (removed.length > 0)
    noteAccount(db, accountId, "site.removed", { by: accountActor({ id: by }), details: { sites: removed.join(" ") } });
  return removed;
}

function* valuesOf(db: Db): Iterable<Site> {
  for (const { value } of db.sites.getRange()) yield value;
}

function sitesOf(db: Db, accountId: number): readonly Site[] {
  return [...db.sites.getRange(accountRange(accountId))].map(({ value }) => value);
}

function refusalsOf(db: Db, sites: readonly Pick<NewSite, "accountId" | "url">[], sitesMax: number): readonly (SiteRefusal | null)[] {
  const taken = new Map<number, Set<string>>();
  return sites.map(({ accountId, url }) => {
    const urls = taken.get(accountId) ?? new Set(sitesOf(db, accountId).map((site) => site.url));
    taken.set(accountId, urls);
    if (urls.has(url)) return "url-taken";
    if (urls.size >= sitesMax) return "full";
    urls.add(url);
    return null;
  });
}

function putNewSite(db: Db, { now, location = localLocation, paused = false, ...given }: NewSite): Site {
  const site: Site = {
    ...given,
    id: db.next("nextSiteId"),
    location,
    paused,
    nextRunAt: paused ? null : given.nextRunAt,
    accepted: [],
    createdAt: now.toISOString(),
    secondLookAt: null,
    lastRunAt: null,
    failingSince: null,
    reading: null,
    trend: [],
  };
  putSite(db, site);
  return site;
}

/** Writes the site and its row of due sites, and returns it as it is stored. Only within a transaction. */
export function putSite(db: Db, site: Site): Site {
  const { accountId, id } = site;
  const before = db.sites.get([accountId, id]);
  if (before !== undefined) for (const key of dueKeysOf(before)) db.sitesDue.remove([...key]);
  const kept = { ...site, trend: site.trend.slice(-trendMax) };
  db.sites.put([accountId, id], kept);
  for (const key of dueKeysOf(kept)) db.sitesDue.put([...key], id);
  return kept;
}

/** Whether an acceptance of the code holds at that instant. */
export function isAccepted({ accepted }: Pick<Site, "accepted">, code: string, now: Date): boolean {
  const today = now.toISOString().slice(0, 10);
  return accepted.some((one) => one.code === code && (one.until === null || today <= one.until));
}

/** Whole days until the certificate expires, negative afterwards; null if it was not read. */
export function certificateDaysOf({ reading }: Pick<Site, "reading">, now: Date): number | null {
  const at = reading?.certificateExpiresAt ?? null;
  return at === null ? null : wholeDaysUntil(at, now);
}

/** Negative for a time that is past. */
export function wholeDaysUntil(at: string, now: Date): number {
  return Math.floor((Date.parse(at) - now.getTime()) / dayMs);
}
