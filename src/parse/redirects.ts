/** Reads redirects off the answers of a server, and the two chains that a scan records. */
import type { HttpAnswer, NavigationFacts } from "../evidence/facts.ts";
import { valuesNamed } from "./header-fields.ts";

export interface Redirect {
  readonly from: string;
  readonly to: string;
}

/** The statuses that a browser follows (Fetch standard, redirect status); 300 and 304 are none. */
const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

export function isRedirectStatus(status: number): boolean {
  return redirectStatuses.includes(status);
}

/** Absolute URL that the answer sends a browser to; null when it is no redirect, or names no usable place. */
export function redirectTarget(answer: HttpAnswer): string | null {
  if (!isRedirectStatus(answer.status)) return null;
  const [location] = valuesNamed(answer.headers, "location");
  return location === undefined ? null : (URL.parse(location, answer.url)?.href ?? null);
}

/** A server in trouble, or one that turns us away, has not shown what it does with visitors. */
export function saysNothingOfSite(status: number): boolean {
  return status === 429 || status >= 500;
}

/** Redirects that servers sent the browser; the upgrades that it made up itself are left out. */
export function browserRedirects({ hops, finalUrl }: NavigationFacts): readonly Redirect[] {
  return hops.flatMap((hop, at) => (hop.internal ? [] : [{ from: hop.url, to: hops[at + 1]?.url ?? finalUrl }]));
}

/** Redirects from port 80 on, in order. The last answer may be one that was not followed; where it led counts all the same. */
export function redirectsAmong(answers: readonly HttpAnswer[]): readonly Redirect[] {
  return answers.flatMap((answer, at) => {
    const to = answers[at + 1]?.url ?? redirectTarget(answer);
    return to === null ? [] : [{ from: answer.url, to }];
  });
}
