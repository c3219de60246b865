/** Elapsed time and percentage of a running scan. Self-contained functions: pages and their script use the same. */

/** Progress within a stage. */
export interface StagePercent {
  /** Percentage at the start of the stage. */
  readonly percent: number;
  /** Percentage at the start of the next stage. */
  readonly towards: number;
  /** Usual duration of the stage; null if unknown. */
  readonly usualMs: number | null;
  /** Time since the stage began. */
  readonly sinceMs: number;
}

/** Percentage after `sinceMs`, not rounded. It moves by the usual time of the stage and never reaches the next stage. */
export function movingPercent({ percent, towards, usualMs, sinceMs }: StagePercent): number {
  // After the usual time 80 % of the stage are shown; the rest approaches its end ever more slowly.
  const remainingShare = 0.2;
  const span = towards - 1 - percent;
  if (usualMs === null || usualMs <= 0 || span <= 0) return percent;
  return percent + span * (1 - remainingShare ** (sinceMs / usualMs));
}

/** `5 seconds` or `2 minutes 5 seconds` in a language. */
export function elapsedText(elapsedMs: number, language: string): string {
  const seconds = Math.max(0, Math.floor(elapsedMs / 1_000));
  const minutes = Math.floor(seconds / 60);
  const text = (count: number, unit: string) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
  return minutes === 0 ? text(seconds, "second") : `${text(minutes, "minute")} ${text(seconds % 60, "second")}`;
}
