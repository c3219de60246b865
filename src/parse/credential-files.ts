/** Parses files with cookies and request headers that a user gives for a scan. */
import { parseIpText } from "./address.ts";

export interface GivenCookie {
  readonly name: string;
  readonly value: string;
  /** Lower case, without leading dot. */
  readonly domain: string;
  /** True for a cookie without a Domain attribute: it is sent to this host only. */
  readonly hostOnly: boolean;
  readonly path: string;
  /** Seconds since 1970; null for a session cookie. */
  readonly expiresAt: number | null;
}

/** Reason why a file is refused. It never quotes the file, whose content is secret. */
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

// Parses a file of request header fields: one `Name: value` a line.

export interface GivenHeader {
  /** As written in the file. */
  readonly name: string;
  readonly value: string;
}

const headersMax = 50;
/** Common limit of servers for one line of a request head. */
const headerCharsMax = 8_000;
/** RFC 9110 section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** RFC 9110 section 5.5, without obsolete bytes above ASCII. */
const fieldValue = /^[\t\x20-\x7e]+$/;

/** Fields that the browser or the connection sets itself: another value breaks the request, or changes what a server sees of the page load. */
const reservedNames =
  /^(?:proxy-.*|sec-.*|access-control-.*|if-.*|:.*|accept-charset|accept-encoding|connection|content-(?:length|type|encoding)|cookie2?|date|expect|host|http2-settings|keep-alive|origin|range|referer|set-cookie2?|te|trailer|transfer-encoding|upgrade|via)$/i;

/** Faults never quote the file, because it holds secrets. */
export function parseHeaderFile(text: string): { readonly headers: readonly GivenHeader[] } | LineFault {
  const headers: GivenHeader[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const header = headerIn(line);
    const reason = typeof header === "string" ? header : faultAmong(header, headers);
    if (reason !== null) return { line: at + 1, reason };
    if (typeof header !== "string") headers.push(header);
  }
  return headers.length === 0 ? { line: 1, reason: "the file names no header" } : { headers };
}

/** A string is the reason of a refusal. */
function headerIn(line: string): GivenHeader | string {
  const colonAt = line.indexOf(":");
  if (colonAt < 1) return "a line must be Name: value";
  const [name, value] = [line.slice(0, colonAt), line.slice(colonAt + 1).trim()];
  if (!token.test(name)) return "the name before the colon is not that of a header";
  if (value === "") return "the header has no value";
  if (!fieldValue.test(value)) return "the value holds characters that a header must not have: only printable ASCII and tabs are allowed";
  if (line.length > headerCharsMax) return `the line has more than ${headerCharsMax} characters`;
  return { name, value };
}

function faultAmong({ name }: GivenHeader, before: readonly GivenHeader[]): string | null {
  if (/^cookie$/i.test(name)) return "cookies belong into the file of --cookie-file";
  if (reservedNames.test(name)) return "this header must not be set, because the browser sets it itself";
  if (before.some((other) => other.name.toLowerCase() === name.toLowerCase())) return "an earlier line sets the same header";
  return before.length === headersMax ? `the file has more than ${headersMax} headers` : null;
}
