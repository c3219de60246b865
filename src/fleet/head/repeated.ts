/** Work that repeats at intervals, and soon when it is asked for; never twice at once. */
import type { Clock } from "../../base/clock.ts";
import { type Log, messageOf } from "../../base/log.ts";

export interface RepeatedOptions {
  readonly everyMs: number;
  /** Delay of a run that is asked for: several requests are one run. */
  readonly soonMs: number;
  /** Of the log line for a run that failed. */
  readonly failed: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Repeated {
  soon(): void;
  stop(): void;
}

export function createRepeated(action: () => Promise<void>, { everyMs, soonMs, failed, clock, log }: RepeatedOptions): Repeated {
  let running = false;
  let again = false;
  let stopped = false;

  async function run(): Promise<void> {
    running = true;
    again = false;
    await action().catch((error) => {
      if (!stopped) log.warn(failed, { because: messageOf(error) });
    });
    running = false;
    if (!stopped) cancelRun = clock.after(again ? soonMs : everyMs, run);
  }

  let cancelRun = clock.after(everyMs, run);
  return {
    soon: () => {
      again = true;
      if (running || stopped) return;
      cancelRun();
      cancelRun = clock.after(soonMs, run);
    },
    stop: () => {
      stopped = true;
      cancelRun();
    },
  };
}
