/**
 * Cron patterns of five fields in a time zone, with at least an hour between two runs.
 *
 * Daylight saving: a fixed time that the clock skips runs once, at the first minute after the gap.
 * A fixed time that the clock repeats runs once, the first time. Times are fixed if no field of the time has a wildcard or a step.
 * Other patterns, such as each second hour, miss the skipped hour and run in both repeated hours.
 */
import { Cron } from "croner";
import { createLruCache } from "../base/lru-cache.ts";
import { hourMs, minuteMs } from "../base/units.ts";

export type CronFaultCode = "cron-malformed" | "too-often" | "never-runs";

/** Next runs that are remembered: many sites share a pattern, and a search takes a part of a millisecond. */
const rememberedMax = 2_000;
/** In place of the time of a run; no pattern runs before 1970. */
const noRun = -1;
const nextRunsMs = createLruCache<number>(rememberedMax);
/** A fixed instant, so that the same pattern is always judged alike. */
const searchStart = new Date("2026-01-01T00:00:00Z");

/** Null for a valid pattern. `zone` is a time zone that this runtime knows. */
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

/** First run after an instant, or null if there is none. */
export function nextCronRun(cron: string, zone: string, after: Date): Date | null {
  // Runs are at whole minutes, so each instant of a minute has the same next run.
  const key = `${Math.floor(after.getTime() / minuteMs)} ${zone} ${cron}`;
  const known = nextRunsMs.get(key);
  if (known !== undefined) return known === noRun ? null : new Date(known);
  const run = nextRunOf(createJob(cron, zone), after);
  nextRunsMs.set(key, run?.getTime() ?? noRun);
  return run;
}

/** Without a function to call, so croner starts no timer. */
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
