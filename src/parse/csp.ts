/** Parses Content Security Policies as browsers do (CSP3), and resolves which directive governs a request. */

/** One directive as written. The name is in lower case. */
export interface CspDirective {
  readonly name: string;
  readonly values: readonly string[];
  /** False if the directive contains non-ASCII characters; browsers skip it. */
  readonly ascii: boolean;
}

/** Source lists by lower-case directive name. Browsers use the first of repeated directives; the others are left out. */
export type CspPolicy = ReadonlyMap<string, readonly string[]>;

/** Directive that governs a request, directly or as a fallback, and its source list. */
export interface CspGoverning {
  readonly directive: string;
  readonly sources: readonly string[];
}

/** Fallback order of absent directives, CSP3 section 6.8.3: the first one present governs. Other directives have no fallback. */
const fallbacks: ReadonlyMap<string, readonly string[]> = new Map([
  ["child-src", ["default-src"]],
  ["connect-src", ["default-src"]],
  ["fenced-frame-src", ["frame-src", "child-src", "default-src"]],
  ["font-src", ["default-src"]],
  ["frame-src", ["child-src", "default-src"]],
  ["img-src", ["default-src"]],
  ["manifest-src", ["default-src"]],
  ["media-src", ["default-src"]],
  ["object-src", ["default-src"]],
  ["script-src", ["default-src"]],
  ["script-src-attr", ["script-src", "default-src"]],
  ["script-src-elem", ["script-src", "default-src"]],
  ["style-src", ["default-src"]],
  ["style-src-attr", ["style-src", "default-src"]],
  ["style-src-elem", ["style-src", "default-src"]],
  ["worker-src", ["child-src", "script-src", "default-src"]],
]);

/** Directives on what a page may load, CSP3 section 6.1. */
const fetchDirectives: readonly string[] = ["default-src", ...fallbacks.keys()];

/** Directives whose values are source expressions: the fetch directives, and three without a fallback. */
export const sourceListDirectives: readonly string[] = ["base-uri", "form-action", "frame-ancestors", ...fetchDirectives];

/** Directives that restrict something. Reporting directives and obsolete ones restrict nothing. */
const restrictingDirectives: readonly string[] = [
  ...sourceListDirectives,
  "require-trusted-types-for",
  "sandbox",
  "trusted-types",
  "upgrade-insecure-requests",
];

/** Every directive that a specification defines, obsolete ones included. */
export const knownDirectives: readonly string[] = [
  ...restrictingDirectives,
  "block-all-mixed-content",
  "navigate-to",
  "plugin-types",
  "prefetch-src",
  "referrer",
  "reflected-xss",
  "report-to",
  "report-uri",
  "require-sri-for",
  "webrtc",
];

/** Directives that browsers drop from a policy in a meta element, CSP3 section 3.3. */
export const directivesIgnoredInMeta: readonly string[] = ["frame-ancestors", "report-uri", "sandbox"];
/** ASCII whitespace of the Infra standard, not only spaces. */
const spaces = /[\t\n\f\r ]+/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern tests for ASCII.
const asciiOnly = /^[\x00-\x7f]*$/;

/** Browsers enforce each policy separately. Chromium and WebKit also split meta elements at commas. */
export function parseCsp(texts: readonly string[]): readonly CspPolicy[] {
  return serializedPolicies(texts)
    .map((text) => policyOf(parseCspDirectives(text)))
    .filter((policy) => policy.size > 0);
}

/** Splits at commas (RFC 9110 section 5.6.1, CSP3 section 2.2.2). */
export function serializedPolicies(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.split(","));
}

/** Directives of one serialized policy as written, including those that browsers skip. */
export function parseCspDirectives(text: string): readonly CspDirective[] {
  return text.split(";").flatMap((part) => {
    const [name, ...values] = part.split(spaces).filter((word) => word !== "");
    return name === undefined ? [] : [{ name: name.toLowerCase(), values, ascii: asciiOnly.test(part) }];
  });
}

/** CSP3 section 2.2.1: non-ASCII directives are skipped, and the first of repeated ones counts. */
function policyOf(directives: readonly CspDirective[]): CspPolicy {
  const policy = new Map<string, readonly string[]>();
  for (const { name, values, ascii } of directives) if (ascii && !policy.has(name)) policy.set(name, values);
  return policy;
}

export function restrictsAnything(policy: CspPolicy): boolean {
  return restrictingDirectives.some((name) => policy.has(name));
}

/** The directive itself or its first fallback that is present; null if neither restricts the request. */
export function governing(policy: CspPolicy, directive: string): CspGoverning | null {
  for (const name of [directive, ...(fallbacks.get(directive) ?? [])]) {
    const sources = policy.get(name);
    if (sources !== undefined) return { directive: name, sources };
  }
  return null;
}

/** True if the policy restricts scripts, by a source list or by a sandbox without scripts. */
export function governsScripts(policy: CspPolicy): boolean {
  return governing(policy, "script-src-elem") !== null || sandboxes(policy, "allow-scripts");
}

/** True if the policy restricts anything that the page loads. */
export function governsFetches(policy: CspPolicy): boolean {
  return governsScripts(policy) || fetchDirectives.some((name) => policy.has(name));
}

/** Directives that are complete in a cut value: the last one may lack sources. Later text can only add restrictions. */
export function beforeCutDirective(value: string): string {
  return value.slice(0, Math.max(value.lastIndexOf(";"), value.lastIndexOf(",")) + 1);
}

/** True if the policy sandboxes the page without the given flag, such as `allow-scripts`. */
export function sandboxes(policy: CspPolicy, unlessAllowed: string): boolean {
  const flags = policy.get("sandbox");
  return flags !== undefined && !flags.some((flag) => flag.toLowerCase() === unlessAllowed);
}
