/** Collects the cookies set during a scan, and classifies them by name and value. */
import type { Subject } from "../evidence/evidence.ts";
import type { PageFacts } from "../evidence/page-facts.ts";
import { parseSetCookie, type SetCookie } from "../parse/set-cookie.ts";
import type { FindingCode } from "./check.ts";
import { type CookieNames, otherCookieNames, otherPurposeWords, sessionCookieNames } from "./cookie-names.ts";
import type { Found } from "./verdict.ts";

export interface SeenCookie extends SetCookie {
  /** Host that set the cookie. */
  readonly host: string;
  /** True if the line was received over https. */
  readonly overHttps: boolean;
  /** Estimated random bits of the value; 0 if unknown. */
  readonly valueRandomBits: number;
}

export interface SeenCookies {
  /** Cookies of completely read lines. Lines that delete a cookie are left out. */
  readonly cookies: readonly SeenCookie[];
  /** False if lines were cut or dropped, so that more cookies may exist. */
  readonly complete: boolean;
}

/** Cookies of the page, its redirects and its first-party subresources. */
export function seenCookies(subject: Subject, page: PageFacts): SeenCookies {
  const cookies = page.setCookies.flatMap(({ host, line, truncated, overHttps, valueRandomBits = 0 }) => {
    const cookie = truncated ? null : parseSetCookie(line);
    return cookie === null || isDeleted(cookie, subject.scannedAt) ? [] : [{ ...cookie, host, overHttps, valueRandomBits }];
  });
  return { cookies, complete: page.setCookiesDropped === 0 && !page.setCookies.some((line) => line.truncated) };
}

/** RFC 6265bis section 5.7: an expired lifetime removes the cookie. */
function isDeleted({ maxAgeSeconds, expiresAtMs }: SetCookie, at: string): boolean {
  if (maxAgeSeconds !== null) return maxAgeSeconds <= 0;
  return expiresAtMs !== null && expiresAtMs <= Date.parse(at);
}

const namesQuotedMax = 10;

/**
 * One finding for all cookies that share a fault; no finding without a cookie. `names` lists distinct names, `""` for a nameless cookie,
 * and `total` is their number. `attribute` returns an additional quote per cookie, as in `sid (Domain=site.example)`, or null.
 */
export function foundInCookies<Code extends FindingCode>(
  code: Code,
  cookies: readonly SeenCookie[],
  attribute: (cookie: SeenCookie) => string | null = () => null,
): readonly Found<Code>[] {
  const names = [...new Set(cookies.map((cookie) => described(cookie, attribute(cookie))))];
  const more = names.length > namesQuotedMax ? ", ..." : "";
  return names.length === 0 ? [] : [{ code, values: { names: names.slice(0, namesQuotedMax).join(", ") + more, total: names.length } }];
}

function described({ name }: SeenCookie, attribute: string | null): string {
  const shown = name === "" ? '""' : name;
  return attribute === null ? shown : `${shown} (${attribute})`;
}

/** Analytics cookies whose names resemble sessions; they hold no login. */
const statisticsPrefixes: readonly string[] = ["_hj", "_ga", "_pk_", "_uet", "__utm", "ai_session", "mp_", "amp_"];
/** Name parts of session cookies in common frameworks: PHPSESSID, ASPSESSIONIDQA, autologin. */
const sessionParts: readonly string[] = ["sessid", "sessionid", "login"];
/** Name words of session cookies: connect.sid, user_session, wordpress_logged_in, remember_web, .ASPXAUTH. */
const sessionWords: readonly string[] = [
  "sid",
  "ssid",
  "sess",
  "session",
  "logged",
  "loggedin",
  "jwt",
  "sso",
  "remember",
  "rememberme",
  "identity",
];
/** Words that mark a token as a login rather than a visitor or device. */
const tokenWords: readonly string[] = ["token", "access", "refresh", "id", "api", "bearer", "user"];
const antiForgeryParts: readonly string[] = ["csrf", "xsrf", "antiforgery", "requestverification", "form_key"];
/** Random bits that a session id needs at least (OWASP ASVS 4.0, 3.2.2). */
const sessionValueBitsMin = 64;

/** True if the name suggests a session or login cookie, by its words or as a name of known software. */
export function isSessionName(name: string): boolean {
  if (hasOtherPurpose(name)) return false;
  const plain = name.toLowerCase();
  const words = wordsOf(name);
  return (
    isAmong(sessionCookieNames, name) ||
    sessionParts.some((part) => plain.includes(part)) ||
    words.some((word) => sessionWords.includes(word) || isAuthWord(word)) ||
    (words.includes("token") && words.every((word) => tokenWords.includes(word)))
  );
}

/** True for a random value without a lifetime, unless its name states another purpose. Browsers drop such a cookie when they close. */
export function hasSessionValue({ name, valueRandomBits, maxAgeSeconds, expiresAtMs }: SeenCookie): boolean {
  const hasLifetime = maxAgeSeconds !== null || expiresAtMs !== null;
  if (hasLifetime || valueRandomBits < sessionValueBitsMin || isSessionName(name) || hasOtherPurpose(name)) return false;
  return !wordsOf(name).some((word) => otherPurposeWords.includes(word));
}

function hasOtherPurpose(name: string): boolean {
  const plain = name.toLowerCase();
  return isAntiForgeryName(name) || isAmong(otherCookieNames, name) || statisticsPrefixes.some((prefix) => plain.startsWith(prefix));
}

/** Prefixes such as `__Host-` do not belong to the name that software chose. */
function isAmong(known: readonly CookieNames[], name: string): boolean {
  const bare = name.replace(/^__(?:host|secure|http|host-http)-/i, "");
  return known.some(({ names }) => names.test(bare));
}

/** True if the name suggests a CSRF token. Scripts often read such cookies, so HttpOnly is not required. */
export function isAntiForgeryName(name: string): boolean {
  const plain = name.toLowerCase();
  return antiForgeryParts.some((part) => plain.includes(part));
}

/** True for `auth`, `oauth`, `authentication` and `authorization`, but not `author`. */
function isAuthWord(word: string): boolean {
  return word.endsWith("auth") || (word.startsWith("auth") && !/^authors?$/.test(word));
}

/** Splits at case changes and separators: `__Host-userSession_id` becomes user, session, id. */
function wordsOf(name: string): readonly string[] {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.split(/[^a-z0-9]+/).filter((word) => word !== "" && !["host", "secure", "http"].includes(word));
}
