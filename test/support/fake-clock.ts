/** Clock, timers and chance that the test sets. */
import { createHash } from "node:crypto";
import type { Clock } from "../../src/base/clock.ts";

export interface FakeClock extends Clock {
  /** Calls the actions that become due, in order, each at its time. */
  advance(ms: number): void;
  /** Lets time pass in which no action is called, as in a process without processor time. Those that were due are called late. */
  stall(ms: number): void;
  /** Sets `now` alone, as the operator of a machine does: timers and `monotonicMs` do not follow. */
  set(at: Date): void;
  /** Milliseconds until each action that waits, the earliest first. */
  waits(): readonly number[];
  /** Advances in steps, so that promises go on in between. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Lets time pass until the promise settles. @throws Error after `msMax` of this time */
  until<T>(promise: Promise<T>, msMax?: number): Promise<T>;
}

export interface FakeClockOptions {
  readonly startAt?: Date;
  readonly random?: () => number;
  /** Called with each advance, for the timers of packages. */
  readonly alongside?: (ms: number) => void;
}

interface Waiting {
  atMs: number;
  readonly everyMs: number | null;
  readonly action: () => void;
}

const stepMsDefault = 50;
/** The real one: fake timers of packages replace it. */
const nextTurn = setImmediate;

export function fakeClock({ startAt = new Date("2026-11-02T12:00:00Z"), random = () => 0.5, alongside }: FakeClockOptions = {}): FakeClock {
  let aheadMs = startAt.getTime();
  let monotonicMs = 0;
  let drawn = 0;
  const waiting = new Set<Waiting>();
  const add = (ms: number, everyMs: number | null, action: () => void) => {
    const added: Waiting = { atMs: monotonicMs + Math.max(0, ms), everyMs, action };
    waiting.add(added);
    return () => void waiting.delete(added);
  };
  const earliest = () => [...waiting].reduce<Waiting | null>((best, one) => (best === null || one.atMs < best.atMs ? one : best), null);
  function advance(ms: number): void {
    const endMs = monotonicMs + ms;
    for (let next = earliest(); next !== null && next.atMs <= endMs; next = earliest()) {
      monotonicMs = Math.max(monotonicMs, next.atMs);
      if (next.everyMs === null) waiting.delete(next);
      else next.atMs = monotonicMs + next.everyMs;
      next.action();
    }
    monotonicMs = endMs;
    alongside?.(ms);
  }
  async function pass(ms: number, stepMs = stepMsDefault): Promise<void> {
    await settled();
    for (let left = ms; left > 0; left -= stepMs) {
      advance(Math.min(left, stepMs));
      await settled();
    }
  }
  return {
    now: () => new Date(aheadMs + monotonicMs),
    monotonicMs: () => monotonicMs,
    after: (ms, action) => add(ms, null, action),
    every: (ms, action) => add(ms, ms, action),
    random,
    randomBytes: (count) => createHash("shake256", { outputLength: count }).update(String(++drawn)).digest(),
    ...{ advance, pass },
    stall: (ms) => {
      monotonicMs += ms;
      advance(0);
    },
    set: (at) => {
      aheadMs = at.getTime() - monotonicMs;
    },
    waits: () => [...waiting].map(({ atMs }) => atMs - monotonicMs).sort((one, other) => one - other),
    until: async (promise, msMax = 600_000) => {
      let isSettled = false;
      const end = () => {
        isSettled = true;
      };
      promise.then(end, end);
      await settled();
      for (let passed = 0; !isSettled; passed += stepMsDefault) {
        if (passed > msMax) throw new Error(`nothing came within ${msMax} ms of fake time`);
        await pass(stepMsDefault);
      }
      return promise;
    },
  };
}

/** Resolves when every promise that can go on without time or network has gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => void nextTurn(resolve));
}
