/** Timers as an argument, so that a test sets the time. */

export interface Timers {
  /** Calls `action` once. The returned function cancels it. */
  after(ms: number, action: () => void): () => void;
  /** Calls `action` again and again until the returned function is called. Keeps no process alive. */
  every(ms: number, action: () => void): () => void;
}

export const systemTimers: Timers = {
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  every: (ms, action) => {
    const timer = setInterval(action, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

/** Resolves after the time, or when the signal aborts. Fake timers of tests reach it, unlike the one of `node:timers/promises`. */
export function pause(ms: number, signal?: AbortSignal, timers: Timers = systemTimers): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = timers.after(ms, end);
    signal?.addEventListener("abort", end, { once: true });
  });
}
