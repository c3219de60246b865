/** Reads Content Security Policies as a browser does (CSP3): policies, their directives, and which directive governs what. */

/** One directive as written: its name in lower case, and the words behind it. */
export interface CspDirective {
  readonly name: string;
  readonly values: readonly string[];
  /** A browser skips a directive that holds anything but ASCII. */
  readonly ascii: boolean;
}

/** Source lists by lower-case directive name. Of a repeated directive a browser honours the first; the others are left out. */
export type CspPolicy = ReadonlyMap<string, readonly string[]>;

/** A directive that governs a request, perhaps by falling back, and its source list. */
export interface CspGoverning {
  readonly directive: string;
  readonly sources: readonly string[];
}

/** Where a browser looks when a directive is absent, CSP3 section 6.8.3; the first that is there governs. All others have no fallback. */
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

/** Directives whose words are source expressions: those of fetching, and three that stand for themselves. */
export const sourceListDirectives: readonly string[] = ["base-uri", "default-src", "form-action", "frame-ancestors", ...fallbacks.keys()];

/** Directives by which a policy restricts something. Reporting alone, and what browsers have given up, restricts nothing. */
const restrictingDirectives: readonly string[] = [
  ...sourceListDirectives,
  "require-trusted-types-for",
  "sandbox",
  "trusted-types",
  "upgrade-insecure-requests",
];

/** Every directive that a specification knows, those included that browsers have given up. */
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

/** Directives that a browser drops from a policy in a meta element, CSP3 section 3.3. */
export const directivesIgnoredInMeta: readonly string[] = ["frame-ancestors", "report-uri", "sandbox"];

/** Space is any ASCII whitespace here (Infra standard), not only the blank. */
const spaces = /[\t\n\f\r ]+/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is looked for.
const asciiOnly = /^[\x00-\x7f]*$/;

/**
 * The policies of the given texts, each enforced for itself: values of the header field, or the contents of meta elements. Policies
 * without a directive do not count. The HTML standard has one policy in a meta element; Chromium and WebKit let a comma part it too.
 */
export function parseCsp(texts: readonly string[]): readonly CspPolicy[] {
  return serializedPolicies(texts)
    .map((text) => policyOf(parseCspDirectives(text)))
    .filter((policy) => policy.size > 0);
}

/** Commas part policies (RFC 9110 section 5.6.1, CSP3 section 2.2.2). */
export function serializedPolicies(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.split(","));
}

/** The directives of one serialised policy as written, with those that a browser skips. */
export function parseCspDirectives(text: string): readonly CspDirective[] {
  return text.split(";").flatMap((part) => {
    const [name, ...values] = part.split(spaces).filter((word) => word !== "");
    return name === undefined ? [] : [{ name: name.toLowerCase(), values, ascii: asciiOnly.test(part) }];
  });
}

/** CSP3 section 2.2.1. */
function policyOf(directives: readonly CspDirective[]): CspPolicy {
  const policy = new Map<string, readonly string[]>();
  for (const { name, values, ascii } of directives) if (ascii && !policy.has(name)) policy.set(name, values);
  return policy;
}

/** Does the policy hold a directive that a browser enforces? */
export function restrictsAnything(policy: CspPolicy): boolean {
  return restrictingDirectives.some((name) => policy.has(name));
}

/** What the policy has to say on the matter of that directive: itself or, where it is absent, what it falls back to. Null: nothing. */
export function governing(policy: CspPolicy, directive: string): CspGoverning | null {
  for (const name of [directive, ...(fallbacks.get(directive) ?? [])]) {
    const sources = policy.get(name);
    if (sources !== undefined) return { directive: name, sources };
  }
  return null;
}

/** Does the policy sandbox the page without letting it do that, as in `allow-scripts`? */
export function sandboxes(policy: CspPolicy, unlessAllowed: string): boolean {
  const flags = policy.get("sandbox");
  return flags !== undefined && !flags.some((flag) => flag.toLowerCase() === unlessAllowed);
}
