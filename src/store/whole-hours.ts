/** When something was last used is noted by the hour, so that a busy one is not written again and again. */

export const hourMs = 3_600_000;

/** The hour in which an instant lies, by its beginning: ISO 8601, UTC. */
export function hourOf(now: Date): string {
  return new Date(Math.floor(now.getTime() / hourMs) * hourMs).toISOString();
}
