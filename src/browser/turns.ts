/** Jobs that run one at a time; a bounded number of others wait for a bounded time. */

interface TurnLimits {
  readonly waitingMax: number;
  readonly waitMs: number;
}

export interface Turns {
  /** Outcome of the job, or `busy` without a turn: then the job does not run. */
  take<T>(job: () => Promise<T>): Promise<T | "busy">;
}

export function createTurns({ waitingMax, waitMs }: TurnLimits): Turns {
  const queue: (() => void)[] = [];
  let isTaken = false;

  /** False if the turn did not come. */
  function turn(): Promise<boolean> {
    if (queue.length >= waitingMax) return Promise.resolve(false);
    return new Promise((resolve) => {
      const begin = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(begin), 1);
        resolve(false);
      }, waitMs);
      queue.push(begin);
    });
  }

  return {
    take: async (job) => {
      if (isTaken && !(await turn())) return "busy";
      isTaken = true;
      try {
        return await job();
      } finally {
        // The turn goes to the next one at once, so that no newcomer takes it in between.
        const next = queue.shift();
        if (next === undefined) isTaken = false;
        else next();
      }
    },
  };
}
