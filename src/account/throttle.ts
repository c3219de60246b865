/** Slows down whoever keeps guessing: a few attempts are free, then each costs twice the wait of the one before. In memory, bounded. */
import { setYoungest } from "../base/bounded-map.ts";

/** Keys remembered at once; beyond it the oldest is forgotten. What a flood of addresses gains is only its own count. */
const keysMax = 20_000;

export interface ThrottleBounds {
  /** Failures that cost nothing. */
  readonly freeFailures: number;
  readonly waitSecondsMax: number;
  /** After so long without an attempt everything is forgotten. */
  readonly forgetSeconds: number;
}

export interface Throttle {
  /** Seconds to wait; 0 when the attempt may be made. It counts as failed from then on, so that many at once gain nothing. */
  attempt(key: string): number;
  /** Takes the latest attempt back: it was none. */
  takeBack(key: string): void;
  /** Forgets all failures. */
  clear(key: string): void;
}

interface Failures {
  readonly count: number;
  readonly lastMs: number;
  readonly waitMs: number;
}

export function createThrottle({ freeFailures, waitSecondsMax, forgetSeconds }: ThrottleBounds, nowMs: () => number): Throttle {
  const failures = new Map<string, Failures>();

  const remember = (key: string, entry: Failures) => setYoungest(failures, key, entry, keysMax);

  return {
    attempt: (key) => {
      const now = nowMs();
      const known = failures.get(key);
      // A clock that was set back must not leave anybody waiting until it has caught up.
      const isRecent = known !== undefined && known.lastMs <= now && now < known.lastMs + forgetSeconds * 1_000;
      const { count, lastMs, waitMs } = isRecent ? known : { count: 0, lastMs: now, waitMs: 0 };
      const leftMs = lastMs + waitMs - now;
      if (leftMs > 0) return Math.ceil(leftMs / 1_000);
      const nextWaitMs = count < freeFailures ? 0 : Math.min(2 ** (count - freeFailures), waitSecondsMax) * 1_000;
      remember(key, { count: count + 1, lastMs: now, waitMs: nextWaitMs });
      return 0;
    },
    takeBack: (key) => {
      const known = failures.get(key);
      if (known !== undefined) remember(key, { ...known, count: Math.max(0, known.count - 1), waitMs: 0 });
    },
    clear: (key) => void failures.delete(key),
  };
}
