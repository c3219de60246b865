/** Throttle with exponential backoff: after a few free failures, each attempt doubles the wait. In memory, bounded. */
import { createLruCache } from "../base/lru-cache.ts";

/** Keys in memory; beyond this the one whose latest counted attempt is oldest is dropped. */
const keysMax = 20_000;

export interface ThrottleBounds {
  readonly freeFailures: number;
  readonly waitSecondsMax: number;
  /** Idle time after which the count restarts. */
  readonly forgetSeconds: number;
}

interface Failures {
  readonly count: number;
  readonly lastMs: number;
  readonly waitMs: number;
}

export function createThrottle({ freeFailures, waitSecondsMax, forgetSeconds }: ThrottleBounds, nowMs: () => number) {
  const failures = createLruCache<Failures>(keysMax);

  return {
    /** Seconds to wait; 0 allows the attempt and counts it as failed, so that parallel attempts gain nothing. */
    attempt: (key: string): number => {
      const now = nowMs();
      const known = failures.peek(key);
      // A clock set back must not prolong the wait.
      const isRecent = known !== undefined && known.lastMs <= now && now < known.lastMs + forgetSeconds * 1_000;
      const { count, lastMs, waitMs } = isRecent ? known : { count: 0, lastMs: now, waitMs: 0 };
      const leftMs = lastMs + waitMs - now;
      if (leftMs > 0) return Math.ceil(leftMs / 1_000);
      const nextWaitMs = count < freeFailures ? 0 : Math.min(2 ** (count - freeFailures), waitSecondsMax) * 1_000;
      failures.set(key, { count: count + 1, lastMs: now, waitMs: nextWaitMs });
      return 0;
    },
    /** Uncounts the latest attempt. */
    undo: (key: string): void => {
      const known = failures.peek(key);
      if (known !== undefined) failures.set(key, { ...known, count: Math.max(0, known.count - 1), waitMs: 0 });
    },
    clear: (key: string): void => void failures.delete(key),
  };
}
