/** Cookies of the pages, as few as possible: a session, a word for forms, a language. */

/** Characters of a Cookie header that are looked at: a visitor's browser sends no more. */
const cookieHeaderCharsMax = 8_192;
/** RFC 6265bis section 4.1.1, the characters of a value that need no quotes. */
const valuePattern = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

export type CookieName = "sid" | "form" | "locale";

/**
 * `__Host-` on https, so that no other host and no plain connection can set it (RFC 6265bis section 4.1.3.2); browsers refuse
 * that prefix over http, where an appliance on a LAN has to work as well.
 */
function fullName(name: CookieName, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}

/** Its value; null when it was not sent, or sent twice: of two, nobody can tell which is ours. */
export function cookieOf(request: Request, name: CookieName, secure: boolean): string | null {
  const header = request.headers.get("cookie")?.slice(0, cookieHeaderCharsMax) ?? "";
  const wanted = `${fullName(name, secure)}=`;
  const found = header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(wanted));
  return found.length === 1 ? (found[0]?.slice(wanted.length) ?? null) : null;
}

/** A Set-Cookie line. `maxAgeSeconds` 0 deletes; null lasts until the browser closes. @throws Error for a value that is none. */
export function setCookie(name: CookieName, value: string, secure: boolean, maxAgeSeconds: number | null): string {
  if (!valuePattern.test(value)) throw new Error(`the value of the cookie ${name} cannot be written`);
  const age = maxAgeSeconds === null ? "" : `; Max-Age=${maxAgeSeconds}`;
  return `${fullName(name, secure)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}${age}`;
}
