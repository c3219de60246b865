/** Ticks of a time axis at round times, in UTC as all times of the pages. */
import { dayMs, minuteMs } from "../../base/units.ts";
import type { TickUnit } from "../../text/translator.ts";

export interface TimeTick {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly unit: TickUnit;
}

const minuteSteps = [1, 5, 15, 30, 60, 180, 360, 720];
const daySteps = [1, 2, 7, 14];
const monthSteps = [1, 3, 6];
const yearSteps = [1, 2, 5, 10, 20, 50, 100];

/** At most `ticksMax` ticks from `fromMs` to `toMs`, both included; the finest step that keeps the limit. Empty for an invalid range. */
export function timeTicks(fromMs: number, toMs: number, ticksMax: number): readonly TimeTick[] {
  if (!(fromMs <= toMs)) return [];
  for (const step of steps) {
    const ticks = step(fromMs, toMs, ticksMax);
    if (ticks.length <= ticksMax) return ticks;
  }
  return [];
}

/** May return one tick more than the limit, which rejects the step. */
type Step = (fromMs: number, toMs: number, ticksMax: number) => readonly TimeTick[];

const steps: readonly Step[] = [
  ...minuteSteps.map((minutes) => fixedStep(minutes * minuteMs)),
  ...daySteps.map((days) => fixedStep(days * dayMs)),
  ...monthSteps.map((months) => calendarStep(months, "month")),
  ...yearSteps.map((years) => calendarStep(12 * years, "year")),
];

function fixedStep(stepMs: number): Step {
  return (fromMs, toMs, ticksMax) => {
    const ticks: TimeTick[] = [];
    for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs <= toMs && ticks.length <= ticksMax; atMs += stepMs)
      ticks.push({ atMs, unit: atMs % dayMs === 0 ? "day" : "minute" });
    return ticks;
  };
}

function calendarStep(months: number, unit: TickUnit): Step {
  return (fromMs, toMs, ticksMax) => {
    const from = new Date(fromMs);
    const ticks: TimeTick[] = [];
    // Counted from the year 0, so that the same months are chosen in every range.
    let month = Math.floor((12 * from.getUTCFullYear() + from.getUTCMonth()) / months) * months;
    for (; ticks.length <= ticksMax; month += months) {
      const atMs = Date.UTC(Math.floor(month / 12), month % 12);
      if (atMs > toMs) break;
      if (atMs >= fromMs) ticks.push({ atMs, unit });
    }
    return ticks;
  };
}
