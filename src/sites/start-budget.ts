/** Budget of starts: how many scans of watched sites may start per minute and per hour. Pure: the time is an argument. */
import { hourMs, minuteMs } from "../base/units.ts";

/** A second look is the scan that confirms a new finding; the others are the regular runs of a site. */
export type StartKind = "interval" | "cron" | "second-look";

export interface RunCandidate {
  readonly id: string | number;
  readonly accountId: number;
  readonly kind: StartKind;
  readonly dueAt: Date;
  /** The first run of its site. An import of many sites must not hold up the others of its account. */
  readonly isFirst: boolean;
}

export interface RecentStart {
  readonly atMs: number;
  readonly accountId: number;
  readonly kind: StartKind;
}

export interface StartBudget {
  readonly perMinuteMax: number;
  /** Applies to intervals. */
  readonly perHourMax: number;
  /** Applies to second looks: the limit of intervals plus a quarter of it. */
  readonly perHourWithSecondLooksMax: number;
}

const minutesPerHour = 60;

const perMinuteMaxDefault = 3;
const perHourMaxDefault = 12;
/** Three second looks for each twelve runs. */
const secondLookShare = 0.25;
/** Share of the budget that regular runs may need; the rest is for catching up. */
const demandShareMax = 0.8;

/** 3 starts per minute, 12 per hour, 15 with second looks. More where the sites need more, since otherwise some would never run. */
export function startBudgetFor(demandPerHour: number): StartBudget {
  const perHourMax = Math.max(perHourMaxDefault, Math.ceil(demandPerHour / demandShareMax));
  const perHourWithSecondLooksMax = perHourMax + Math.ceil(perHourMax * secondLookShare);
  const perMinuteMax = Math.max(perMinuteMaxDefault, Math.ceil(perHourWithSecondLooksMax / minutesPerHour));
  return { perMinuteMax, perHourMax, perHourWithSecondLooksMax };
}

/** Runs that may start now, one after the other. */
export interface Admission<Run extends RunCandidate> {
  /** Each run once; null if none is left, or none may start any more. */
  next(): Run | null;
  /** A run that is not noted leaves its place to another. */
  noteStart(run: Run): void;
}

/**
 * `recentStarts`: of the last hour, of every kind. Cron goes first, then second looks, then intervals. Cron keeps its minute: it counts, but
 * no limit applies to it. It cannot use up the second looks of an hour. Accounts take turns: that with the fewest starts goes first.
 * `demandPerHour` includes cron, since its starts count: with less, cron alone could use up the limits.
 */
export function createAdmission<Run extends RunCandidate>(
  candidates: readonly Run[],
  recentStarts: readonly RecentStart[],
  now: Date,
  demandPerHour: number,
): Admission<Run> {
  const nowMs = now.getTime();
  const due = candidates.filter(({ dueAt }) => dueAt.getTime() <= nowMs);
  const ofKind = (kind: StartKind) => due.filter((run) => run.kind === kind).sort(compareCandidates);
  const [crons, looks, turns] = [
    ofKind("cron"),
    ofKind("second-look"),
    createTurns(ofKind("interval"), startsByAccount(recentStarts, nowMs)),
  ];
  const counted = countStarts(recentStarts, nowMs, startBudgetFor(demandPerHour));

  return {
    next: () => {
      const [cron] = crons.splice(0, 1);
      if (cron !== undefined) return cron;
      const [look] = counted.mayStart("second-look") ? looks.splice(0, 1) : [];
      if (look !== undefined) return look;
      return counted.mayStart("interval") ? turns.next() : null;
    },
    noteStart: (run) => {
      counted.noteStart(run.kind);
      if (run.kind === "interval") turns.noteStart(run.accountId);
    },
  };
}

function countStarts(recentStarts: readonly RecentStart[], nowMs: number, budget: StartBudget) {
  const { perMinuteMax, perHourMax, perHourWithSecondLooksMax } = budget;
  const inHourOf = (kinds: readonly StartKind[]) =>
    startsWithin(
      recentStarts.filter(({ kind }) => kinds.includes(kind)),
      nowMs,
      hourMs,
    );
  let inMinute = startsWithin(recentStarts, nowMs, minuteMs);
  const inHour = { cron: inHourOf(["cron"]), "second-look": inHourOf(["second-look"]), interval: inHourOf(["interval"]) };

  return {
    mayStart: (kind: "second-look" | "interval"): boolean => {
      if (inMinute >= perMinuteMax) return false;
      const withoutCron = inHour.interval + inHour["second-look"];
      if (kind === "interval") return withoutCron + inHour.cron < perHourMax;
      const isKept = inHour["second-look"] < perHourWithSecondLooksMax - perHourMax;
      return withoutCron < perHourWithSecondLooksMax && (isKept || withoutCron + inHour.cron < perHourWithSecondLooksMax);
    },
    noteStart: (kind: StartKind): void => {
      inMinute += 1;
      inHour[kind] += 1;
    },
  };
}

/** `runs`: in the order of each account. */
function createTurns<Run extends RunCandidate>(runs: readonly Run[], starts: Map<number, number>) {
  const waiting = new Map([...Map.groupBy(runs, ({ accountId }) => accountId)].map(([accountId, own]) => [accountId, [...own].reverse()]));
  const startsOf = (accountId: number) => starts.get(accountId) ?? 0;

  /** Of the account with the fewest starts; where they are equal, the one that waits longest. */
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

/** Without cron, whose times an account has chosen itself. */
function startsByAccount(recentStarts: readonly RecentStart[], nowMs: number): Map<number, number> {
  const starts = new Map<number, number>();
  for (const { atMs, accountId, kind } of recentStarts)
    if (kind !== "cron" && Math.abs(nowMs - atMs) < hourMs) starts.set(accountId, (starts.get(accountId) ?? 0) + 1);
  return starts;
}

function compareCandidates(a: RunCandidate, b: RunCandidate): number {
  return Number(a.isFirst) - Number(b.isFirst) || a.dueAt.getTime() - b.dueAt.getTime();
}

/** After the clock was set back, starts lie ahead. Distant ones must not block the budget until the clock reaches them. */
function startsWithin(starts: readonly RecentStart[], nowMs: number, spanMs: number): number {
  return starts.filter(({ atMs }) => Math.abs(nowMs - atMs) < spanMs).length;
}
