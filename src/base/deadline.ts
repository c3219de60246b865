/** Time limits that release timers and listeners early. `AbortSignal.timeout` keeps its listeners until it fires. */
import { systemTimers, type Timers } from "./timers.ts";

/** Runs `action` with a signal that aborts after `limitMs` or with any of `parents`. The action itself must react to the signal. */
export async function withDeadline<T>(
  limitMs: number,
  parents: readonly (AbortSignal | undefined)[],
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, limitMs);
  for (const parent of parents) {
    if (parent?.aborted) end();
    else parent?.addEventListener("abort", end, { once: true });
  }
  try {
    return await action(ending.signal);
  } finally {
    clearTimeout(timer);
    for (const parent of parents) parent?.removeEventListener("abort", end);
  }
}

/** Value of the promise, or `fallback` after `limitMs`. */
export async function within<T, U>(limitMs: number, promise: Promise<T>, fallback: U, timers: Timers = systemTimers): Promise<T | U> {
  const late = Promise.withResolvers<U>();
  const cancel = timers.after(limitMs, () => late.resolve(fallback));
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
