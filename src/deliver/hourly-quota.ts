/** Limit of actions in an hour, kept in memory: a restart forgets it. */
import { createLruCache } from "../base/lru-cache.ts";

const hourMs = 3_600_000;
/** Keys that are remembered; beyond it the least recently used one is forgotten. */
const keysMax = 10_000;

export interface HourlyQuota {
  /** Counts the action, unless the limit of its key is reached. */
  take(key: string): boolean;
}

export function createHourlyQuota(perHourMax: number, now: () => Date): HourlyQuota {
  const taken = createLruCache<readonly number[]>(keysMax);
  return {
    take: (key) => {
      const nowMs = now().getTime();
      // After the clock was set back, times lie ahead: distant ones must not block the key until the clock reaches them.
      const recent = (taken.get(key) ?? []).filter((atMs) => Math.abs(nowMs - atMs) < hourMs);
      if (recent.length >= perHourMax) return false;
      taken.set(key, [...recent, nowMs]);
      return true;
    },
  };
}
