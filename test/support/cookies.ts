/** Set-Cookie lines as the page probe hands them over: over https unless said otherwise. */
import type { SetCookieLine } from "../../src/evidence/facts.ts";

/** Evidence of a page that sets these cookies. */
export function cookieLines(...lines: readonly (string | SetCookieLine)[]): {
  readonly page: { readonly setCookies: readonly SetCookieLine[] };
} {
  return { page: { setCookies: lines.map((line) => (typeof line === "string" ? cookieLine(line) : line)) } };
}

export function cookieLine(line: string, given: Partial<SetCookieLine> = {}): SetCookieLine {
  return { host: "site.example", overHttps: true, line, truncated: false, ...given };
}

/** A line that was longer than the limit: what stood behind the cut, nobody knows. */
export function cutCookieLine(line: string): SetCookieLine {
  return cookieLine(line, { truncated: true });
}
