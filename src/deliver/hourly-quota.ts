/** Limit of actions in an hour, kept in memory: a restart forgets it. */
import type { Clock } from "../base/clock.ts";
import { createLruCache } from "../base/lru-cache.ts";
import { hourMs } from "../base/units.ts";

/** Keys that are remembered; beyond it the least recently used one is forgotten. */
const keysMax = 10_000;

export interface HourlyQuota {
  /** Counts the action, unless the limit of its key is reached. */
  take(key: string): boolean;
  /** Counts nothing. */
  isUsedUp(key: string): boolean;
}

export function createHourlyQuota(perHourMax: number, clock: Pick<Clock, "now">): HourlyQuota {
  const taken = createLruCache<readonly number[]>(keysMax);
  // After the clock was set back, times lie ahead: distant ones must not block the key until the clock reaches them.
  const recentOf = (key: string, nowMs: number) => (taken.get(key) ?? []).filter((atMs) => Math.abs(nowMs - atMs) < hourMs);
  return {
    take: (key) => {
      const nowMs = clock.now().getTime();
      const recent = recentOf(key, nowMs);
      if (recent.length >= perHourMax) return false;
      taken.set(key, [...recent, nowMs]);
      return true;
    },
    isUsedUp: (key) => recentOf(key, clock.now().getTime()).length >= perHourMax,
  };
}
