/** Starts of runs: second looks at once, first runs by the slots, regular runs within a budget. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Log, messageOf } from "../base/log.ts";
import { hourMs, minuteMs } from "../base/units.ts";
import { DataDirError } from "../store/data-dir.ts";
import { isNetworkBusy } from "../store/queue.ts";
import type { Site, SiteChange } from "../store/sites.ts";
import type { Store } from "../store/store.ts";
import type { SiteTickerOptions } from "./clock.ts";
import { dueRun, nextRunAfter, scheduleKeyOf } from "./schedule.ts";
import { createWaitingRuns } from "./waiting-runs.ts";

/**
 * `second-look`: confirms or dismisses what a known site may have lost. `first`: nothing is known of the site yet. The others are regular
 * runs.
 */
export type StartKind = "second-look" | "cron" | "interval" | "first";

export interface RunCandidate {
  readonly id: string | number;
  readonly accountId: number;
  readonly kind: StartKind;
  readonly dueAt: Date;
}

export interface RecentStart {
  readonly atMs: number;
  readonly accountId: number;
  readonly kind: StartKind;
}

/** Spreads regular runs, so that sites and scanner have rest between them. Runs by cron count, but keep their minute. */
export interface StartBudget {
  readonly perMinuteMax: number;
  readonly perHourMax: number;
}

const minutesPerHour = 60;

const perMinuteMaxDefault = 3;
const perHourMaxDefault = 12;
/** Share of the budget that regular runs may need; the rest is for catching up. */
const demandShareMax = 0.8;

/** 3 starts per minute, 12 per hour. More where the sites need more, since otherwise some would never run. */
export function startBudgetFor(demandPerHour: number): StartBudget {
  const perHourMax = Math.max(perHourMaxDefault, Math.ceil(demandPerHour / demandShareMax));
  return { perMinuteMax: Math.max(perMinuteMaxDefault, Math.ceil(perHourMax / minutesPerHour)), perHourMax };
}

/**
 * Runs that may start now, one after the other.
 * `recentStarts`: of the last hour, of every kind. Second looks go first, then cron, then intervals, then first runs. Only intervals have a
 * budget: an alarm waits for a second look, and slots limit first runs. Accounts take turns: the one with the fewest starts goes first.
 * `demandPerHour` includes cron, since its starts count: with less, cron alone could use up the limits.
 */
export function createAdmission<Run extends RunCandidate>(
  candidates: readonly Run[],
  recentStarts: readonly RecentStart[],
  now: Date,
  demandPerHour: number,
) {
  const nowMs = now.getTime();
  const due = candidates.filter(({ dueAt }) => dueAt.getTime() <= nowMs);
  const ofKind = (kind: StartKind) => due.filter((run) => run.kind === kind).sort(compareCandidates);
  const turnsOf = (kind: StartKind) => createTurns(ofKind(kind), startsByAccount(recentStarts, kind, nowMs));
  const unlimited = [...ofKind("second-look"), ...ofKind("cron")].values();
  const turns = { interval: turnsOf("interval"), first: turnsOf("first") };
  const counted = countStarts(recentStarts, nowMs, startBudgetFor(demandPerHour));

  return {
    /** Each run once; null if none is left, or none may start any more. */
    next: (): Run | null => unlimited.next().value ?? (counted.mayStartInterval() ? turns.interval.next() : null) ?? turns.first.next(),
    /** A run that is not noted leaves its place to another. */
    noteStart: ({ kind, accountId }: Run): void => {
      counted.noteStart(kind);
      if (kind === "interval" || kind === "first") turns[kind].noteStart(accountId);
    },
  };
}

function countStarts(recentStarts: readonly RecentStart[], nowMs: number, { perMinuteMax, perHourMax }: StartBudget) {
  const counts = (kind: StartKind) => kind === "cron" || kind === "interval";
  const regular = recentStarts.filter(({ kind }) => counts(kind));
  let [inMinute, inHour] = [startsWithin(regular, nowMs, minuteMs), startsWithin(regular, nowMs, hourMs)];

  return {
    mayStartInterval: (): boolean => inMinute < perMinuteMax && inHour < perHourMax,
    noteStart: (kind: StartKind): void => {
      inMinute += Number(counts(kind));
      inHour += Number(counts(kind));
    },
  };
}

/** `runs`: in the order of each account. */
function createTurns<Run extends RunCandidate>(runs: readonly Run[], starts: Map<number, number>) {
  const waiting = new Map([...Map.groupBy(runs, ({ accountId }) => accountId)].map(([accountId, own]) => [accountId, [...own].reverse()]));
  const startsOf = (accountId: number) => starts.get(accountId) ?? 0;

  /** Account with the fewest starts; where they are equal, the one that waits longest. */
  function nextAccount(): number | null {
    let best: Run | null = null;
    for (const own of waiting.values()) {
      const head = own.at(-1);
      if (head !== undefined && (best === null || isBefore(head, best))) best = head;
    }
    return best?.accountId ?? null;
  }

  function isBefore(one: Run, other: Run): boolean {
    const difference = startsOf(one.accountId) - startsOf(other.accountId);
    return difference < 0 || (difference === 0 && one.dueAt < other.dueAt);
  }

  return {
    next: (): Run | null => {
      const accountId = nextAccount();
      return accountId === null ? null : (waiting.get(accountId)?.pop() ?? null);
    },
    noteStart: (accountId: number): void => void starts.set(accountId, startsOf(accountId) + 1),
  };
}

/** Recent starts of each account. */
function startsByAccount(recentStarts: readonly RecentStart[], kind: StartKind, nowMs: number): Map<number, number> {
  const starts = new Map<number, number>();
  for (const start of recentStarts)
    if (start.kind === kind && Math.abs(nowMs - start.atMs) < hourMs) starts.set(start.accountId, (starts.get(start.accountId) ?? 0) + 1);
  return starts;
}

function compareCandidates(a: RunCandidate, b: RunCandidate): number {
  return a.dueAt.getTime() - b.dueAt.getTime();
}

/** After the clock was set back, starts lie ahead. Distant ones must not block the budget until the clock reaches them. */
function startsWithin(starts: readonly RecentStart[], nowMs: number, spanMs: number): number {
  return starts.filter(({ atMs }) => Math.abs(nowMs - atMs) < spanMs).length;
}

/** Due sites that one call looks at, the earliest first. */
const dueMax = 20_000;
/** Due sites that are looked at without a pause. */
const sitesAtOnce = 200;
/** Pause of a site that may not be scanned now. */
const postponedMs = 10 * minuteMs;
/** Second looks are planned minutes ahead; one that is planned later comes from a clock that was set back. */
const secondLookAheadMsMax = hourMs;

export interface RunStarterOptions
  extends Required<Pick<SiteTickerOptions, "clock" | "mayBeScanned" | "slotsOf" | "networks" | "sitesMaxOf" | "wake" | "log">> {
  readonly store: Pick<Store, "sites" | "siteRuns" | "scans" | "accounts">;
}

const laneByKind = { "second-look": "second-look", cron: "scheduled", interval: "scheduled", first: "first" } as const;

interface Candidate extends RunCandidate {
  readonly site: Site;
  readonly isRegular: boolean;
}

export function createRunStarter(options: RunStarterOptions) {
  const { store, clock, wake, log } = options;
  let recentStarts = recentStartsOf(store, clock.now());

  const waitingRuns = createWaitingRuns(options);
  let isFirstLeft = false;

  /** Whether the run has started. */
  async function start({ site, kind: startKind, isRegular }: Candidate, room: StartRoom): Promise<boolean> {
    const lane = laneByKind[startKind];
    const network = room.networkOf(site, lane);
    if (network === undefined) return false;
    const at = clock.now();
    const nextRunAt = isRegular ? nextRunAfter(site.schedule, scheduleKeyOf(site), at) : undefined;
    const kind = isRegular ? "scheduled" : "second-look";
    const run = await store.siteRuns.start({
      ...{ accountId: site.accountId, siteId: site.id, kind, lane, nextRunAt, now: at },
      network: network ?? undefined,
    });
    // The row of the site stays due.
    if (run === "full") room.noteFull(site, lane);
    if (typeof run === "string") return false;
    room.noteStart(site, lane, network);
    recentStarts.push({ atMs: at.getTime(), accountId: site.accountId, kind: startKind });
    log.debug("run of a site started", { site: site.id, kind, scans: run.scans.length });
    return true;
  }

  return {
    /** Whether a first run waits for the end of a scan. */
    isFirstLeft: () => isFirstLeft,
    waiting: waitingRuns.waiting,

    /** @throws DataDirError, after which the rest is left to the next call: the scans of runs that have started do not wait for it. */
    startDue: async (demandPerHour: number): Promise<void> => {
      const candidates = await dueCandidates(options);
      const left = new Set(candidates);
      const room = startRoom(options);
      recentStarts = recentStarts.filter(({ atMs }) => Math.abs(clock.now().getTime() - atMs) < hourMs);
      const admission = createAdmission(candidates, recentStarts, clock.now(), demandPerHour);
      try {
        for (let run = admission.next(); run !== null; run = admission.next()) {
          const candidate = run;
          await eachApart(log, notStarted, candidate.site.id, async () => {
            if (!(await start(candidate, room))) return;
            admission.noteStart(candidate);
            left.delete(candidate);
          });
        }
      } finally {
        if (left.size < candidates.length) wake();
      }
      isFirstLeft = [...left].some(({ kind }) => kind === "first");
      const queues = Map.groupBy(left, ({ kind, site }) => `${site.location} ${laneByKind[kind]}`).values();
      waitingRuns.note([...queues].map((runs) => inTurns(runs, recentStarts, clock.now()).map(({ site }) => site)));
    },
  };
}

/** The order in which runs of one lane start if each of them can. */
function inTurns(runs: readonly Candidate[], recentStarts: readonly RecentStart[], now: Date): readonly Candidate[] {
  const kind = runs[0]?.kind ?? "first";
  const turns = createTurns(runs.toSorted(compareCandidates), startsByAccount(recentStarts, kind, now.getTime()));
  const ordered: Candidate[] = [];
  for (let run = turns.next(); run !== null; run = turns.next()) {
    turns.noteStart(run.accountId);
    ordered.push(run);
  }
  return ordered;
}

type RunLane = (typeof laneByKind)[StartKind];
type StartRoom = ReturnType<typeof startRoom>;

/** Queues, slots and networks that can still take a run, for one round of starts. */
function startRoom({ store, slotsOf, networks }: RunStarterOptions) {
  /** By lane, the fewest scans for which its queue has no space. */
  const fullFor = new Map<string, number>();
  /** By location, scans of first runs that wait. */
  const queuedFirst = new Map<string, number>();
  let counted: Map<string, number> | null = null;
  /** Counted where a first run is due only: at the claim, the dispatcher holds all others to the same limit. */
  const byNetwork = () => (counted ??= scansByNetwork(store));
  const scansOf = ({ pages }: Site) => 1 + pages.length;
  const laneKey = ({ location }: Site, lane: RunLane) => `${location} ${lane}`;

  function queuedFirstAt(location: string): number {
    const queued = queuedFirst.get(location) ?? store.scans.lanesOf(location).find(({ lane }) => lane === "first")?.scans ?? 0;
    queuedFirst.set(location, queued);
    return queued;
  }

  return {
    /** Undefined if the run cannot start now: its queue is full, its network is not known yet, or a first run finds no slot. */
    networkOf: (site: Site, lane: RunLane): string | null | undefined => {
      if (scansOf(site) >= (fullFor.get(laneKey(site, lane)) ?? Number.POSITIVE_INFINITY)) return undefined;
      // As many wait as can start until the next look.
      if (lane === "first" && queuedFirstAt(site.location) >= Math.max(1, slotsOf(site.location))) return undefined;
      const network = networks === null ? null : networks.of(site.url);
      const isBusy = lane === "first" && typeof network === "string" && isNetworkBusy(byNetwork().get(network) ?? 0);
      return isBusy ? undefined : network;
    },
    noteFull: (site: Site, lane: RunLane): void => void fullFor.set(laneKey(site, lane), scansOf(site)),
    noteStart: (site: Site, lane: RunLane, network: string | null): void => {
      // A later count includes the scans that have started before it.
      if (network !== null) counted?.set(network, (counted.get(network) ?? 0) + scansOf(site));
      if (lane === "first") queuedFirst.set(site.location, queuedFirstAt(site.location) + scansOf(site));
    },
  };
}

/** Scans of runs under way that have not ended. */
function scansByNetwork({ siteRuns, scans }: RunStarterOptions["store"]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { token } of siteRuns.list().flatMap((run) => run.scans)) {
    const { status, network } = scans.findByToken(token) ?? {};
    if (network !== undefined && (status === "queued" || status === "running")) counts.set(network, (counts.get(network) ?? 0) + 1);
  }
  return counts;
}

async function dueCandidates(options: RunStarterOptions): Promise<readonly Candidate[]> {
  const { store, clock, sitesMaxOf, log } = options;
  const isIncluded = includedSites(store, sitesMaxOf);
  const candidates: Candidate[] = [];
  for (const [at, { accountId, siteId }] of store.sites.listDue(clock.now(), dueMax).entries()) {
    if (at % sitesAtOnce === sitesAtOnce - 1) await nextTurn();
    await eachApart(log, notStarted, siteId, async () => {
      const site = store.sites.find(accountId, siteId);
      const candidate = site === undefined ? null : await candidateOf(options, site, isIncluded(site));
      if (candidate !== null) candidates.push(candidate);
    });
  }
  return candidates;
}

/** Candidate for a run; null if the site does not run now. */
async function candidateOf(options: RunStarterOptions, site: Site, isIncluded: boolean): Promise<Candidate | null> {
  const { store, clock } = options;
  if (store.siteRuns.find(site.id) !== undefined) return null;
  const change = changeInsteadOfRun(options, site);
  if (change === null && isIncluded) return asCandidate(site, clock.now());
  await store.sites.change(site.accountId, site.id, () => change ?? withoutPlannedRun);
  // A run by hand may have its second look.
  return change === null ? asCandidate({ ...site, ...withoutPlannedRun }, clock.now()) : null;
}

function changeInsteadOfRun({ store, clock, mayBeScanned }: RunStarterOptions, site: Site): SiteChange | null {
  if (site.paused) return { nextRunAt: null, secondLookAt: null };
  const account = store.accounts.findById(site.accountId);
  if (account === undefined || account.disabled) return { nextRunAt: nextRegularRun(site, clock.now()), secondLookAt: null };
  return mayBeScanned(site) ? null : postponed(site, clock.now());
}

/** Change of a site that the plan of its account does not include. */
export const withoutPlannedRun = { nextRunAt: null } as const satisfies SiteChange;

const notStarted = "run of a site could not be started";

/** A fault of one site is logged as `fault` and does not stop the others. @throws DataDirError */
export async function eachApart(log: Log, fault: string, site: number, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (error instanceof DataDirError) throw error;
    log.error(fault, { site, because: messageOf(error) });
  }
}

/** Starts of the last hour: a restart does not reset the budget. */
function recentStartsOf({ sites }: Pick<Store, "sites">, now: Date): RecentStart[] {
  const starts: RecentStart[] = [];
  for (const { accountId, createdAt, lastRunAt, schedule } of sites.listAll()) {
    const isRecent = (at: string | null) => at !== null && Math.abs(now.getTime() - Date.parse(at)) < hourMs;
    if (lastRunAt === null || !isRecent(lastRunAt)) continue;
    // No interval has a second run within the hour in which its site was added.
    const kind = "cron" in schedule ? "cron" : isRecent(createdAt) ? "first" : "interval";
    starts.push({ atMs: Date.parse(lastRunAt), accountId, kind });
  }
  return starts;
}

/** A regular run that is due stands for the second look too. */
function asCandidate(site: Site, now: Date): Candidate | null {
  const isRegular = isDue(site.nextRunAt, now);
  const isSecondLook = isDue(site.secondLookAt, now);
  if (!isRegular && !isSecondLook) return null;
  const instants = [site.nextRunAt, site.secondLookAt].flatMap((at) => (at !== null && isDue(at, now) ? [Date.parse(at)] : []));
  const { id, accountId } = site;
  return { id, accountId, kind: startKindOf(site, isRegular, isSecondLook), dueAt: new Date(Math.min(...instants)), site, isRegular };
}

function startKindOf({ schedule, reading, failingSince }: Site, isRegular: boolean, isSecondLook: boolean): StartKind {
  if (isSecondLook && reading !== null) return "second-look";
  if (isRegular && "cron" in schedule) return "cron";
  return reading === null && (isSecondLook || failingSince === null) ? "first" : "interval";
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

/** How many sites of an account are scanned by schedule. */
export type SitesMaxOf = (accountId: number) => number;

/** Whether the plan of its account includes a site: the sites that were added first are. Looks once for each account, so it is for one round only. */
export function includedSites({ sites }: Pick<Store, "sites">, sitesMaxOf: SitesMaxOf): (site: Pick<Site, "accountId" | "id">) => boolean {
  const included = new Map<number, ReadonlySet<number> | "all">();

  function includedOf(accountId: number): ReadonlySet<number> | "all" {
    const sitesMax = sitesMaxOf(accountId);
    if (sites.count(accountId) <= sitesMax) return "all";
    const first = sites.list(accountId).slice(0, sitesMax);
    return new Set(first.map(({ id }) => id));
  }

  return ({ accountId, id }) => {
    const known = included.get(accountId) ?? includedOf(accountId);
    included.set(accountId, known);
    return known === "all" || known.has(id);
  };
}
