/** Clock and timers that the test moves. */
import type { Clock } from "../../src/base/clock.ts";

export interface ManualTimers extends Pick<Clock, "now" | "after" | "every"> {
  /** Calls the actions that become due, in order, each at its time. */
  advance(ms: number): void;
  /** Milliseconds until each action that waits, the earliest first. */
  waits(): readonly number[];
}

interface Waiting {
  atMs: number;
  readonly everyMs: number | null;
  readonly action: () => void;
}

export function manualTimers(): ManualTimers {
  let nowMs = Date.parse("2026-11-02T12:00:00Z");
  const waiting = new Set<Waiting>();
  const add = (ms: number, everyMs: number | null, action: () => void) => {
    const added: Waiting = { atMs: nowMs + ms, everyMs, action };
    waiting.add(added);
    return () => void waiting.delete(added);
  };
  const earliest = () => [...waiting].reduce<Waiting | null>((best, one) => (best === null || one.atMs < best.atMs ? one : best), null);
  return {
    now: () => new Date(nowMs),
    after: (ms, action) => add(ms, null, action),
    every: (ms, action) => add(ms, ms, action),
    advance: (ms) => {
      const endMs = nowMs + ms;
      for (let next = earliest(); next !== null && next.atMs <= endMs; next = earliest()) {
        nowMs = Math.max(nowMs, next.atMs);
        if (next.everyMs === null) waiting.delete(next);
        else next.atMs += next.everyMs;
        next.action();
      }
      nowMs = endMs;
    },
    waits: () => [...waiting].map(({ atMs }) => atMs - nowMs).sort((one, other) => one - other),
  };
}

/** Resolves when every promise that needs no event has been settled. */
export function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
