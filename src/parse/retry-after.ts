/** Parses the field Retry-After, RFC 9110 section 10.2.3. */
import { dayMs } from "../base/units.ts";

/** A server cannot put off a client for longer. */
export const retryAfterMsMax = dayMs;

const fixDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** Milliseconds from `now`, 0 to `retryAfterMsMax`. Null if absent or neither seconds nor a date (IMF-fixdate). */
export function parseRetryAfter(value: string | null, now: Date): number | null {
  const text = value?.trim() ?? "";
  const waitMs = /^\d{1,15}$/.test(text) ? Number(text) * 1_000 : fixDate.test(text) ? Date.parse(text) - now.getTime() : Number.NaN;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), retryAfterMsMax);
}
