/** Times of last use, rounded to the hour so that each use does not cost a write. */

export const hourMs = 3_600_000;

/** Start of the hour of an instant: ISO 8601, UTC. */
export function hourOf(now: Date): string {
  return new Date(Math.floor(now.getTime() / hourMs) * hourMs).toISOString();
}
