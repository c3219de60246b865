/** What the server did, by the hour: for the figures of a day on the administrators' page. */
import { hourMs } from "../base/units.ts";
import type { Db } from "./database.ts";
import { defineTable, keyed, type Static, stored } from "./define-table.ts";
import { reads, transactions } from "./methods.ts";

const activityRow = stored.row({
  /** First instant that is counted, ISO 8601, UTC. */
  since: stored.time,
  finished: stored.number,
  /** Scans by error code. */
  failed: stored.objectOf<Readonly<Record<string, number>>>(),
  /** Scans that left the queue for the first time, and how long they had waited, in milliseconds. */
  claimed: stored.number,
  waitedMs: stored.number,
  longestWaitMs: stored.number,
  browserRestarts: stored.number,
});
export type Activity = Static<typeof activityRow>;

/** Keyed by the hours since the Unix epoch. */
export const activityTable = defineTable({ row: activityRow, key: keyed<number>(), ofAccount: [] });

const hoursKept = 48;
const hoursOfDay = 24;

export function noActivity(since: Date): Activity {
  return { since: since.toISOString(), finished: 0, failed: {}, claimed: 0, waitedMs: 0, longestWaitMs: 0, browserRestarts: 0 };
}

/** Both together. */
export function sumOfActivity(one: Activity, other: Activity): Activity {
  const failed = { ...one.failed };
  for (const [code, count] of Object.entries(other.failed)) failed[code] = (failed[code] ?? 0) + count;
  return {
    since: new Date(Math.min(Date.parse(one.since), Date.parse(other.since))).toISOString(),
    finished: one.finished + other.finished,
    failed,
    claimed: one.claimed + other.claimed,
    waitedMs: one.waitedMs + other.waitedMs,
    longestWaitMs: Math.max(one.longestWaitMs, other.longestWaitMs),
    browserRestarts: one.browserRestarts + other.browserRestarts,
  };
}

export function activityRepository(db: Db) {
  return { ...reads(db, { lastDay }), ...transactions(db, { add }) };
}

/** Adds to the hour in which the activity began. */
function add(db: Db, activity: Activity): void {
  const hour = hourNumber(Date.parse(activity.since));
  const before = db.activity.get(hour);
  db.activity.put(hour, before === undefined ? activity : sumOfActivity(before, activity));
  // The newest of the old hours stays: it says that counting began before those that are kept.
  const [, ...old] = [...db.activity.getKeys({ end: hour - hoursKept + 1 })].reverse();
  for (const key of old) db.activity.remove(key);
}

/** The hour of `now` and the 23 before it. `since` is later where counting began later. */
function lastDay(db: Db, now: Date): Activity {
  const first = hourNumber(now.getTime()) - hoursOfDay + 1;
  const hours = db.activity.values({ start: first });
  const [isOlder] = db.activity.getKeys({ end: first, limit: 1 });
  const begun = hours[0]?.since ?? now.toISOString();
  const since = isOlder === undefined ? begun : new Date(first * hourMs).toISOString();
  return { ...hours.reduce(sumOfActivity, noActivity(now)), since };
}

function hourNumber(ms: number): number {
  return Math.floor(ms / hourMs);
}
