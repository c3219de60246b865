/** A waiting line before work that is costly: so much at once, so much waiting, little of it for one and the same, and everybody else is turned away at the door. */

export interface KeyedSemaphoreLimits {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  /** Of those that wait, for one and the same: so whoever sends a flood waits in it alone. */
  readonly waitingOfOneMax: number;
}

/** Runs the work when its turn comes; "busy" at once when too many wait already. `whose` tells who it is for. */
export type TakeTurn = <T>(whose: string, work: () => Promise<T>) => Promise<T | "busy">;

export function createKeyedSemaphore({ atOnceMax, waitingMax, waitingOfOneMax }: KeyedSemaphoreLimits): TakeTurn {
  const waiting: { readonly whose: string; readonly begin: () => void }[] = [];
  let running = 0;
  return async (whose, work) => {
    if (running >= atOnceMax) {
      const waitingOfOne = waiting.filter((other) => other.whose === whose).length;
      if (waiting.length >= waitingMax || waitingOfOne >= waitingOfOneMax) return "busy";
      // Whoever leaves hands the turn on, so `running` stays as it is.
      await new Promise<void>((begin) => waiting.push({ whose, begin }));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next.begin();
    }
  };
}
