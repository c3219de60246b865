/** Time and chance as one value, which is passed in: a test sets both. `systemClock` is the real one. */
import { randomBytes } from "node:crypto";

export interface Clock {
  /** The clock of the machine, which its operator may set. */
  now(): Date;
  /** Milliseconds from an arbitrary start. Never set, unlike `now`. */
  monotonicMs(): number;
  /** Calls `action` once. The returned function cancels it. */
  after(ms: number, action: () => void): () => void;
  /** Calls `action` again and again until the returned function is called. Keeps no process alive. */
  every(ms: number, action: () => void): () => void;
  /** 0 to 1, for jitter. No secret comes from it. */
  random(): number;
  /** From a cryptographic generator, for secrets and ids. */
  randomBytes(count: number): Buffer;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  every: (ms, action) => {
    const timer = setInterval(action, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
  random: Math.random,
  randomBytes: (count) => randomBytes(count),
};

/** 128 random bits in hexadecimal. */
export function randomId(clock: Pick<Clock, "randomBytes">): string {
  return clock.randomBytes(16).toString("hex");
}

/** Resolves after the time, or when the signal aborts. */
export function pause(clock: Pick<Clock, "after">, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/**
 * Runs `action` with a signal that aborts after `limitMs` or with any of `parents`. The action itself must react to the signal.
 * `AbortSignal.timeout` would keep its listeners until it fires; here timer and listeners end with the action.
 */
export async function withDeadline<T>(
  clock: Pick<Clock, "after">,
  limitMs: number,
  parents: readonly (AbortSignal | undefined)[],
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const end = () => ending.abort();
  const cancel = clock.after(limitMs, end);
  for (const parent of parents) {
    if (parent?.aborted) end();
    else parent?.addEventListener("abort", end, { once: true });
  }
  try {
    return await action(ending.signal);
  } finally {
    cancel();
    for (const parent of parents) parent?.removeEventListener("abort", end);
  }
}

/** Value of the promise, or `fallback` after `limitMs`. */
export async function within<T, U>(clock: Pick<Clock, "after">, limitMs: number, promise: Promise<T>, fallback: U): Promise<T | U> {
  const late = Promise.withResolvers<U>();
  const cancel = clock.after(limitMs, () => late.resolve(fallback));
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    cancel();
  }
}

/** Resolves when the signal aborts, at once if it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
