/** Reads and writes the cookies of the pages: session, sign-in at the identity provider, language and chosen server and location. */

/** Longer Cookie headers are cut: browsers of visitors send less. */
const cookieHeaderCharsMax = 8_192;
/** Value characters that need no quotes (RFC 6265bis section 4.1.1). */
const valuePattern = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

export type CookieName = "sid" | "oidc" | "locale" | "server" | "location";

/**
 * `__Host-` over https prevents cookies from sibling hosts and plain connections (RFC 6265bis section 4.1.3.2). Browsers refuse the prefix
 * over http, which appliances on a LAN use.
 */
function fullName(name: CookieName, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}

/** Null if absent or sent twice, as the own one cannot be recognized. */
export function cookieOf(request: Request, name: CookieName, secure: boolean): string | null {
  const header = request.headers.get("cookie")?.slice(0, cookieHeaderCharsMax) ?? "";
  const prefix = `${fullName(name, secure)}=`;
  const pairs = header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix));
  return pairs.length === 1 ? (pairs[0]?.slice(prefix.length) ?? null) : null;
}

/** Set-Cookie value. `maxAgeSeconds`: 0 deletes; null means a session cookie. @throws Error for an invalid cookie value. */
export function setCookie(name: CookieName, value: string, secure: boolean, maxAgeSeconds: number | null): string {
  if (!valuePattern.test(value)) throw new Error(`invalid value for the cookie ${name}`);
  const age = maxAgeSeconds === null ? "" : `; Max-Age=${maxAgeSeconds}`;
  return `${fullName(name, secure)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}${age}`;
}
