/** Parses cookie files in the Netscape format, as curl, wget and browser extensions write them, and matches cookies by RFC 6265. */
import { parseIpText } from "./address.ts";

export interface GivenCookie {
  readonly name: string;
  readonly value: string;
  /** Lower case, without leading dot. */
  readonly domain: string;
  /** Sent to that very host only. */
  readonly hostOnly: boolean;
  readonly path: string;
  /** Seconds since 1970; null for a session cookie. */
  readonly expiresAt: number | null;
}

/** Why a file is refused. Without its content, which is secret. */
export interface LineFault {
  /** Counts from 1. */
  readonly line: number;
  readonly reason: string;
}

/** A browser export holds the cookies of every site. */
const cookiesMax = 20_000;
const httpOnlyPrefix = "#HttpOnly_";
const fieldsCount = 7;
/** RFC 6265 section 4.1.1 without its rule on quotes, which sites do not obey: printable ASCII without `;`. */
const cookieText = /^[\x20-\x3a\x3c-\x7e]*$/;

/** Domain, subdomains too, path, https only, expiry, name, value. Faults never quote the file. */
export function parseCookieFile(text: string): { readonly cookies: readonly GivenCookie[] } | LineFault {
  const cookies: GivenCookie[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || (line.startsWith("#") && !line.startsWith(httpOnlyPrefix))) continue;
    const cookie = cookieIn(line.startsWith(httpOnlyPrefix) ? line.slice(httpOnlyPrefix.length) : line);
    if (typeof cookie === "string") return { line: at + 1, reason: cookie };
    if (cookies.length === cookiesMax) return { line: at + 1, reason: `the file has more than ${cookiesMax} cookies` };
    cookies.push(cookie);
  }
  return { cookies };
}

/** A string is the reason of a refusal. The `secure` field changes nothing, because cookies are sent over https alone. */
function cookieIn(line: string): GivenCookie | string {
  const fields = line.split("\t");
  // Some programs leave out the tab before an empty value.
  if (fields.length === fieldsCount - 1) fields.push("");
  if (fields.length !== fieldsCount) return `a line must have ${fieldsCount} fields with a tab between them`;
  const [domain = "", subdomains = "", path = "", secure = "", expiry = "", name = "", value = ""] = fields;
  if (!/^\.?[^\s.][^\s]*$/.test(domain)) return "the first field must be a host";
  if (!/^(?:TRUE|FALSE)$/i.test(subdomains)) return "the second field must be TRUE or FALSE";
  if (!path.startsWith("/")) return "the third field must be a path that begins with /";
  if (!/^(?:TRUE|FALSE)$/i.test(secure)) return "the fourth field must be TRUE or FALSE";
  if (!/^-?\d{1,15}(?:\.\d{1,9})?$/.test(expiry)) return "the fifth field must be a time in seconds, or 0 for a session cookie";
  if (name === "" || name.includes("=") || !cookieText.test(name)) return "the sixth field is not the name of a cookie";
  if (!cookieText.test(value)) return "the value holds characters that a cookie must not have";
  const seconds = Number(expiry);
  return {
    name,
    value,
    domain: domain.replace(/^\./, "").toLowerCase(),
    hostOnly: /^FALSE$/i.test(subdomains),
    path,
    // Browser exports mark session cookies with 0 or -1.
    expiresAt: seconds <= 0 ? null : seconds,
  };
}

/** `host` in lower case, IPv6 without brackets; `nowSeconds` since 1970. */
export function isCookieOfHost({ domain, hostOnly, expiresAt }: GivenCookie, host: string, nowSeconds: number): boolean {
  if (expiresAt !== null && expiresAt <= nowSeconds) return false;
  const bare = domain.replace(/^\[|\]$/g, "");
  // RFC 6265 section 5.1.3: an address matches only itself.
  return bare === host || (!hostOnly && host.endsWith(`.${bare}`) && parseIpText(host) === null);
}

/** RFC 6265 section 5.1.4; `requestPath` is the path of a URL. */
export function cookiePathMatches(cookiePath: string, requestPath: string): boolean {
  if (requestPath === cookiePath) return true;
  return requestPath.startsWith(cookiePath) && (cookiePath.endsWith("/") || requestPath[cookiePath.length] === "/");
}
