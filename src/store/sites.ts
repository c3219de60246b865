/** Watched sites of accounts: what is scanned, how often, and the last reading for lists. */
import { dayMs } from "../base/units.ts";
import { localLocation } from "../parse/location.ts";
import type { SiteSchedule } from "../parse/site-csv.ts";
import { accountActor, noteAccount } from "./audit.ts";
import type { Db } from "./database.ts";
import { defineTable, type IndexRows, keyed, numberIndex, recordKeys, type Static, stored } from "./define-table.ts";
import { reads, stepwiseRemoval, transactions } from "./methods.ts";
import type { SiteHistoryEntry } from "./site-runs.ts";
import { accountRange } from "./table.ts";

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
/** Scores of the API's `trend`. */
const trendMax = 20;
/** Days of a course. */
export const courseDays = 30;

/** Finding that the owner accepts: shown as such, and no longer notified. */
export interface AcceptedFinding {
  readonly code: string;
  readonly reason: string;
  /** Day on which the acceptance ends, `YYYY-MM-DD`; null for none. */
  readonly until: string | null;
  readonly acceptedAt: string;
}

/**
 * Confirmed state of a site, which every view of the site shows: its last measured run, or the one before while a second look at a regression
 * is due.
 */
export interface SiteReading extends SiteHistoryEntry {
  /** Present while a second look is due: findings that it may confirm, 0 for a lower score alone. */
  readonly unconfirmed?: number;
  /** Expiry of the certificate; null if it was not read. */
  readonly certificateExpiresAt: string | null;
}

/** Last score of a day, which is counted from 1970 in UTC. */
export type DayScore = readonly [day: number, score: number];

/** What a planned policy blocks, as the browser names it. */
export interface PolicyBlock {
  /** Such as `script-src-elem`. */
  readonly directive: string;
  /** What was to be loaded; null for code. */
  readonly url: string | null;
  /** `url`, `inline`, `eval`, `wasm-eval` or `trusted-types`. */
  readonly kind: string;
}

/** Headers that a proof has proven, and that the runs of the site try again. */
export interface WatchedPolicy {
  /** Address of the site on which they are tried. */
  readonly url: string;
  /** As the proof gives them: `{nonce}` stands for a new nonce, and null takes a field away. */
  readonly headers: readonly { readonly name: string; readonly value: string | null }[];
  /** Token of the proof, which may be gone by now. */
  readonly proof: string;
  readonly savedAt: string;
  /** Last try with an answer; null before the first. */
  readonly triedAt: string | null;
  /** First try that showed the page broken; null while it works. */
  readonly brokenSince: string | null;
  /** True if `policy.broken` was sent, and nothing since. */
  readonly reported: boolean;
  /** What the last try showed, at most a few things. */
  readonly blocked: readonly PolicyBlock[];
}

/** What the account decides. */
const ownedFields = {
  name: stored.text,
  /** ASCII form, without fragment; unique within the account. */
  url: stored.url,
  /** Further addresses of the same origin. */
  pages: stored.listOf<string>(),
  client: stored.orNull(stored.text),
  tags: stored.listOf<string>(),
  location: stored.location,
  schedule: stored.objectOf<SiteSchedule>(),
  paused: stored.flag,
};
export type SiteFieldName = keyof typeof ownedFields;
export type SiteFields = Pick<Site, SiteFieldName>;

/** All instants are ISO 8601, UTC. */
const siteRow = stored.row({
  id: stored.id,
  accountId: stored.id,
  ...ownedFields,
  accepted: stored.listOf<AcceptedFinding>(),
  createdAt: stored.time,
  /** Next scheduled run; null while paused. */
  nextRunAt: stored.orNull(stored.time),
  /** Repetition of a doubtful run; null without a doubt. */
  secondLookAt: stored.orNull(stored.time),
  /** Start of the last run. */
  lastRunAt: stored.orNull(stored.time),
  /** Time since which no run could measure the site, after its first failed run; null while it is measured. */
  failingSince: stored.orNull(stored.time),
  /** Null before the first measured run. */
  reading: stored.orNull(stored.objectOf<SiteReading>()),
  /** Scores of the last measured runs, oldest first. */
  trend: stored.listOf<number>(),
  /** See `courseWith`. Missing in rows of earlier releases until the next run. */
  course: stored.optional(stored.unchecked<readonly DayScore[]>()),
  /** Missing or null without one. */
  policy: stored.optional(stored.unchecked<WatchedPolicy | null>()),
});
export type Site = Static<typeof siteRow>;

type SiteDueKey = [atMs: number, accountId: number, siteId: number];

/** Some 2,000 sites: each page of a list reads all sites of its account. */
const cachedBytesMax = 8 * 2 ** 20;

export const sitesTable = defineTable({
  row: siteRow,
  cachedBytesMax,
  key: keyed<[accountId: number, siteId: number]>(),
  indexes: {
    /** Sites whose run or second look is planned, by the earlier of both; the values repeat the site. */
    sitesDue: numberIndex(
      ({ accountId, id, nextRunAt, secondLookAt }: Site): IndexRows<SiteDueKey, number> => {
        const instants = [nextRunAt, secondLookAt].flatMap((at) => (at === null ? [] : [Date.parse(at)]));
        return instants.length === 0 ? [] : [[[Math.min(...instants), accountId, id], id]];
      },
      { recordKey: recordKeys.lastParts },
    ),
  },
  // Their deletion also removes what is kept of each site: see `erasure.ts`.
  ofAccount: [{ by: "part", part: 0 }],
  keyIds: ["nextAccountId", "nextSiteId"],
});

export type SiteChange = Partial<Omit<Site, "id" | "accountId" | "createdAt">>;
export type NewSite = Omit<SiteFields, "location" | "paused"> &
  Partial<Pick<SiteFields, "location" | "paused">> &
  Pick<Site, "accountId" | "nextRunAt"> & { readonly now: Date };

/** `url-taken`: the account watches the address already. `full`: `sitesMax` is reached. */
export type SiteRefusal = "url-taken" | "full";

export function siteRepository(db: Db) {
  return {
    /** Undefined for an unknown id and for the site of another account. */
    find: (accountId: number, id: number): Site | undefined => db.sites.get([accountId, id]),
    count: (accountId: number): number => db.sites.getKeysCount(accountRange(accountId)),
    /** Sites of all accounts. */
    listAll: function* (): Generator<Site, void> {
      for (const { value } of db.sites.getRange()) yield value;
    },
    /** `preview` gives what `add` would refuse now: a reason or null for each site. */
    ...reads(db, { list: sitesOf, preview: refusalsOf, listDue }),
    ...transactions(db, { add, change, changeAll }),

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
    /** One step of the removal of stray rows of due sites. False after the last step of a round; the next step begins another. */
    removeStrayDue: stepwiseRemoval(db, db.sitesDue, ({ key }) => isStray(db, key)),
  };
}

/** In one transaction, each site is added or refused for itself. */
function add(db: Db, sites: readonly NewSite[], sitesMax: number): readonly (Site | SiteRefusal)[] {
  const refusals = refusalsOf(db, sites, sitesMax);
  return sites.map((site, at) => refusals[at] ?? putNewSite(db, site));
}

/**
 * Applies `update` to the stored site; undefined for an unknown one. With another first address, the site loses what is known of the old
 * one; its history and its events stay.
 */
function change(db: Db, accountId: number, id: number, update: (site: Site) => SiteChange): Site | "url-taken" | undefined {
  const site = db.sites.get([accountId, id]);
  if (site === undefined) return undefined;
  const changed = withoutStrayPolicy({ ...site, ...update(site) });
  if (changed.url === site.url) return putSite(db, changed);
  if (sitesOf(db, accountId).some(({ url }) => url === changed.url)) return "url-taken";
  db.siteStates.remove(id);
  return putSite(db, { ...changed, reading: null, trend: [], course: [], failingSince: null, secondLookAt: null });
}

/** What each run scans; the first one decides whether the site is measured. */
export function addressesOf({ url, pages }: Pick<Site, "url" | "pages">): readonly string[] {
  return [url, ...pages];
}

/** A planned policy leaves with its address. */
function withoutStrayPolicy(site: Site): Site {
  return site.policy == null || addressesOf(site).includes(site.policy.url) ? site : { ...site, policy: null };
}

/** Unknown ids are passed over. */
function changeAll(db: Db, accountId: number, ids: readonly number[], update: (site: Site) => SiteChange): readonly Site[] {
  const sites = ids.flatMap((id) => db.sites.get([accountId, id]) ?? []);
  return sites.map((site) => putSite(db, { ...site, ...update(site) }));
}

/** Removes a site with all that is kept of it; only within a transaction. Its scans stay. */
export function removeSiteRows(db: Db, { accountId, id }: Pick<Site, "accountId" | "id">): void {
  db.removeRows("ofSite", { id, email: "" });
  db.sites.remove([accountId, id]);
  db.notificationRules.removeAll(accountRange(accountId), ({ scope }) => scope.kind === "site" && scope.siteId === id);
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

/** In the order of their ids. */
function sitesOf(db: Db, accountId: number): readonly Site[] {
  return db.sites.values(accountRange(accountId));
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
  const unread = { secondLookAt: null, lastRunAt: null, failingSince: null, reading: null, trend: [], course: [] };
  const nextRunAt = paused ? null : given.nextRunAt;
  const id = db.next("nextSiteId");
  return putSite(db, { ...given, id, location, paused, nextRunAt, accepted: [], createdAt: now.toISOString(), ...unread });
}

/** Writes the site, and returns it as it is stored. Only within a transaction. */
export function putSite(db: Db, site: Site): Site {
  const kept = { ...site, trend: site.trend.slice(-trendMax) };
  db.sites.put([site.accountId, site.id], kept);
  return kept;
}

/** Sites whose run or second look is due, the earliest first. A site whose run is under way is not due. Stray rows take no places. */
function listDue(
  db: Db,
  now: Date,
  limit: number,
): readonly { readonly accountId: number; readonly siteId: number; readonly dueAt: Date }[] {
  const due: SiteDueKey[] = [];
  for (const key of db.sitesDue.getKeys({ end: [now.getTime() + 1, 0, 0] })) {
    if (due.length >= limit) break;
    if (!isStray(db, key)) due.push(key);
  }
  return due.map(([ms, accountId, siteId]) => ({ accountId, siteId, dueAt: new Date(ms) }));
}

/** Whether the site of a planned run is gone, or has another key. */
function isStray(db: Db, key: SiteDueKey): boolean {
  const [atMs, accountId, siteId] = key;
  const site = db.sites.get([accountId, siteId]);
  return site === undefined || !sitesTable.indexes.sitesDue.rows(site, [accountId, siteId]).some(([[plannedMs]]) => plannedMs === atMs);
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

function dayOf(atMs: number): number {
  return Math.floor(atMs / dayMs);
}

/** Scores of the last `courseDays` days, the oldest first, and the last one before them, which they are compared with. */
export function courseWith(course: readonly DayScore[], { at, score }: Pick<SiteHistoryEntry, "at" | "score">): readonly DayScore[] {
  const today = dayOf(Date.parse(at));
  // After the clock was set back, days lie ahead.
  const days: readonly DayScore[] = [...course.filter(([day]) => day < today), [today, score]];
  return days.slice(
    Math.max(
      0,
      days.findLastIndex(([day]) => day <= today - courseDays),
    ),
  );
}

/** What a run within so many days changed in the score, compared with the score before them or with the first one known; null without such a run. */
export function scoreChangeOf({ course = [] }: Pick<Site, "course">, days: number, now: Date): number | null {
  const before = dayOf(now.getTime()) - days;
  const [last, base] = [course.at(-1), course.findLast(([day]) => day <= before) ?? course[0]];
  return last === undefined || base === undefined || base === last ? null : last[1] - base[1];
}

/** The course as a line: scores with their places within the last `courseDays` days, from 0 to 1. */
export function courseLineOf({ course = [] }: Pick<Site, "course">, now: Date) {
  const from = dayOf(now.getTime()) - courseDays;
  const line = course.slice(
    Math.max(
      0,
      course.findLastIndex(([day]) => day <= from),
    ),
  );
  return {
    scores: line.map(([, score]) => score),
    places: line.map(([day]) => Math.min(1, Math.max(0, (day - from) / courseDays))),
  };
}

/** Negative for a time that is past. */
export function wholeDaysUntil(at: string, now: Date): number {
  return Math.floor((Date.parse(at) - now.getTime()) / dayMs);
}
