/** Parses Set-Cookie lines as browsers do (RFC 6265bis sections 5.1.1 and 5.6). */
import { trimBlanks } from "./header-syntax.ts";

export interface SetCookie {
  /** As sent; empty for a line without an equals sign, which is a value without a name. */
  readonly name: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly partitioned: boolean;
  /** Lower case; null if absent. Browsers support `strict`, `lax` and `none`. */
  readonly sameSite: string | null;
  /** Lower case, without a leading dot. Null if absent or empty: the cookie is then limited to its host. */
  readonly domain: string | null;
  /** Null if absent or without a leading slash: browsers then use the folder of the page's path. */
  readonly path: string | null;
  /** Seconds; null if absent or not a number. Takes precedence over `expiresAtMs`. */
  readonly maxAgeSeconds: number | null;
  /** Milliseconds since 1970; null if absent or not a date. */
  readonly expiresAtMs: number | null;
}

/**
 * Prefixes of a cookie name, in lower case; browsers reject cookies that break a prefix's requirements. `__host-http-` has the requirements
 * of two prefixes. RFC 6265bis sections 5.4 and 5.7, plus the prefixes of draft-ietf-httpbis-layered-cookies.
 */
export function cookiePrefixes(name: string): readonly CookiePrefix[] {
  const plain = name.toLowerCase();
  if (plain.startsWith("__host-http-")) return ["__host-", "__http-"];
  return prefixes.filter((prefix) => plain.startsWith(prefix));
}

const prefixes = ["__secure-", "__host-", "__http-"] as const;
export type CookiePrefix = (typeof prefixes)[number];

/** Octets of name and value together; browsers ignore a longer pair (RFC 6265bis section 5.6, step 6). */
const pairCharsMax = 4_096;
/** Octets of an attribute's value; browsers ignore a longer attribute (RFC 6265bis section 5.6). */
const attributeCharsMax = 1_024;

/** Parsed cookie; null if browsers ignore the line. Attribute names are case-insensitive; the last of repeated attributes counts. */
export function parseSetCookie(line: string): SetCookie | null {
  if (controls.test(line)) return null;
  const [pair = "", ...parts] = line.split(";");
  const equals = pair.indexOf("=");
  const name = trimBlanks(pair.slice(0, Math.max(equals, 0)));
  const value = trimBlanks(pair.slice(equals + 1));
  if (name.length + value.length === 0 || name.length + value.length > pairCharsMax) return null;
  // RFC 6265bis section 5.7, step 22: sent back without a name, the value would look like a prefixed cookie.
  if (name === "" && cookiePrefixes(value).length > 0) return null;

  const attributes = new Map(parts.map(parseAttribute).filter(isValidAttribute));
  const path = attributes.get("path");
  // RFC 6265bis section 5.7, step 9.
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

/** Browsers ignore a line with control characters other than the tab (RFC 6265bis section 5.6, step 1). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern tests for control characters.
const controls = /[\x00-\x08\x0a-\x1f\x7f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern tests for ASCII.
const ascii = /^[\x00-\x7f]*$/;

function parseAttribute(part: string): readonly [name: string, value: string] {
  const equals = part.indexOf("=");
  if (equals < 0) return [trimBlanks(part).toLowerCase(), ""];
  return [trimBlanks(part.slice(0, equals)).toLowerCase(), trimBlanks(part.slice(equals + 1))];
}

/** RFC 6265bis sections 5.6.1 and 5.6.2: an invalid lifetime is ignored, so that an earlier one stays valid. */
function isValidAttribute([name, value]: readonly [name: string, value: string]): boolean {
  if (value.length > attributeCharsMax) return false;
  if (name === "max-age") return /^-?\d+$/.test(value);
  return name !== "expires" || parseCookieDate(value) !== null;
}

/** First year of the Gregorian calendar; browsers reject earlier dates. */
const yearMin = 1601;
const months: readonly string[] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** Separators between the words of a date (RFC 6265bis section 5.1.1). */
const dateDelimiters = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/;

/** Milliseconds since 1970, or null. The parts of a date may be in any order (RFC 6265bis section 5.1.1). */
export function parseCookieDate(text: string): number | null {
  const words = text.split(dateDelimiters);
  const take = (form: RegExp): RegExpExecArray | null => {
    const at = words.findIndex((word) => form.test(word));
    // A matched word is removed, so that "01 Jan 70" is the first of January and not day 70.
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
