/** Gathers the cookies that a scan saw being set, and tells by their names what they are for. */
import type { Subject } from "../evidence/evidence.ts";
import type { PageFacts } from "../evidence/facts.ts";
import { parseSetCookie, type SetCookie } from "../parse/set-cookie.ts";
import type { FindingCode } from "./check.ts";
import type { Found } from "./verdict.ts";

export interface SeenCookie extends SetCookie {
  /** Whether the line came over https. */
  readonly overHttps: boolean;
}

export interface SeenCookies {
  /** Cookies whose whole line was read. A line that deletes a cookie sets none and is left out. */
  readonly cookies: readonly SeenCookie[];
  /** False when lines were cut or dropped: there may be cookies with faults that nobody saw. */
  readonly complete: boolean;
}

/** Cookies of the page, its redirects and its first-party subresources. */
export function seenCookies(subject: Subject, page: PageFacts): SeenCookies {
  const cookies = page.setCookies.flatMap(({ line, truncated, overHttps }) => {
    const cookie = truncated ? null : parseSetCookie(line);
    return cookie === null || isDeleted(cookie, subject.scannedAt) ? [] : [{ ...cookie, overHttps }];
  });
  return { cookies, complete: page.setCookiesDropped === 0 && !page.setCookies.some((line) => line.truncated) };
}

/** RFC 6265bis section 5.7: a lifetime that has ended removes the cookie. */
function isDeleted({ maxAgeSeconds, expiresAtMs }: SetCookie, at: string): boolean {
  if (maxAgeSeconds !== null) return maxAgeSeconds <= 0;
  return expiresAtMs !== null && expiresAtMs <= Date.parse(at);
}

/** Enough to find the place in the application where they are set. */
const namesQuotedMax = 10;

/**
 * One finding about all of the cookies: `names` has each once, a nameless one as two quotes, and `total` says how many there are.
 * None when there is no cookie. `attribute` is what else of a cookie to quote, as in `sid (Domain=site.example)`.
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

/** Cookies of visitor statistics whose names speak of sessions: they hold no login. */
const statisticsPrefixes: readonly string[] = ["_hj", "_ga", "_pk_", "_uet", "__utm", "ai_session", "mp_", "amp_"];
/** Parts by which frameworks name the cookie that stands for a login, wherever they occur: PHPSESSID, ASPSESSIONIDQA, autologin. */
const sessionParts: readonly string[] = ["sessid", "sessionid", "login"];
/** Whole words of such names: connect.sid, user_session, wordpress_logged_in, remember_web, .ASPXAUTH. */
const sessionWords: readonly string[] = ["sid", "ssid", "sess", "session", "logged", "loggedin", "jwt", "sso", "remember", "identity"];
/** Words that make a token one that stands for a login, not for a visitor or a device. */
const tokenWords: readonly string[] = ["token", "access", "refresh", "id", "api", "bearer", "user"];
const antiForgeryParts: readonly string[] = ["csrf", "xsrf", "antiforgery", "requestverification"];

/** Does the name say that the cookie stands for a login or a session? A guess: the name is all that there is. */
export function isSessionName(name: string): boolean {
  const plain = name.toLowerCase();
  if (isAntiForgeryName(name) || statisticsPrefixes.some((prefix) => plain.startsWith(prefix))) return false;
  const words = wordsOf(name);
  return (
    sessionParts.some((part) => plain.includes(part)) ||
    words.some((word) => sessionWords.includes(word) || isAuthWord(word)) ||
    (words.includes("token") && words.every((word) => tokenWords.includes(word)))
  );
}

/** Does the name say that the cookie guards forms against forgery? Scripts must often read it, so it need not be HttpOnly. */
export function isAntiForgeryName(name: string): boolean {
  const plain = name.toLowerCase();
  return antiForgeryParts.some((part) => plain.includes(part));
}

/** `auth`, `oauth`, `authentication`, `authorization`, but not `author`. */
function isAuthWord(word: string): boolean {
  return word.endsWith("auth") || (word.startsWith("auth") && !/^authors?$/.test(word));
}

/** `__Host-userSession_id` is host, user, session, id. */
function wordsOf(name: string): readonly string[] {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.split(/[^a-z0-9]+/).filter((word) => word !== "" && !["host", "secure", "http"].includes(word));
}
