/** Limit of actions in an hour, kept in memory: a restart forgets it. */
import { createLruCache } from "../base/lru-cache.ts";

const hourMs = 3_600_000;
/** Keys that are remembered; beyond it the least recently used one is forgotten. */
const keysMax = 10_000;

export interface HourlyQuota {
  /** Counts the action, unless the limit of its key is reached. */
  take(key: string): boolean;
  /** Counts nothing. */
  isUsedUp(key: string): boolean;
}

export function createHourlyQuota(perHourMax: number, now: () => Date): HourlyQuota {
  const taken = createLruCache<readonly number[]>(keysMax);
  // After the clock was set back, times lie ahead: distant ones must not block the key until the clock reaches them.
  const recentOf = (key: string, nowMs: number) => (taken.get(key) ?? []).filter((atMs) => Math.abs(nowMs - atMs) < hourMs);
  return {
    take: (key) => {
      const nowMs = now().getTime();
      const recent = recentOf(key, nowMs);
      if (recent.length >= perHourMax) return false;
      taken.set(key, [...recent, nowMs]);
      return true;
    },
    isUsedUp: (key) => recentOf(key, now().getTime()).length >= perHourMax,
  };
}
