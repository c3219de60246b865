/** Work that repeats at intervals, and soon when it is asked for; never twice at once. */
import { type Log, messageOf } from "../../base/log.ts";

export interface RepeatedOptions {
  readonly everyMs: number;
  /** Delay of a run that is asked for: several requests are one run. */
  readonly soonMs: number;
  /** Of the log line for a run that failed. */
  readonly failed: string;
  readonly log: Log;
}

export interface Repeated {
  soon(): void;
  stop(): void;
}

export function createRepeated(action: () => Promise<void>, { everyMs, soonMs, failed, log }: RepeatedOptions): Repeated {
  let timer: ReturnType<typeof setTimeout> | undefined;
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
    if (!stopped) timer = setTimeout(run, again ? soonMs : everyMs);
  }

  timer = setTimeout(run, everyMs);
  return {
    soon: () => {
      again = true;
      if (running || stopped) return;
      clearTimeout(timer);
      timer = setTimeout(run, soonMs);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
