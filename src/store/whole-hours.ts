/** Times of last use, rounded to the hour so that each use does not cost a write. */
import { hourMs } from "../base/units.ts";

/** Hours since 1970 of the last call, and its text: every request asks for the same hour. */
let lastHour = { number: Number.NaN, text: "" };

/** Start of the hour of an instant: ISO 8601, UTC. */
export function hourOf(now: Date): string {
  const number = Math.floor(now.getTime() / hourMs);
  if (lastHour.number !== number) lastHour = { number, text: new Date(number * hourMs).toISOString() };
  return lastHour.text;
}
