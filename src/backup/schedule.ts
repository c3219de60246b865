/** Schedule of backups: a time of each day, or an interval of hours. */
import { hourMs } from "../base/units.ts";
import type { BackupState } from "./backup-state.ts";

export type BackupSchedule = { readonly hour: number; readonly minute: number } | { readonly everyHours: number };

const everyHoursMax = 168;
/** Pause after a backup that failed. */
const retryMs = hourMs;

/** `03:30` or `6h`; null for anything else, as for `off`. */
export function parseSchedule(text: string): BackupSchedule | null {
  const daily = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (daily !== null) return { hour: Number(daily[1]), minute: Number(daily[2]) };
  const hours = Number(/^([1-9]\d{0,2})h$/.exec(text)?.[1] ?? 0);
  return hours >= 1 && hours <= everyHoursMax ? { everyHours: hours } : null;
}

/**
 * When the next backup is due; in the past if one was missed. `since`: the start of the server, from which a first backup is counted. Times
 * of day are in the time zone of the process; one that a change of the clock skips comes as much later.
 */
export function nextBackupAt(
  schedule: BackupSchedule,
  state: BackupState,
  { since, now }: { readonly since: Date; readonly now: Date },
): Date {
  // A time in the future comes from a clock that was wrong, and would put off the next one.
  const pastEnd = (end: { readonly at: string } | null) => (end === null || Date.parse(end.at) > now.getTime() ? null : Date.parse(end.at));
  const [succeeded, failed] = [pastEnd(state.lastSuccess), pastEnd(state.lastFailure)];
  const last = Math.max(succeeded ?? 0, failed ?? 0);
  const due = last === 0 ? firstOf(schedule, since) : nextAfter(schedule, new Date(last));
  const retry = failed !== null && failed > (succeeded ?? 0) ? new Date(failed + retryMs) : due;
  return new Date(Math.min(retry.getTime(), due.getTime()));
}

function firstOf(schedule: BackupSchedule, since: Date): Date {
  return "everyHours" in schedule ? since : nextAfter(schedule, since);
}

function nextAfter(schedule: BackupSchedule, last: Date): Date {
  if ("everyHours" in schedule) return new Date(last.getTime() + schedule.everyHours * hourMs);
  const next = new Date(last);
  next.setHours(schedule.hour, schedule.minute, 0, 0);
  if (next <= last) {
    next.setDate(next.getDate() + 1);
    next.setHours(schedule.hour, schedule.minute, 0, 0);
  }
  return next;
}
