/** Measures how late the timers of a thread are: time in which it had no processor, was stopped, or was busy with work of its own. */
import type { Clock } from "./clock.ts";

const tickMs = 100;
/** Timers are late by some milliseconds on an idle machine, too. */
const toleranceMs = 20;

export interface Standstill {
  /**
   * Milliseconds since the start in which no timer of this thread could fire. Never falls. Current also inside of a timer that fires
   * right after a standstill: timers of one moment have no certain order.
   */
  totalMs(): number;
  stop(): void;
}

export function watchStandstill(clock: Pick<Clock, "monotonicMs" | "every">): Standstill {
  let lastTickMs = clock.monotonicMs();
  let endedMs = 0;
  const currentMs = () => {
    const lateMs = clock.monotonicMs() - lastTickMs - tickMs;
    return lateMs > toleranceMs ? lateMs : 0;
  };
  const stop = clock.every(tickMs, () => {
    endedMs += currentMs();
    lastTickMs = clock.monotonicMs();
  });
  return { totalMs: () => Math.round(endedMs + currentMs()), stop };
}
