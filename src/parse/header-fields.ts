/** Selects header fields by name, the answer that a check evaluates, and redirects. */
import { isRedirectStatus, type Subject } from "../evidence/evidence.ts";
import type { HeaderField, HttpAnswer } from "../evidence/http-facts.ts";
import type { NavigationFacts } from "../evidence/page-facts.ts";
import { parseIpText } from "./address.ts";
import { hostOf } from "./site.ts";

/** All fields of a lower-case name, in order. Names are case-insensitive (RFC 9110 section 5.1). */
export function fieldsNamed(headers: readonly HeaderField[], name: string): readonly HeaderField[] {
  return headers.filter((field) => field.name.toLowerCase() === name);
}

export function valuesNamed(headers: readonly HeaderField[], name: string): readonly string[] {
  return fieldsNamed(headers, name).map((field) => field.value);
}

/** True for a Content-Type of `text/plain` with any parameters; null means that the field is absent. */
export function isPlainText(contentType: string | null): boolean {
  return /^\s*text\/plain\s*(?:;|$)/i.test(contentType ?? "");
}

/** Browsers sniff answers without a type and may show them as HTML, so they count as HTML. */
export function isHtml(mediaType: string | null): boolean {
  return mediaType === null || mediaType === "text/html" || mediaType === "application/xhtml+xml";
}

export function isHttps(url: string): boolean {
  return url.startsWith("https:");
}

/** First https answer of the scanned host, or else of any host. RFC 6797 section 8.1: browsers accept HSTS from secure answers only. */
export function firstHttpsAnswer<A extends { readonly url: string }>(
  { host }: Subject,
  { hops }: NavigationFacts,
  page: A,
): A | NavigationFacts["hops"][number] | null {
  const secure = [...hops, page].filter((answer) => isHttps(answer.url) && !("internal" in answer && answer.internal));
  return secure.find((answer) => hostOf(answer.url) === host) ?? secure[0] ?? null;
}

/** URL of the first https answer, which is known even where the page could not be read. */
export function firstHttpsUrl(subject: Subject, navigation: NavigationFacts): string | null {
  return firstHttpsAnswer(subject, navigation, { url: navigation.finalUrl })?.url ?? null;
}

/** Host for which browsers keep the HSTS policy. Null without an https answer, and for an IP address (RFC 6797 section 8.1.1). */
export function hstsHost(subject: Subject, navigation: NavigationFacts): string | null {
  const host = hostOf(firstHttpsUrl(subject, navigation) ?? "");
  return host === null || parseIpText(host) !== null ? null : host;
}

export interface Redirect {
  readonly from: string;
  readonly to: string;
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
