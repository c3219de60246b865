/** Parses X-Frame-Options, Strict-Transport-Security, Referrer-Policy, and the charset of Content-Type. */
import { tryOr } from "../base/try-or.ts";
import { parseStructuredToken, splitHeaderList, splitOutsideQuotes, trimBlanks } from "./header-syntax.ts";

/** `conflict`: different values, one of them known; framing is blocked. `ignored`: no known value; any site can frame the page. */
export type FrameOptions = "deny" | "sameorigin" | "conflict" | "ignored";

const knownValues: readonly string[] = ["deny", "sameorigin", "allowall"];

/** Combined effect of all X-Frame-Options fields; null without a field. Repeated values count once. */
export function parseFrameOptions(fields: readonly string[]): FrameOptions | null {
  const values = new Set(splitHeaderList(fields).map((value) => value.toLowerCase()));
  if (values.size === 0) return null;
  if (values.size > 1) return knownValues.some((value) => values.has(value)) ? "conflict" : "ignored";
  if (values.has("deny")) return "deny";
  return values.has("sameorigin") ? "sameorigin" : "ignored";
}

// Parses Strict-Transport-Security by the grammar of RFC 6797 section 6.1.

/** 180 days. With a shorter period, a visitor who returns twice a year is never protected. */
export const hstsMaxAgeSecondsMin = 15_552_000;

export interface HstsPolicy {
  readonly maxAgeSeconds: number;
  readonly includeSubDomains: boolean;
  /** True if the site requests inclusion in the browsers' preload lists; not part of RFC 6797. */
  readonly preload: boolean;
}

/** Reason why browsers ignore the complete value. `syntax`: not of the grammar. `max-age-malformed`: not a number of seconds. */
export type HstsDefect = "syntax" | "repeated-directive" | "max-age-missing" | "max-age-malformed";

/** A token, optionally with `=` and a token or quoted string (RFC 2616 section 2.2, as RFC 6797 requires). Controls are excluded. */
const directivePattern =
  /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[\t ]*(=)[\t ]*(?:([!#$%&'*+.^_`|~0-9a-z-]+)|"((?:[\t !#-[\]-~\u0080-\uffff]|\\[\t -~])*)"))?$/i;

/** Policy of one field value, or the defect that invalidates it. Unknown directives are ignored (RFC 6797 section 6.1). */
export function parseHsts(value: string): HstsPolicy | { readonly defect: HstsDefect } {
  const directives = new Map<string, string | null>();
  for (const part of splitOutsideQuotes(value, ";")) {
    const text = trimBlanks(part);
    if (text === "") continue;
    const [matched, name = "", equals, token, quoted] = directivePattern.exec(text) ?? [];
    if (matched === undefined) return { defect: "syntax" };
    if (directives.has(name.toLowerCase())) return { defect: "repeated-directive" };
    directives.set(name.toLowerCase(), equals === undefined ? null : (token ?? quoted?.replaceAll(/\\(.)/g, "$1") ?? ""));
  }
  const maxAge = directives.get("max-age");
  if (maxAge === undefined) return { defect: "max-age-missing" };
  if (maxAge === null || !/^\d+$/.test(maxAge)) return { defect: "max-age-malformed" };
  // RFC 6797 section 6.1.2: the directive has no value; browsers reject a value.
  if (typeof directives.get("includesubdomains") === "string") return { defect: "syntax" };
  return {
    maxAgeSeconds: Math.min(Number(maxAge), Number.MAX_SAFE_INTEGER),
    includeSubDomains: directives.has("includesubdomains"),
    preload: directives.get("preload") === null,
  };
}

// Parses the referrer policy of the header (Referrer Policy, "parse a referrer policy") and of a meta element (HTML standard).

const referrerPolicies = [
  "no-referrer",
  "no-referrer-when-downgrade",
  "origin",
  "origin-when-cross-origin",
  "same-origin",
  "strict-origin",
  "strict-origin-when-cross-origin",
  "unsafe-url",
] as const;

export type ReferrerPolicy = (typeof referrerPolicies)[number];

/** Values of an early draft, which the HTML standard accepts in meta elements only. */
const legacyMetaWords: ReadonlyMap<string, ReferrerPolicy> = new Map([
  ["never", "no-referrer"],
  ["default", "strict-origin-when-cross-origin"],
  ["always", "unsafe-url"],
  ["origin-when-crossorigin", "origin-when-cross-origin"],
]);

/** Last known policy, so that a site may list a fallback for older browsers first; null if none is known. */
export function parseReferrerPolicyHeader(fields: readonly string[]): ReferrerPolicy | null {
  return (
    splitHeaderList(fields)
      .map(policyNamed)
      .findLast((policy) => policy !== null) ?? null
  );
}

/** Policy of a meta element's `content`, a single word; null if unknown, and browsers ignore the element. */
export function parseReferrerPolicyMeta(content: string): ReferrerPolicy | null {
  return legacyMetaWords.get(content.toLowerCase()) ?? policyNamed(content);
}

function policyNamed(word: string): ReferrerPolicy | null {
  return referrerPolicies.find((policy) => policy === word.toLowerCase()) ?? null;
}

/** Every value of Document-Isolation-Policy (WICG draft, "parsing"); browsers treat others as `none`. */
export const documentIsolationPolicies: readonly string[] = ["isolate-and-require-corp", "isolate-and-credentialless", "none"];

/** True if the fields of Document-Isolation-Policy give the page an agent cluster of its own, in browsers that support the header. */
export function isolatesDocument(fields: readonly string[]): boolean {
  const token = parseStructuredToken(fields);
  return token !== null && token !== "none" && documentIsolationPolicies.includes(token);
}

// Extracts the character encoding from a media type or a meta element.

/** Type and subtype (MIME Sniffing section 4.4). A parameter counts only after both. */
const essence = /^[\t\n\r ]*[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+[\t\n\r ]*(?:$|(?=;))/i;
/** White space, a name, and a value: quoted, or up to the next semicolon (RFC 9110 section 5.6.4). */
const parameter = /;[\t\n\r ]*([^;=]*)(?:=(?:"((?:[^"\\]|\\.)*)(?:"|\\?$)[^;]*|([^;]*)))?/sy;

/** First non-empty `charset` parameter of a Content-Type value (MIME Sniffing section 4.4, "parse a MIME type"); null if absent. */
export function charsetOfMediaType(value: string): string | null {
  const [head] = essence.exec(value) ?? [];
  if (head === undefined) return null;
  parameter.lastIndex = head.length;
  for (let found = parameter.exec(value); found !== null; found = parameter.exec(value)) {
    const [, name = "", quoted, bare = ""] = found;
    // White space before the equals sign is part of the name, so such a name never matches.
    const charset = (quoted?.replaceAll(/\\(.)/gs, "$1") ?? bare).trim();
    if (name.toLowerCase() === "charset" && charset !== "") return charset;
  }
  return null;
}

/** `charset=` with a quoted value, an unclosed quote, or a value that ends at white space or a semicolon. */
const metaCharset = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|(["'])|([^\t\n\f\r ;]*))/i;

/** Encoding in the `content` of `<meta http-equiv="content-type">` (HTML standard, "extracting a character encoding"); null if absent. */
export function charsetOfMetaContent(content: string): string | null {
  const [, double, single, , bare] = metaCharset.exec(content) ?? [];
  return (double ?? single ?? bare)?.trim() || null;
}

/** True for a label of the Encoding standard. Browsers ignore all other labels, UTF-7 included. */
export function isEncodingLabel(label: string): boolean {
  return tryOr(() => new TextDecoder(label), null) !== null;
}
