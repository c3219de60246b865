/** Runs of watched sites, and what is known of a site from its runs. A run scans all addresses of a site at one time. */
import { dayMs } from "../base/units.ts";
import { type Severity, worstFirst } from "../check/check.ts";
import { bands, ranks, type StoredResult } from "../judge/result.ts";
import type { Db } from "./database.ts";
import { defineTable, keyed, type Static, stored } from "./define-table.ts";
import { reads, transactions } from "./methods.ts";
import { freePlaces, type Lane, type LaneKey, laneFiller, laneOf } from "./queue.ts";
import { findScan, type ScanRecord } from "./scan-record.ts";
import { putSiteAccount, type RulesChange, siteAccountOf } from "./site-accounts.ts";
import { type EventSite, type NewEvent, putEvents, type RulesMove, type ShownPage, type StoredEvent } from "./site-events.ts";
import { addressesOf, courseWith, type DayScore, isAccepted, putSite, type Site, type SiteChange } from "./sites.ts";
import { queueScan } from "./start-scans.ts";
import { accountRange } from "./table.ts";

/** Measured runs that a site remembers: two years of weekly runs, a month of hourly ones. */
const historyMax = 750;

/** `scheduled`: by the schedule. `second-look`: repeats a doubtful one. `manual`: a person asked for it. */
export type RunKind = "scheduled" | "second-look" | "manual";

const runRow = stored.row({
  accountId: stored.id,
  siteId: stored.id,
  /** A later release may add kinds. */
  kind: stored.textAs<RunKind>(),
  startedAt: stored.time,
  /** By address, the first one first. */
  scans: stored.listOf<{ readonly url: string; readonly token: string }>(),
});
export type SiteRun = Static<typeof runRow>;

/** Runs under way. */
export const siteRunsTable = defineTable({ row: runRow, key: keyed<number>(), ofAccount: [], ofSite: [{ by: "key" }] });

/** What is known of one finding of a site. */
export interface KnownFinding {
  readonly checkKey: string;
  readonly severity: Severity;
  /** `replaced`: its check no longer applies, or found another fault in its place. */
  readonly state: "open" | "resolved" | "replaced";
  /** Begin of the state, ISO 8601. */
  readonly since: string;
  /** Addresses that had it when they were last read. */
  readonly urls: readonly string[];
  /** Changes of the state within the last days, the oldest first. */
  readonly flips: readonly string[];
  /** Changed too often: silent until it has kept its state for a while. */
  readonly unstable: boolean;
  /** Accepted at the last run, so that the end of an acceptance is noticed. */
  readonly accepted?: boolean;
}

export interface OpenFinding extends KnownFinding {
  readonly code: string;
}

/** What one run showed and none has confirmed yet. */
interface Doubt {
  /** Time of the first run that showed it. */
  readonly since: string;
  /** Addresses that showed it. Missing in rows of earlier releases. */
  readonly urls?: readonly string[];
}

export interface FindingDoubt extends Doubt {
  readonly checkKey: string;
}

/** A lower score. */
export interface ScoreDoubt extends Doubt {
  readonly score: number;
}

/** Rules of the readings that are compared. */
export type RunRules = Pick<StoredResult, "algorithmVersion" | "catalogVersion" | "basis">;

export interface AppliedRules extends RunRules {
  readonly judgedAt: string;
}

/** Score before and after the change of the rules whose notice began at `since`. */
interface SiteMove extends Pick<RulesMove, "from" | "to"> {
  readonly since: string;
}

const stateRow = stored.row({
  /** Null before the first measured run. */
  rules: stored.orNull(stored.objectOf<RunRules>()),
  /** Score that later ones are compared with; null before the first measured run. */
  score: stored.orNull(stored.number),
  /** Null without a doubt. */
  doubtedScore: stored.orNull(stored.objectOf<ScoreDoubt>()),
  findings: stored.objectOf<Readonly<Record<string, KnownFinding>>>(),
  /** By code. */
  doubts: stored.objectOf<Readonly<Record<string, FindingDoubt>>>(),
  /** Runs in a row that measured nothing. */
  failures: stored.number,
  /** `site.unreachable` was reported. */
  unreachable: stored.flag,
  certificate: stored.orNull(stored.objectOf<KnownCertificate>()),
  /** The one before: servers behind one name may take turns. */
  formerCertificate: stored.optional(stored.unchecked<KnownCertificate | null>()),
  /** Looks in a row that were ordered again after faults of the appliance. Missing in rows of earlier releases. */
  missedLooks: stored.optional(stored.unchecked<number>()),
  /** Addresses of the last measured run. */
  addresses: stored.optional(stored.unchecked<readonly string[]>()),
  /** Checks that had no verdict in any run since the rules are as they are. */
  unread: stored.optional(stored.unchecked<readonly string[]>()),
  /** Addresses without a measurement since the rules are as they are, or since they count as lost. */
  unreadAddresses: stored.optional(stored.unchecked<readonly string[]>()),
  /** Addresses, apart from the first, that the last measured run could not measure. */
  unmeasured: stored.optional(stored.unchecked<Readonly<Record<string, UnmeasuredAddress>>>()),
  /** Page that the site is known by. Missing before one was read. */
  page: stored.optional(stored.unchecked<ShownPage | undefined>()),
  /** Time since which the first address shows other pages; null while it shows the known one. */
  otherPageSince: stored.optional(stored.unchecked<string | null | undefined>()),
  /** For a notice about new rules; null before the first change. */
  rulesMove: stored.optional(stored.unchecked<SiteMove | null>()),
});
export type SiteState = Static<typeof stateRow>;

export const siteStatesTable = defineTable({ row: stateRow, key: keyed<number>(), ofAccount: [], ofSite: [{ by: "key" }] });

export interface UnmeasuredAddress {
  readonly since: string;
  /** Null for a scan that finished without a score. */
  readonly errorCode: string | null;
  /** Measured runs in a row without this address. Missing in rows of earlier releases. */
  readonly failures?: number;
}

export interface KnownCertificate {
  readonly validFrom: string;
  readonly expiresAt: string;
  /** Thresholds in days that were reported. */
  readonly noticed: readonly number[];
}

export const newSiteState: SiteState = {
  rules: null,
  score: null,
  doubtedScore: null,
  findings: {},
  doubts: {},
  failures: 0,
  unreachable: false,
  certificate: null,
};

/** A measured run in the history of a site. */
const historyRow = stored.row({
  at: stored.time,
  /** Token of the scan of the first address. */
  token: stored.text,
  /** Lowest of all addresses, 0 to 100. */
  score: stored.number,
  band: stored.oneOf(bands),
  rank: stored.oneOf(ranks),
  /** Findings that are open and not accepted. */
  open: stored.number,
});
export type SiteHistoryEntry = Static<typeof historyRow>;

export const siteHistoryTable = defineTable({
  row: historyRow,
  key: keyed<[siteId: number, atMs: number]>(),
  ofAccount: [],
  ofSite: [{ by: "part", part: 0 }],
});

/** `busy`: a run of the site is under way. `full`: the queue has no space for its scans; nothing is queued. */
export type StartRunRefusal = "unknown" | "busy" | "full";

/** What follows from a run. */
export interface RunConclusion {
  readonly state: SiteState;
  readonly site: SiteChange;
  readonly events: readonly NewEvent[];
  /** Rules of the run's results, and when they were applied; null for a run that measured nothing. */
  readonly rules: AppliedRules | null;
  /** Null for a run that measured nothing. */
  readonly history: SiteHistoryEntry | null;
}

export function siteRunRepository(db: Db, queueMax: number) {
  return {
    find: (siteId: number): SiteRun | undefined => db.siteRuns.get(siteId),
    /** Under way, of all accounts. */
    list: (): readonly SiteRun[] => db.siteRuns.values(),
    /** Queues the scans of all addresses and notes the run, in one transaction. */
    start: (run: StartRun): Promise<SiteRun | StartRunRefusal> => db.write(() => startRun(db, queueMax, run)),
    /** Scans of a run that are over; null while one is not. A scan that was deleted counts as over and is left out. */
    endedScans: (run: SiteRun): readonly ScanRecord[] | null => {
      const scans = run.scans.flatMap(({ token }) => findScan(db, token) ?? []);
      return scans.every(({ status }) => status === "finished" || status === "failed") ? scans : null;
    },
    /** Oldest first. */
    history: (siteId: number): readonly SiteHistoryEntry[] => db.siteHistory.values(accountRange(siteId)),
    /** The last entry of the history until that time, and the first one after it. Either may be missing. */
    historyNear: (siteId: number, time: Date): readonly SiteHistoryEntry[] => {
      const { start, end } = accountRange(siteId);
      const before = db.siteHistory.values({ start: [siteId, time.getTime()], end: start, reverse: true, limit: 1 });
      const after = db.siteHistory.values({ start: [siteId, time.getTime() + 1], end, limit: 1 });
      return [...before, ...after];
    },
    /** Sends a notice about new rules that no run will send, as when the last awaited site was paused. */
    reportRules: async (accountId: number, now: Date): Promise<readonly StoredEvent[]> =>
      siteAccountOf(db, accountId).rulesChange == null ? [] : await db.write(() => reportRules(db, accountId, now)),
    ...reads(db, { state: stateOf }),
    ...transactions(db, { conclude, noteState, notePolicy }),
  };
}

function stateOf(db: Db, siteId: number): SiteState {
  return db.siteStates.get(siteId) ?? newSiteState;
}

/** Changes the state apart from a run, as for a certificate that expires; events as in `conclude`. */
function noteState(
  db: Db,
  { accountId, id }: Pick<Site, "accountId" | "id">,
  change: (site: Site, state: SiteState) => Pick<RunConclusion, "state" | "events">,
  now: Date,
): readonly StoredEvent[] {
  const site = db.sites.get([accountId, id]);
  if (site === undefined) return [];
  const { state, events } = change(site, stateOf(db, id));
  db.siteStates.put(id, state);
  return putEvents(db, { accountId, site: eventSiteOf(site), now }, events);
}

/** Changes the site after a try of its planned policy; events as in `conclude`. */
function notePolicy(
  db: Db,
  { accountId, id }: Pick<Site, "accountId" | "id">,
  change: (site: Site) => Pick<RunConclusion, "site" | "events"> | null,
  now: Date,
): readonly StoredEvent[] {
  const site = db.sites.get([accountId, id]);
  const noted = site === undefined ? null : change(site);
  if (site === undefined || noted === null) return [];
  putSite(db, { ...site, ...noted.site });
  return putEvents(db, { accountId, site: eventSiteOf(site), now }, noted.events);
}

/** Open findings that are not accepted, the most severe first. */
export function openFindings(site: Pick<Site, "accepted">, { findings }: SiteState, now: Date): readonly OpenFinding[] {
  return Object.entries(findings)
    .filter(([code, { state }]) => state === "open" && !isAccepted(site, code, now))
    .map(([code, finding]) => ({ ...finding, code }))
    .sort((one, other) => worstFirst(one, other) || (one.code < other.code ? -1 : 1));
}

interface StartRun extends Pick<SiteRun, "accountId" | "siteId" | "kind"> {
  /** Lane of a run that no person asked for; `scheduled` by default. */
  readonly lane?: Exclude<Lane, "agency" | "free">;
  /** Limits how many of its scans run at a time. */
  readonly network?: string | undefined;
  /** Undefined leaves the planned one. */
  readonly nextRunAt?: Date | null | undefined;
  readonly now: Date;
}

function startRun(
  db: Db,
  queueMax: number,
  { accountId, siteId, kind, lane: given = "scheduled", network, nextRunAt, now }: StartRun,
): SiteRun | StartRunRefusal {
  const site = db.sites.get([accountId, siteId]);
  if (site === undefined) return "unknown";
  // A row that cannot be read must not end the runs of the site.
  if (db.siteRuns.get(siteId) !== undefined) return "busy";
  const urls = addressesOf(site);
  const lane: LaneKey = [site.location, kind === "manual" ? laneOf(db, accountId) : given];
  // All scans of a run find space, or none is queued.
  if (freePlaces(db, lane, queueMax) < urls.length) return "full";
  const fill = laneFiller(db, lane, queueMax);
  const scans = urls.flatMap((url) => {
    const scan = queueScan(db, fill, { accountId, url, now, network, location: site.location });
    return scan === "full" ? [] : [{ url, token: scan.token }];
  });
  const run: SiteRun = { accountId, siteId, kind, startedAt: now.toISOString(), scans };
  db.siteRuns.put(siteId, run);
  putSite(db, {
    ...site,
    lastRunAt: run.startedAt,
    secondLookAt: null,
    nextRunAt: nextRunAt === undefined ? site.nextRunAt : (nextRunAt?.toISOString() ?? null),
  });
  return run;
}

/**
 * Stores state, history and events of a run and ends it, in one transaction. So each run is concluded once, even by a killed process.
 * Undefined if the run has ended already, or its site is gone. A run whose address the site has no longer leaves nothing.
 */
function conclude(
  db: Db,
  { accountId, siteId, startedAt, scans }: SiteRun,
  concluded: (site: Site, state: SiteState) => RunConclusion,
  now: Date,
): readonly StoredEvent[] | undefined {
  if (db.siteRuns.get(siteId)?.startedAt !== startedAt) return undefined;
  db.siteRuns.remove(siteId);
  const site = db.sites.get([accountId, siteId]);
  if (site === undefined || scans[0]?.url !== site.url) return undefined;
  const before = stateOf(db, siteId);
  const course = site.course ?? pastCourseOf(db, site);
  const { state, site: change, events, rules, history } = concluded({ ...site, course }, before);
  // A try of the planned policy may have ordered a look while the run was under way.
  const changed = { ...site, course, ...change, secondLookAt: change.secondLookAt ?? site.secondLookAt };
  if (rules !== null) noteRules(db, accountId, rules, now);
  db.siteStates.put(siteId, { ...state, rulesMove: moveAfter(db, before, site, changed, rules) });
  putSite(db, changed);
  if (history !== null) putHistory(db, siteId, history);
  return [...putEvents(db, { accountId, site: eventSiteOf(changed), now }, events), ...reportRules(db, accountId, now)];
}

/** Course of a site of an earlier release: of as many runs as its trend, since those before may be of another address. */
function pastCourseOf(db: Db, { id, trend }: Site): readonly DayScore[] {
  const history = db.siteHistory.values(accountRange(id));
  return history.slice(history.length - trend.length).reduce<readonly DayScore[]>(courseWith, []);
}

/** Longest time from the first run under new rules to their notice: the longest interval, monthly, and time for its starts. */
const rulesNoticeMsMax = 32 * dayMs;

function rulesKey({ algorithmVersion, catalogVersion, basis }: RunRules): string {
  const plugins = Object.values(basis?.plugins ?? {});
  return [`${algorithmVersion} ${catalogVersion} ${basis?.headerValueCharsMax ?? ""}`, ...plugins].join(" ");
}

/**
 * Begins a notice about new rules, or gives them to the one that is under way; only within a transaction. `rulesJudgedAt` decides between
 * runs of two rules that end at the same time.
 */
function noteRules(db: Db, accountId: number, applied: AppliedRules, now: Date): void {
  const { rulesAnnounced, rulesJudgedAt = "", rulesChange } = siteAccountOf(db, accountId);
  // A run of several addresses can end after one that the new rules judged.
  // A time ahead comes from a clock that was wrong.
  const isLate = applied.judgedAt < rulesJudgedAt && rulesJudgedAt <= now.toISOString();
  if (isLate || rulesAnnounced === rulesKey(applied)) return;
  const { catalogVersion, algorithmVersion, judgedAt } = applied;
  const newestAt = now.toISOString();
  const begun = { since: rulesChange?.since ?? newestAt, newestAt, catalogVersion, algorithmVersion, awaitedSite: 0 };
  putSiteAccount(db, accountId, {
    rulesAnnounced: rulesKey(applied),
    rulesJudgedAt: judgedAt,
    rulesChange: rulesAnnounced === null ? null : begun,
  });
}

/** Scores for the notice that is under way. A change before the last one does not hide what the site had before both. */
function moveAfter(db: Db, before: SiteState, site: Site, { reading }: Site, applied: RunRules | null): SiteMove | null {
  const { rulesChange } = siteAccountOf(db, site.accountId);
  const { rules, rulesMove = null } = before;
  if (isOfOther(before, site)) return null;
  const isFirst = applied !== null && rules !== null && rulesKey(rules) !== rulesKey(applied);
  if (rulesChange == null || !isFirst || site.reading === null || reading === null) return rulesMove;
  const { since } = rulesChange;
  return { since, from: rulesMove?.since === since ? rulesMove.from : site.reading.score, to: reading.score };
}

/** Whether what is known belongs to a former first address of the site. */
function isOfOther({ addresses }: SiteState, { url }: Site): boolean {
  return addresses !== undefined && addresses[0] !== url;
}

/**
 * Sends the notice that is under way, if there is one and no site is awaited any more: each has a reference by the new rules, or had a run that
 * could not measure it. Only within a transaction.
 */
function reportRules(db: Db, accountId: number, now: Date): readonly StoredEvent[] {
  const { rulesChange, rulesAnnounced } = siteAccountOf(db, accountId);
  if (rulesChange == null || rulesAnnounced === null) return [];
  const awaitedSite = isInTime(now.toISOString(), rulesChange) ? awaitedSiteOf(db, accountId, rulesChange, rulesAnnounced) : null;
  if (awaitedSite !== null) {
    if (awaitedSite !== rulesChange.awaitedSite) putSiteAccount(db, accountId, { rulesChange: { ...rulesChange, awaitedSite } });
    return [];
  }
  putSiteAccount(db, accountId, { rulesChange: null });
  const moves = movesOf(db, accountId, rulesChange, rulesAnnounced);
  if (moves.length === 0) return [];
  const by = ({ from, to }: RulesMove) => Math.abs(to - from);
  const moved = moves.filter((move) => by(move) > 0);
  const largestChange = moved.toSorted((one, other) => by(other) - by(one))[0] ?? null;
  const { catalogVersion, algorithmVersion } = rulesChange;
  const data = { catalogVersion, algorithmVersion, sites: moves.length, changed: moved.length, largestChange };
  return putEvents(db, { accountId, site: null, now }, [{ type: "catalog.changed", token: null, data }]);
}

function isInTime(at: string, { since }: RulesChange): boolean {
  // After the clock was set back, the begin lies ahead.
  return Math.abs(Date.parse(at) - Date.parse(since)) < rulesNoticeMsMax;
}

/**
 * First site, from the last one that was awaited on, which its schedule will measure by the new rules; null without one. A site is awaited
 * until it had a run since then, with the repetitions that follow from it.
 */
function awaitedSiteOf(db: Db, accountId: number, change: RulesChange, current: string): number | null {
  const { end } = accountRange(accountId);
  for (const [, siteId] of db.sites.getKeys({ start: [accountId, change.awaitedSite], end })) {
    const site = db.sites.get([accountId, siteId]);
    if (site === undefined || site.paused || site.nextRunAt === null) continue;
    const { rules } = stateOf(db, siteId);
    if (rules === null || rulesKey(rules) === current) continue;
    const isPlanned = isInTime(site.nextRunAt, change) && (site.lastRunAt === null || site.lastRunAt < change.newestAt);
    if (isPlanned || site.secondLookAt !== null || db.siteRuns.doesExist(siteId)) return siteId;
  }
  return null;
}

/** Scores of the sites that the new rules measured, before and after. Read once for each notice. */
function movesOf(db: Db, accountId: number, { since }: RulesChange, current: string): readonly RulesMove[] {
  return db.sites.values(accountRange(accountId)).flatMap((site) => {
    const state = stateOf(db, site.id);
    const { rules, rulesMove } = state;
    if (rulesMove?.since !== since || rules === null || rulesKey(rules) !== current || isOfOther(state, site)) return [];
    const { id, name, url } = site;
    return [{ site: { id, name, url }, from: rulesMove.from, to: rulesMove.to }];
  });
}

function putHistory(db: Db, siteId: number, entry: SiteHistoryEntry): void {
  db.siteHistory.put([siteId, Date.parse(entry.at)], entry);
  const surplus = db.siteHistory.getKeysCount(accountRange(siteId)) - historyMax;
  if (surplus > 0) db.siteHistory.removeAll({ ...accountRange(siteId), limit: surplus });
}

function eventSiteOf({ id, name, url, client, tags }: Site): EventSite {
  return { id, name, url, client, tags };
}
