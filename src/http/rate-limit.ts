/** Counts requests by key in fixed windows, in memory that cannot grow without end. */
import { setYoungest } from "../base/bounded-map.ts";

/** Keys counted at once. Beyond it the oldest window is forgotten: what a flood of addresses gains is only its own count. */
const countedKeysMax = 20_000;

export interface RateLimit {
  /** Requests allowed in a window. */
  readonly requestsMax: number;
  readonly windowSeconds: number;
}

export interface Counted {
  readonly exceeded: boolean;
  readonly remaining: number;
  /** Until the window ends; at least 1. */
  readonly resetSeconds: number;
}

export type CountRequest = (key: string) => Counted;

/**
 * Counts one request per call. A window opens with a key's first request and closes after `windowSeconds`; refused requests
 * count too, and change nothing about its end.
 */
export function createRateLimit({ requestsMax, windowSeconds }: RateLimit, nowMs: () => number): CountRequest {
  const windows = new Map<string, { count: number; readonly startsAtMs: number }>();
  const windowMs = windowSeconds * 1_000;

  function open(key: string, startsAtMs: number) {
    const window = { count: 0, startsAtMs };
    setYoungest(windows, key, window, countedKeysMax);
    return window;
  }

  return (key) => {
    const now = nowMs();
    const known = windows.get(key);
    // A clock that was set back must not leave anybody shut out until it has caught up.
    const isOpen = known !== undefined && known.startsAtMs <= now && now < known.startsAtMs + windowMs;
    const window = isOpen ? known : open(key, now);
    window.count += 1;
    return {
      exceeded: window.count > requestsMax,
      remaining: Math.max(requestsMax - window.count, 0),
      resetSeconds: Math.max(1, Math.ceil((window.startsAtMs + windowMs - now) / 1_000)),
    };
  };
}
