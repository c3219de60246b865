/** Schedules of watched sites: validation, next run, and runs missed. Pure: the time is an argument. */
import { createHash } from "node:crypto";
import { type ScheduleInterval, type SiteSchedule, scheduleDefault, scheduleIntervals } from "../parse/site-csv.ts";
import { type CronFaultCode, cronFault, nextCronRun } from "./cron.ts";

/** `both-forms`: an interval beside cron, or a field that no schedule has. */
export type ScheduleFaultCode = "both-forms" | "unknown-interval" | "zone-unknown" | CronFaultCode;

export interface ScheduleFault {
  readonly code: ScheduleFaultCode;
  /** What was refused, cut at the limit; empty if it is no text. */
  readonly value: string;
}

export interface DueRun {
  readonly due: boolean;
  /** Time to store: where a run is due, when it starts; otherwise at once if it differs. */
  readonly nextRunAt: Date;
}

const windowSeconds: Readonly<Record<ScheduleInterval, number>> = {
  hourly: 3_600,
  daily: 86_400,
  weekly: 604_800,
  // A calendar month has no fixed length, and the spread over a window needs one.
  monthly: 30 * 86_400,
};

const cronCharsMax = 100;
/** The longest name of the IANA database has 32 characters. */
const zoneCharsMax = 64;
/** Setbacks up to this keep the stored time: a run just done must not come again. Below the shortest interval. */
const clockSetbackMsMax = 15 * 60_000;
/** Runs by which the mean rate of a cron pattern is measured. */
const sampledRuns = 10;
/** 48 bits: the largest whole number of bytes that a number holds exactly. */
const hashBytes = 6;

/** `value` is JSON from outside: `every`, or `cron` with `zone`. Anything beside them is a fault, since it would have no effect. */
export function parseSiteSchedule(value: unknown): SiteSchedule | { readonly fault: ScheduleFault } {
  const given = (typeof value === "object" && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const { every, cron, zone } = given;
  const known: readonly string[] = cron === undefined ? ["every"] : ["cron", "zone"];
  if (Object.keys(given).some((name) => given[name] !== undefined && !known.includes(name))) return faultOf("both-forms", every);
  if (cron !== undefined) return parseCron(cron, zone);
  const interval = scheduleIntervals.find((each) => each === every);
  return interval === undefined ? faultOf("unknown-interval", every) : { every: interval };
}

/**
 * First regular run after an instant. An interval has one slot per window, by the hash of the site, so that runs are spread evenly.
 * Windows are counted in UTC from the epoch. A stored cron whose zone this runtime no longer knows runs by the default interval.
 */
export function nextRunAfter(schedule: SiteSchedule, siteKey: string, after: Date): Date {
  if ("every" in schedule) return nextSlot(schedule.every, siteKey, after);
  return cronRunAfter(schedule.cron, schedule.zone, after) ?? nextSlot(scheduleDefault.every, siteKey, after);
}

export function nextRuns(schedule: SiteSchedule, siteKey: string, after: Date, count = 3): readonly Date[] {
  const runs: Date[] = [];
  for (let last = after; runs.length < count; runs.push(last)) last = nextRunAfter(schedule, siteKey, last);
  return runs;
}

/**
 * Whether a site is due, and the time of the run after it. Runs missed become one: the next is the first regular one after `now`.
 * A site that is not due keeps its time, unless that lies beyond its next run. This is so after the clock was set back.
 */
export function dueRun(schedule: SiteSchedule, siteKey: string, nextRunAt: Date, now: Date): DueRun {
  const due = nextRunAt.getTime() <= now.getTime();
  if (!due && !isBeyondNextRun(schedule, siteKey, nextRunAt, now)) return { due, nextRunAt };
  return { due, nextRunAt: nextRunAfter(schedule, siteKey, now) };
}

/** Mean number of runs per hour of these schedules: what the budget of starts must carry. */
export function demandPerHour(schedules: Iterable<SiteSchedule>, now: Date): number {
  // Sites of one account often share a pattern, and measuring is slow.
  const rates = new Map<string, number>();
  let sum = 0;
  for (const schedule of schedules) {
    const key = "every" in schedule ? schedule.every : `${schedule.cron} ${schedule.zone}`;
    const rate = rates.get(key) ?? runsPerHour(schedule, now);
    rates.set(key, rate);
    sum += rate;
  }
  return sum;
}

function runsPerHour(schedule: SiteSchedule, now: Date): number {
  if ("every" in schedule) return windowSeconds.hourly / windowSeconds[schedule.every];
  const runs = nextRuns(schedule, "", now, sampledRuns);
  const spanMs = (runs.at(-1)?.getTime() ?? 0) - (runs[0]?.getTime() ?? 0);
  return ((sampledRuns - 1) * windowSeconds.hourly * 1_000) / spanMs;
}

function isBeyondNextRun(schedule: SiteSchedule, siteKey: string, nextRunAt: Date, now: Date): boolean {
  const latestNow = new Date(now.getTime() + clockSetbackMsMax);
  const aheadMs = nextRunAt.getTime() - latestNow.getTime();
  // One slot lies in each window, so an interval needs no hash here: this runs for every site and minute.
  if ("every" in schedule) return !(aheadMs <= windowSeconds[schedule.every] * 1_000);
  return !(aheadMs <= 0 || nextRunAt.getTime() <= nextRunAfter(schedule, siteKey, latestNow).getTime());
}

function nextSlot(every: ScheduleInterval, siteKey: string, after: Date): Date {
  const windowMs = windowSeconds[every] * 1_000;
  const hash = createHash("sha256").update(siteKey).digest().readUIntBE(0, hashBytes);
  const slotMs = (hash % windowSeconds[every]) * 1_000;
  const windows = Math.floor((after.getTime() - slotMs) / windowMs) + 1;
  return new Date(windows * windowMs + slotMs);
}

function cronRunAfter(cron: string, zone: string, after: Date): Date | null {
  try {
    return nextCronRun(cron, zone, after);
  } catch {
    return null;
  }
}

function parseCron(cron: unknown, zone: unknown): SiteSchedule | { readonly fault: ScheduleFault } {
  if (typeof cron !== "string" || cron.length > cronCharsMax) return faultOf("cron-malformed", cron);
  if (typeof zone !== "string" || !isZoneName(zone)) return faultOf("zone-unknown", zone);
  const pattern = cron.trim().split(/\s+/).join(" ");
  const code = cronFault(pattern, zone);
  return code === null ? { cron: pattern, zone } : faultOf(code, cron);
}

/** Names of the IANA database. Offsets such as "+02:00", which Intl accepts, have no daylight saving. */
function isZoneName(zone: string): boolean {
  if (zone.length > zoneCharsMax || !/^[A-Za-z][\w+/-]*$/.test(zone)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

function faultOf(code: ScheduleFaultCode, value: unknown): { readonly fault: ScheduleFault } {
  return { fault: { code, value: typeof value === "string" ? value.slice(0, cronCharsMax) : "" } };
}
