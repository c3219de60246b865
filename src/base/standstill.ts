/**
 * Time in which a thread could not go on: it was stopped, had no processor, or was busy with work of its own. Deadlines of the thread do
 * not count it, because an answer that could not be read is no silence of its sender.
 */
import { readFileSync } from "node:fs";
import { type Clock, systemClock } from "./clock.ts";
import { tryOr } from "./try-or.ts";

const tickMs = 100;
/** Timers are late by some milliseconds on an idle machine, too. */
const toleranceMs = 20;
/** Wait for a processor in one tick that counts. Shorter ones are usual while a page starts: to count them would slow down each scan. */
const waitMsMin = tickMs / 2;
const nanosecondsPerMs = 1e6;

export interface Standstill {
  /**
   * Milliseconds since the start in which this thread, or what it works with, could not go on. Never falls. Current also inside of a timer
   * that fires right after a standstill: timers of one moment have no certain order.
   */
  totalMs(): number;
  stop(): void;
}

/** Milliseconds that something has waited for a processor, from an arbitrary start. Never falls. */
export type ProcessorWait = () => number;

/** `waits`: what the thread works with. Timers show a short wait for a processor late or never, so it may have its own among them. */
export function watchStandstill(clock: Pick<Clock, "monotonicMs" | "every">, waits: readonly ProcessorWait[] = []): Standstill {
  let lastTickMs = clock.monotonicMs();
  let lastWaitsMs = waits.map((wait) => wait());
  let endedMs = 0;
  const currentMs = () => {
    const lateMs = clock.monotonicMs() - lastTickMs - tickMs;
    return lateMs > toleranceMs ? lateMs : 0;
  };
  const stop = clock.every(tickMs, () => {
    const waitsMs = waits.map((wait) => wait());
    // They wait at the same time, so the longest counts.
    endedMs += Math.max(currentMs(), ...waitsMs.map((ms, at) => ms - (lastWaitsMs[at] ?? 0)).filter((ms) => ms >= waitMsMin));
    lastWaitsMs = waitsMs;
    lastTickMs = clock.monotonicMs();
  });
  return { totalMs: () => Math.round(endedMs + currentMs()), stop };
}

/**
 * Milliseconds that a thread was ready to run, but waited for a processor: the second field of `schedstat` (Linux, sched-stats). 0 for one
 * that has ended, and where the kernel does not count. `path` is below /proc; the main thread of a process has the path of the process.
 */
export function processorWaitMs(path: string): number {
  const text = tryOr(() => readFileSync(`/proc/${path}/schedstat`, "latin1"), "");
  return Number(text.split(" ")[1] ?? 0) / nanosecondsPerMs;
}

export const ownProcessorWait: ProcessorWait = () => processorWaitMs("thread-self");

/** A wait was hindered if the thread stood still for so long in it, and for this share of it. */
const hinderedMsMin = 1_000;
const hinderedShareMin = 0.1;

/** Whether a standstill may be the reason why nothing came in a wait of `ms` milliseconds, in which the thread stood still for `stoodMs`. */
export function isHindered(stoodMs: number, ms: number): boolean {
  return stoodMs >= Math.max(hinderedMsMin, hinderedShareMin * ms);
}

/** Lengths of a timer that it may be extended by: three busy processes for each processor leave a quarter of the time to others. */
const extensionsMax = 3;

/** Timers that are extended by the time in which the thread stood still. */
export function patientTimers(clock: Pick<Clock, "after">, stoodMs: () => number): Pick<Clock, "after"> {
  return {
    after: (ms, action) => {
      const stoodBeforeMs = stoodMs();
      let extendedMs = 0;
      const end = () => {
        const extensionMs = Math.min(ms * extensionsMax, stoodMs() - stoodBeforeMs) - extendedMs;
        if (extensionMs <= 0) return action();
        extendedMs += extensionMs;
        cancel = clock.after(extensionMs, end);
      };
      let cancel = clock.after(ms, end);
      return () => cancel();
    },
  };
}

/** Standstills that the deadlines of this thread do not count; none outside of a scan. */
const heeded = new Set<Standstill>();

/** Until the returned function is called, deadlines of `deadlineClock` do not count this standstill. */
export function heedStandstill(standstill: Standstill): () => void {
  heeded.add(standstill);
  return () => void heeded.delete(standstill);
}

/** Runs the action, whose deadlines do not count the standstills in it. `waits` is as in `watchStandstill`. */
export async function heedingStandstill<T>(
  clock: Pick<Clock, "monotonicMs" | "every">,
  waits: readonly ProcessorWait[],
  action: (standstill: Standstill) => Promise<T>,
): Promise<T> {
  const standstill = watchStandstill(clock, waits);
  const stopHeeding = heedStandstill(standstill);
  try {
    return await action(standstill);
  } finally {
    stopHeeding();
    standstill.stop();
  }
}

/** Milliseconds of the standstills that deadlines do not count now. */
export const heededMs = () => Math.max(0, ...[...heeded].map(({ totalMs }) => totalMs()));

/** Clock for the deadlines of everything that asks a site. `monotonicMs` stands while the thread does. */
export const deadlineClock: Pick<Clock, "after" | "monotonicMs"> = {
  ...patientTimers(systemClock, heededMs),
  monotonicMs: () => systemClock.monotonicMs() - heededMs(),
};
