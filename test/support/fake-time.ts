/** Fake timers whose time passes in steps, so that promises go on in between. For tests without any wait. */
import { vi } from "vitest";

/** The real one: `vi.useFakeTimers` replaces it for everybody else. */
const nextTurn = setImmediate;

export interface FakeTime extends Disposable {
  /** Lets so much time pass. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Lets time pass until the promise settles. @throws Error after `msMax` of this time */
  until<T>(promise: Promise<T>, msMax?: number): Promise<T>;
}

/** Resolves when every promise that can go on without time or network has gone on. */
export function promisesSettled(): Promise<void> {
  return new Promise((resolve) => void nextTurn(resolve));
}

/** To be disposed by the test, with `using` or in `afterEach`. */
export function startFakeTime(): FakeTime {
  vi.useFakeTimers();
  async function pass(ms: number, stepMs = 50): Promise<void> {
    await promisesSettled();
    for (let left = ms; left > 0; left -= stepMs) {
      vi.advanceTimersByTime(Math.min(left, stepMs));
      await promisesSettled();
    }
  }
  return {
    pass,
    until: async (promise, msMax = 600_000) => {
      let isSettled = false;
      const end = () => {
        isSettled = true;
      };
      promise.then(end, end);
      await promisesSettled();
      for (let passed = 0; !isSettled; passed += 50) {
        if (passed > msMax) throw new Error(`nothing came within ${msMax} ms of fake time`);
        await pass(50);
      }
      return promise;
    },
    [Symbol.dispose]: () => void vi.useRealTimers(),
  };
}
