/** Reads a Set-Cookie line as browsers do (RFC 6265bis sections 5.1.1 and 5.6). */
import { trimBlanks } from "./header-list.ts";

export interface SetCookie {
  /** As sent; empty for a line without an equals sign, which is a value without a name. */
  readonly name: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly partitioned: boolean;
  /** Lower case, as sent otherwise; null when absent. Browsers know `strict`, `lax` and `none`. */
  readonly sameSite: string | null;
  /** Lower case, without a leading dot; null when absent or empty, and the cookie then stays with its host. */
  readonly domain: string | null;
  /** Null when absent, or not beginning with a slash: a browser then takes the folder of the page's path. */
  readonly path: string | null;
  /** Seconds; null when absent or not a number. Goes before `expiresAtMs`. */
  readonly maxAgeSeconds: number | null;
  /** Milliseconds since 1970; null when absent or not a date. */
  readonly expiresAtMs: number | null;
}

/**
 * What a name promises by its beginning, in lower case; empty for any other name. A browser refuses a cookie that breaks the promise.
 * `__host-http-` makes both of its promises. RFC 6265bis sections 5.4 and 5.7 with the prefixes that draft-ietf-httpbis-layered-cookies adds.
 */
export function cookiePrefixes(name: string): readonly CookiePrefix[] {
  const plain = name.toLowerCase();
  if (plain.startsWith("__host-http-")) return ["__host-", "__http-"];
  return prefixes.filter((prefix) => plain.startsWith(prefix));
}

const prefixes = ["__secure-", "__host-", "__http-"] as const;
export type CookiePrefix = (typeof prefixes)[number];

/** Octets of name and value together; a longer pair is ignored (section 5.6, step 6). */
const pairCharsMax = 4_096;
/** Octets of an attribute's value; a longer attribute is ignored (section 5.6). */
const attributeCharsMax = 1_024;

/** The cookie of one line; null when a browser ignores the line. Attribute names have no case, and of a repeated one the last counts. */
export function parseSetCookie(line: string): SetCookie | null {
  if (controls.test(line)) return null;
  const [pair = "", ...parts] = line.split(";");
  const equals = pair.indexOf("=");
  const name = trimBlanks(pair.slice(0, Math.max(equals, 0)));
  const value = trimBlanks(pair.slice(equals + 1));
  if (name.length + value.length === 0 || name.length + value.length > pairCharsMax) return null;
  // Section 5.7, step 22: sent back without a name, such a value would look like a cookie of that prefix.
  if (name === "" && cookiePrefixes(value).length > 0) return null;

  const attributes = new Map(parts.map(parseAttribute).filter(isHonoured));
  const path = attributes.get("path");
  // Section 5.7, step 9.
  if (!ascii.test(attributes.get("domain") ?? "")) return null;
  return {
    name,
    secure: attributes.has("secure"),
    httpOnly: attributes.has("httponly"),
    partitioned: attributes.has("partitioned"),
    sameSite: attributes.get("samesite")?.toLowerCase() ?? null,
    domain: attributes.get("domain")?.replace(/^\./, "").toLowerCase() || null,
    path: path?.startsWith("/") ? path : null,
    maxAgeSeconds: attributes.has("max-age") ? Number(attributes.get("max-age")) : null,
    expiresAtMs: parseCookieDate(attributes.get("expires") ?? ""),
  };
}

/** Controls end the reading of a line (section 5.6, step 1); the tab is none of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for.
const controls = /[\x00-\x08\x0a-\x1f\x7f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is looked for.
const ascii = /^[\x00-\x7f]*$/;

function parseAttribute(part: string): readonly [name: string, value: string] {
  const equals = part.indexOf("=");
  if (equals < 0) return [trimBlanks(part).toLowerCase(), ""];
  return [trimBlanks(part.slice(0, equals)).toLowerCase(), trimBlanks(part.slice(equals + 1))];
}

/** Sections 5.6.1 and 5.6.2: a lifetime that cannot be read is passed over, so that it leaves an earlier one in force. */
function isHonoured([name, value]: readonly [name: string, value: string]): boolean {
  if (value.length > attributeCharsMax) return false;
  if (name === "max-age") return /^-?\d+$/.test(value);
  return name !== "expires" || parseCookieDate(value) !== null;
}

/** The Gregorian calendar begins; earlier dates are refused. */
const yearMin = 1601;
const months: readonly string[] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** Anything that may stand between the words of a date (section 5.1.1). */
const dateDelimiters = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/;

/** Milliseconds since 1970, or null. Time, day, month and year are told by their form, and may stand in any order, as browsers have it. */
export function parseCookieDate(text: string): number | null {
  const words = text.split(dateDelimiters);
  const take = (form: RegExp): RegExpExecArray | null => {
    const at = words.findIndex((word) => form.test(word));
    // What one form has taken is gone for the next: "01 Jan 70" is the first of January, not day 70.
    const [word] = at < 0 ? [] : words.splice(at, 1);
    return word === undefined ? null : form.exec(word);
  };
  const time = take(/^(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)/);
  const day = take(/^\d{1,2}(?!\d)/);
  const month = take(/^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i);
  const year = take(/^\d{2,4}(?!\d)/);
  if (time === null || day === null || month === null || year === null) return null;

  const [hour = 0, minute = 0, second = 0] = time.slice(1).map(Number);
  const monthAt = months.indexOf(month[0].toLowerCase());
  const date = new Date(Date.UTC(fullYear(Number(year[0])), monthAt, Number(day[0]), hour, minute, second));
  const exists = date.getUTCMonth() === monthAt && date.getUTCDate() === Number(day[0]) && date.getUTCFullYear() >= yearMin;
  return exists && hour <= 23 && minute <= 59 && second <= 59 ? date.getTime() : null;
}

function fullYear(year: number): number {
  if (year >= 70 && year <= 99) return year + 1900;
  return year <= 69 ? year + 2000 : year;
}
