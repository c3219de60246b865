/** Parses dates of RFC 3339 section 5.6, the Internet profile of ISO 8601, and the field Retry-After. */
import { dayMs, minuteMs } from "../base/units.ts";

const dateTimePattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/i;

/** Milliseconds since 1970 (UTC), without fractions of a second; null for an invalid date such as 30 February. */
export function parseInternetDate(text: string): number | null {
  const match = dateTimePattern.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [offsetHours, offsetMinutes] = [Number(match[8] ?? 0), Number(match[9] ?? 0)];
  // RFC 3339 section 5.7: second 60 is a leap second.
  if (hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) return null;
  const midnight = new Date(0);
  // Date.UTC maps years below 100 to the 20th century.
  midnight.setUTCFullYear(year, month - 1, day);
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return null;
  const offset = (offsetHours * 60 + offsetMinutes) * (match[7] === "-" ? -1 : 1);
  return midnight.getTime() + (hour * 60 + minute - offset) * minuteMs + second * 1_000;
}

// Parses the field Retry-After, RFC 9110 section 10.2.3.

/** A server cannot put off a client for longer. */
export const retryAfterMsMax = dayMs;

const fixDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** Milliseconds from `now`, 0 to `retryAfterMsMax`. Null if absent or neither seconds nor a date (IMF-fixdate). */
export function parseRetryAfter(value: string | null, now: Date): number | null {
  const text = value?.trim() ?? "";
  const waitMs = /^\d{1,15}$/.test(text) ? Number(text) * 1_000 : fixDate.test(text) ? Date.parse(text) - now.getTime() : Number.NaN;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), retryAfterMsMax);
}
