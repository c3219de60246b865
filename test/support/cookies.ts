/** Set-Cookie lines as the page probe returns them, by default over https. */
import type { SetCookieLine } from "../../src/evidence/page-facts.ts";

/** Evidence of a page that sets the cookies. */
export function cookieLines(...lines: readonly (string | SetCookieLine)[]): {
  readonly page: { readonly setCookies: readonly SetCookieLine[] };
} {
  return { page: { setCookies: lines.map((line) => (typeof line === "string" ? cookieLine(line) : line)) } };
}

export function cookieLine(line: string, given: Partial<SetCookieLine> = {}): SetCookieLine {
  return { host: "site.example", overHttps: true, line, truncated: false, ...given };
}

/** Line over the limit: the part after the cut is unknown. */
export function cutCookieLine(line: string): SetCookieLine {
  return cookieLine(line, { truncated: true });
}

/** Line with a random value, as in a session cookie; `bits` as the probe estimates them. */
export function randomCookieLine(line: string, bits = 128): SetCookieLine {
  return cookieLine(line, { valueRandomBits: bits });
}
