/** When a second run confirms what a first one showed. Pure. */

/** Time between a doubtful run and its repetition. */
export const secondLookAfterMs = 10 * 60_000;
/** Shorter, since the clock of a server may be corrected meanwhile. */
const confirmedAfterMs = 9.5 * 60_000;
/** Runs in a row without a measurement after which a site, or an address of it, counts as unreachable. */
const failuresMin = 3;

/** Whether a run is late enough to confirm what was first seen at `since`. */
export function isConfirmation(since: string, now: Date, looks = 1): boolean {
  // After the clock was set back, `since` lies ahead.
  return Math.abs(now.getTime() - Date.parse(since)) >= looks * confirmedAfterMs;
}

/** Runs that a person starts at once after another prove nothing more. */
export function isUnreachable(failures: number, since: string, now: Date): boolean {
  return failures >= failuresMin && isConfirmation(since, now, failuresMin - 1);
}

/** A doubt that further addresses show. One of an earlier release knows none. */
export function seenOn<Doubt extends { readonly urls?: readonly string[] }>(doubt: Doubt, urls: readonly string[]): Doubt {
  return doubt.urls === undefined ? doubt : { ...doubt, urls: [...new Set([...doubt.urls, ...urls])] };
}

export function secondLookTime(now: Date): string {
  return new Date(now.getTime() + secondLookAfterMs).toISOString();
}
