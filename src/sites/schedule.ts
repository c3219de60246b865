/**
 * Cron patterns of five fields in a time zone, with at least an hour between two runs.
 *
 * Daylight saving: a fixed time that the clock skips runs once, at the first minute after the gap.
 * A fixed time that the clock repeats runs once, the first time. Times are fixed if no field of the time has a wildcard or a step.
 * Other patterns, such as each second hour, miss the skipped hour and run in both repeated hours.
 */
import { createHash } from "node:crypto";
import { Cron } from "croner";
import { createLruCache } from "../base/lru-cache.ts";
import { tryOr } from "../base/try-or.ts";
import { hourMs, minuteMs } from "../base/units.ts";
import { type ScheduleInterval, type SiteSchedule, scheduleDefault, scheduleIntervals } from "../parse/site-csv.ts";
import type { NewSite, Site, SiteChange, SiteFields } from "../store/sites.ts";

export type CronFaultCode = "cron-malformed" | "too-often" | "never-runs";

/** Next runs that are remembered: many sites share a pattern, and a search takes a part of a millisecond. */
const rememberedMax = 2_000;
/** Stands for the time of a run; no pattern runs before 1970. */
const noRun = -1;
const nextRunsMs = createLruCache<number>(rememberedMax);
/** A fixed instant, so that the same pattern is always judged alike. */
const searchStart = new Date("2026-01-01T00:00:00Z");

/** What is wrong with a pattern; null for a valid one. `zone` is a time zone that this runtime knows. */
export function cronFault(cron: string, zone: string): CronFaultCode | null {
  try {
    const job = createJob(cron, zone);
    if (!hasOneMinute(cron)) return "too-often";
    // The search of croner ends with the year 9999, so a pattern without a run has no matching date.
    return nextRunOf(job, searchStart) === null ? "never-runs" : null;
  } catch {
    return "cron-malformed";
  }
}

/** First run after an instant; null if the pattern has no further run. */
export function nextCronRun(cron: string, zone: string, after: Date): Date | null {
  // Runs are at whole minutes, so each instant of a minute has the same next run.
  const key = `${Math.floor(after.getTime() / minuteMs)} ${zone} ${cron}`;
  const known = nextRunsMs.get(key);
  if (known !== undefined) return known === noRun ? null : new Date(known);
  const run = nextRunOf(createJob(cron, zone), after);
  nextRunsMs.set(key, run?.getTime() ?? noRun);
  return run;
}

/** Has no function to call, so croner starts no timer. */
function createJob(cron: string, zone: string): Cron {
  // Nicknames such as @daily pass the check of the mode.
  if (cron.includes("@")) throw new TypeError("a nickname is not a pattern of five fields");
  return new Cron(cron, { timezone: zone, mode: "5-part", fixedTimeRule: "no-wildcard" });
}

/** Two minutes of one hour are less than an hour apart; runs in one minute of each hour are at least an hour apart on the clock. */
function hasOneMinute(cron: string): boolean {
  const [minute = ""] = cron.trim().split(/\s+/);
  const [first, second] = createJob(`${minute} * * * *`, "UTC").nextRuns(2, searchStart);
  return first !== undefined && second !== undefined && second.getTime() - first.getTime() === hourMs;
}

function nextRunOf(job: Cron, after: Date): Date | null {
  let run = job.nextRun(after);
  while (run !== null && isTooClose(job, run)) run = job.nextRun(run);
  return run;
}

/** Whether a change of the clock brings a run within an hour of another one, which then stands for both. */
function isTooClose(job: Cron, run: Date): boolean {
  const isNear = (other: Date | null | undefined) => other != null && Math.abs(other.getTime() - run.getTime()) < hourMs;
  const [before] = job.previousRuns(1, run);
  // A run moved out of the skipped hour does not match the pattern.
  if (!job.match(run)) return isNear(before) || isNear(job.nextRun(run));
  // Zones that repeat half an hour, as Lord Howe Island does.
  return before !== undefined && isNear(before) && job.match(before);
}

/** `both-forms`: an interval beside cron, or a field that no schedule has. */
export type ScheduleFaultCode = "both-forms" | "unknown-interval" | "zone-unknown" | CronFaultCode;

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
export function parseSiteSchedule(value: unknown): SiteSchedule | { readonly fault: ScheduleFaultCode } {
  const given = (typeof value === "object" && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const { every, cron, zone } = given;
  const known: readonly string[] = cron === undefined ? ["every"] : ["cron", "zone"];
  if (Object.keys(given).some((name) => given[name] !== undefined && !known.includes(name))) return { fault: "both-forms" };
  if (cron !== undefined) return parseCron(cron, zone);
  const interval = scheduleIntervals.find((each) => each === every);
  return interval === undefined ? { fault: "unknown-interval" } : { every: interval };
}

/**
 * First regular run after an instant. An interval has one slot per window, by the hash of the site, so that runs are spread evenly.
 * Windows are counted in UTC from the epoch. A stored cron whose zone this runtime no longer knows runs by the default interval.
 */
export function nextRunAfter(schedule: SiteSchedule, siteKey: string, after: Date): Date {
  if ("every" in schedule) return nextSlot(schedule.every, siteKey, after);
  return tryOr(() => nextCronRun(schedule.cron, schedule.zone, after), null) ?? nextSlot(scheduleDefault.every, siteKey, after);
}

export function nextRuns(schedule: SiteSchedule, siteKey: string, after: Date, count = 3): readonly Date[] {
  const runs: Date[] = [];
  for (let last = after; runs.length < count; runs.push(last)) last = nextRunAfter(schedule, siteKey, last);
  return runs;
}

/**
 * Whether a site is due, and the time of the run after it. Runs missed become one: the next is the first regular one after `now`.
 * A site that is not due keeps its time, unless that lies beyond its next run. This is so after the clock was set back.
 * `nextRunAt` is to be stored: when a due run starts, and otherwise at once if it differs.
 */
export function dueRun(schedule: SiteSchedule, siteKey: string, nextRunAt: Date, now: Date) {
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

function parseCron(cron: unknown, zone: unknown): SiteSchedule | { readonly fault: ScheduleFaultCode } {
  if (typeof cron !== "string" || cron.length > cronCharsMax) return { fault: "cron-malformed" };
  if (typeof zone !== "string" || !isZoneName(zone)) return { fault: "zone-unknown" };
  const pattern = cron.trim().split(/\s+/).join(" ");
  const code = cronFault(pattern, zone);
  return code === null ? { cron: pattern, zone } : { fault: code };
}

/** Names of the IANA database. Offsets such as "+02:00", which Intl accepts, have no daylight saving. */
function isZoneName(zone: string): boolean {
  if (zone.length > zoneCharsMax || !/^[A-Za-z][\w+/-]*$/.test(zone)) return false;
  return tryOr(() => new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "", false);
}

/** Next runs that are shown. */
const shownRuns = 3;

/** Key by which runs are spread over the window of an interval. Known before the site has an id. */
export function scheduleKeyOf({ accountId, url }: Pick<Site, "accountId" | "url">): string {
  return `${accountId} ${url}`;
}

/** An interval starts at once, since the clock spreads the starts. Cron keeps its times. */
export function plannedSite(fields: SiteFields, accountId: number, now: Date): NewSite {
  return { ...fields, accountId, nextRunAt: firstRunAt({ ...fields, accountId, lastRunAt: null }, now), now };
}

/** The change with its effects on the planned runs. */
export function plannedChange(site: Site, change: Partial<SiteFields>, now: Date): SiteChange {
  const changed = { ...site, ...change };
  if (changed.paused) return { ...change, nextRunAt: null, secondLookAt: null };
  // Nothing is known of another address yet.
  if (changed.url !== site.url) return { ...change, nextRunAt: firstRunAt({ ...changed, lastRunAt: null }, now) };
  if (!site.paused && (change.schedule === undefined || isSameSchedule(site.schedule, change.schedule))) return change;
  return { ...change, nextRunAt: firstRunAt(changed, now) };
}

/** Instants of the next runs, the earliest first; none while the site is paused. */
export function shownRunsOf(site: Site): readonly string[] {
  if (site.nextRunAt === null) return [];
  const further = nextRuns(site.schedule, scheduleKeyOf(site), new Date(site.nextRunAt), shownRuns - 1);
  return [site.nextRunAt, ...further.map((run) => run.toISOString())];
}

function firstRunAt(site: Pick<Site, "accountId" | "url" | "schedule" | "lastRunAt">, now: Date): string {
  if ("every" in site.schedule && site.lastRunAt === null) return now.toISOString();
  return nextRunAfter(site.schedule, scheduleKeyOf(site), now).toISOString();
}

function isSameSchedule(one: Site["schedule"], other: Site["schedule"]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
