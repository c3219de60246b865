/** Rate limiter: counts requests by key in fixed windows, in bounded memory. */
import { createLruCache } from "./lru-cache.ts";

/** The oldest window is evicted beyond this. A flood of addresses resets only its own counts. */
const countedKeysMax = 20_000;

export interface RateLimit {
  readonly requestsMax: number;
  readonly windowSeconds: number;
}

export interface Counted {
  readonly exceeded: boolean;
  readonly remaining: number;
  /** Until the window ends; at least 1. */
  readonly resetSeconds: number;
}

/** `weight`: what the request counts as; 1 by default. A negative one gives back what was counted and not used. */
export type CountRequest = (key: string, weight?: number) => Counted;

/** A window opens with a key's first request. Refused requests do not count. */
export function createRateLimit({ requestsMax, windowSeconds }: RateLimit, nowMs: () => number): CountRequest {
  const windows = createLruCache<{ count: number; readonly startsAtMs: number }>(countedKeysMax);
  const windowMs = windowSeconds * 1_000;

  function open(key: string, startsAtMs: number) {
    const window = { count: 0, startsAtMs };
    windows.set(key, window);
    return window;
  }

  return (key, weight = 1) => {
    const now = nowMs();
    // `peek` keeps the order of opening: the oldest window is the next to end.
    const known = windows.peek(key);
    // After the clock is set back, a window in the future would block its key for too long.
    const isOpen = known !== undefined && known.startsAtMs <= now && now < known.startsAtMs + windowMs;
    const window = isOpen ? known : open(key, now);
    const exceeded = window.count + weight > requestsMax;
    if (!exceeded) window.count = Math.max(0, window.count + weight);
    return {
      exceeded,
      remaining: requestsMax - window.count,
      resetSeconds: Math.max(1, Math.ceil((window.startsAtMs + windowMs - now) / 1_000)),
    };
  };
}
