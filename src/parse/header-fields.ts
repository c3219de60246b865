/** Reading header fields by name, and choosing the answer that a check means. */
import type { Subject } from "../evidence/evidence.ts";
import type { HeaderField, HttpAnswer, NavigationFacts, PageFacts } from "../evidence/facts.ts";

/** All fields of that name, in order. Names compare without case (RFC 9110 section 5.1). */
export function fieldsNamed(headers: readonly HeaderField[], name: string): readonly HeaderField[] {
  return headers.filter((field) => field.name.toLowerCase() === name);
}

/** Values of all fields of that name, in order. */
export function valuesNamed(headers: readonly HeaderField[], name: string): readonly string[] {
  return fieldsNamed(headers, name).map((field) => field.value);
}

/** Whether a Content-Type says `text/plain`, with whatever parameters; null is an absent field. */
export function isPlainText(contentType: string | null): boolean {
  return /^\s*text\/plain\s*(?:;|$)/i.test(contentType ?? "");
}

export function isHttps(url: string): boolean {
  return url.startsWith("https:");
}

/** Host of an absolute URL, IPv6 without brackets, or null when it is none. */
export function hostOf(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed === null || parsed.hostname === "" ? null : parsed.hostname.replace(/^\[|\]$/g, "");
}

/**
 * The first https answer of the scanned host, or of whatever host answered https first when the scanned host never did
 * (its http address led straight elsewhere). Null when the page answered, but never over https, and when the page was not read.
 * RFC 6797 section 8.1: HSTS is learnt from secure answers only.
 */
export function firstHttpsAnswer(subject: Subject, navigation: NavigationFacts, page: PageFacts): HttpAnswer | null {
  const secure = [...navigation.hops, page].filter((answer) => isHttps(answer.url) && !("internal" in answer && answer.internal));
  return secure.find((answer) => hostOf(answer.url) === subject.host) ?? secure[0] ?? null;
}
