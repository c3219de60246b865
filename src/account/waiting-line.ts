/** A waiting line before work that is costly: so much at once, so much waiting, and everybody else is turned away at the door. */

export interface WaitingLineBounds {
  readonly atOnceMax: number;
  readonly waitingMax: number;
}

/** Runs the work when its turn comes; "busy" at once when too many wait already. */
export type TakeTurn = <T>(work: () => Promise<T>) => Promise<T | "busy">;

export function createWaitingLine({ atOnceMax, waitingMax }: WaitingLineBounds): TakeTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= atOnceMax) {
      if (waiting.length >= waitingMax) return "busy";
      // Whoever leaves hands the turn on, so `running` stays as it is.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
