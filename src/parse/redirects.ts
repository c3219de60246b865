/** Extracts redirects from answers and from the two chains that a scan records. */
import type { HttpAnswer } from "../evidence/http-facts.ts";
import type { NavigationFacts } from "../evidence/page-facts.ts";
import { valuesNamed } from "./header-fields.ts";

export interface Redirect {
  readonly from: string;
  readonly to: string;
}

/** Statuses that browsers follow (Fetch standard, "redirect status"); 300 and 304 are excluded. */
const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

export function isRedirectStatus(status: number): boolean {
  return redirectStatuses.includes(status);
}

/** Absolute target URL; null if not a redirect, or without a usable Location. */
export function redirectTarget(answer: HttpAnswer): string | null {
  if (!isRedirectStatus(answer.status)) return null;
  const [location] = valuesNamed(answer.headers, "location");
  return location === undefined ? null : (URL.parse(location, answer.url)?.href ?? null);
}

/** True for answers that do not show how the site treats visitors: server errors and rate limits. */
export function isInconclusiveStatus(status: number): boolean {
  return status === 429 || status >= 500;
}

/** Redirects that servers sent to the browser. The browser's internal upgrades are excluded. */
export function browserRedirects({ hops, finalUrl }: NavigationFacts): readonly Redirect[] {
  return hops.flatMap((hop, at) => (hop.internal ? [] : [{ from: hop.url, to: hops[at + 1]?.url ?? finalUrl }]));
}

/** Redirects from port 80 on, in order. Includes the target of a last answer that was not followed. */
export function redirectsAmong(answers: readonly HttpAnswer[]): readonly Redirect[] {
  return answers.flatMap((answer, at) => {
    const to = answers[at + 1]?.url ?? redirectTarget(answer);
    return to === null ? [] : [{ from: answer.url, to }];
  });
}
