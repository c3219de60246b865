/** Semaphore with a bounded queue, and a smaller bound for each key, for costly work. */

export interface KeyedSemaphoreLimits {
  readonly concurrencyMax: number;
  readonly queueMax: number;
  /** Queue bound per key, so that a flood from one client does not block the others. */
  readonly queuePerKeyMax: number;
}

/** Runs the work as soon as a permit is free; "busy" at once when the queue is full. */
export type KeyedSemaphore = <T>(key: string, work: () => Promise<T>) => Promise<T | "busy">;

export function createKeyedSemaphore({ concurrencyMax, queueMax, queuePerKeyMax }: KeyedSemaphoreLimits): KeyedSemaphore {
  const queue: { readonly key: string; readonly begin: () => void }[] = [];
  let running = 0;
  return async (key, work) => {
    if (running >= concurrencyMax) {
      const queuedOfKey = queue.filter((other) => other.key === key).length;
      if (queue.length >= queueMax || queuedOfKey >= queuePerKeyMax) return "busy";
      // The finished task passes its permit on, so `running` does not change.
      await new Promise<void>((begin) => queue.push({ key, begin }));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next.begin();
    }
  };
}
