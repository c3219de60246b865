/** When a second run confirms what a first one showed. Pure. */

/** Time between a doubtful run and its repetition. */
export const secondLookAfterMs = 10 * 60_000;
/** Shorter, since the clock of a server may be corrected meanwhile. */
const confirmedAfterMs = 9.5 * 60_000;

/** Whether a run is late enough to confirm what was first seen at `since`. */
export function isConfirmation(since: string, now: Date, looks = 1): boolean {
  // After the clock was set back, `since` lies ahead.
  return Math.abs(now.getTime() - Date.parse(since)) >= looks * confirmedAfterMs;
}

export function secondLookTime(now: Date): string {
  return new Date(now.getTime() + secondLookAfterMs).toISOString();
}
