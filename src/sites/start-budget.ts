/** Budget of starts: how many scans of watched sites may start per minute and per hour. Pure: the time is an argument. */

/** A second look is the scan that confirms a new finding; the others are the regular runs of a site. */
export type StartKind = "interval" | "cron" | "second-look";

export interface RunCandidate {
  readonly id: string | number;
  readonly kind: StartKind;
  readonly dueAt: Date;
}

export interface StartBudget {
  readonly perMinuteMax: number;
  /** Applies to intervals. */
  readonly perHourMax: number;
  /** Applies to second looks: the limit of intervals plus a quarter of it. */
  readonly perHourWithSecondLooksMax: number;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const minutesPerHour = 60;

const perMinuteMaxDefault = 3;
const perHourMaxDefault = 12;
/** Three second looks for each twelve runs. */
const secondLookShare = 0.25;
/** Share of the budget that regular runs may need; the rest is for catching up. */
const demandShareMax = 0.8;

const order: readonly StartKind[] = ["cron", "second-look", "interval"];

/** 3 starts per minute, 12 per hour, 15 with second looks. More where the sites need more, since otherwise some would never run. */
export function startBudgetFor(demandPerHour: number): StartBudget {
  const perHourMax = Math.max(perHourMaxDefault, Math.ceil(demandPerHour / demandShareMax));
  const perHourWithSecondLooksMax = perHourMax + Math.ceil(perHourMax * secondLookShare);
  const perMinuteMax = Math.max(perMinuteMaxDefault, Math.ceil(perHourWithSecondLooksMax / minutesPerHour));
  return { perMinuteMax, perHourMax, perHourWithSecondLooksMax };
}

/**
 * Candidates that start now; the others wait for a later minute. `recentStarts` are the starts of the last hour, of every kind.
 * Cron goes first, then second looks, then by due time. Cron keeps its minute: it counts, but no limit applies to it.
 * `demandPerHour` includes cron, since its starts count: with less, cron alone could use up the limits.
 */
export function admitRuns<Run extends RunCandidate>(
  candidates: readonly Run[],
  recentStarts: readonly number[],
  now: Date,
  demandPerHour: number,
): readonly Run[] {
  const budget = startBudgetFor(demandPerHour);
  const nowMs = now.getTime();
  let inMinute = startsWithin(recentStarts, nowMs, minuteMs);
  let inHour = startsWithin(recentStarts, nowMs, hourMs);

  const isAllowed = ({ kind }: Run): boolean => {
    if (kind === "cron") return true;
    const hourMax = kind === "interval" ? budget.perHourMax : budget.perHourWithSecondLooksMax;
    return inMinute < budget.perMinuteMax && inHour < hourMax;
  };

  const due = candidates.filter(({ dueAt }) => dueAt.getTime() <= nowMs).sort(compareCandidates);
  return due.filter((run) => {
    if (!isAllowed(run)) return false;
    inMinute += 1;
    inHour += 1;
    return true;
  });
}

function compareCandidates(a: RunCandidate, b: RunCandidate): number {
  return order.indexOf(a.kind) - order.indexOf(b.kind) || a.dueAt.getTime() - b.dueAt.getTime();
}

/** After the clock was set back, starts lie ahead. Distant ones must not block the budget until the clock reaches them. */
function startsWithin(starts: readonly number[], nowMs: number, spanMs: number): number {
  return starts.filter((startMs) => Math.abs(nowMs - startMs) < spanMs).length;
}
