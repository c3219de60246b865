/** Reads Content Security Policy as a browser does (CSP3): policies, directives, source expressions, and which of them a browser honours. */
import { isRegistrySuffix } from "./registry-suffix.ts";

/** Source lists by lower-case directive name. Of a repeated directive a browser honours the first; the others are left out. */
export type CspPolicy = ReadonlyMap<string, readonly string[]>;

/** A directive that governs a request, perhaps by falling back, and its source list. */
export interface CspGoverning {
  readonly directive: string;
  readonly sources: readonly string[];
}

/** What one source expression says, CSP3 section 2.3.1. */
export type CspSource =
  /** Lower case, without the quotes. */
  | { readonly kind: "keyword"; readonly keyword: string }
  | { readonly kind: "nonce" | "hash" | "invalid" }
  /** Lower case, without the colon. */
  | { readonly kind: "scheme"; readonly scheme: string }
  /** Lower case. `*` alone is a host of any name with the schemes of the network; `port` may be `*`. */
  | { readonly kind: "host"; readonly scheme: string | null; readonly host: string; readonly port: string | null };

/** Where a browser looks for the rule about script elements, CSP3 section 6.8.3; the first that is there governs. */
export const scriptElementDirectives = ["script-src-elem", "script-src", "default-src"] as const;
/** The same for event handlers in attributes. */
export const scriptAttributeDirectives = ["script-src-attr", "script-src", "default-src"] as const;

/** Directives that a browser drops from a policy in a meta element, CSP3 section 3.3. */
export const directivesIgnoredInMeta: readonly string[] = ["frame-ancestors", "report-uri", "sandbox"];

/** Directives by which a policy restricts something. Reporting alone, and what browsers have given up, restricts nothing. */
const restrictingDirectives: readonly string[] = [
  "base-uri",
  "child-src",
  "connect-src",
  "default-src",
  "fenced-frame-src",
  "font-src",
  "form-action",
  "frame-ancestors",
  "frame-src",
  "img-src",
  "manifest-src",
  "media-src",
  "object-src",
  "require-trusted-types-for",
  "sandbox",
  "script-src",
  "script-src-attr",
  "script-src-elem",
  "style-src",
  "style-src-attr",
  "style-src-elem",
  "trusted-types",
  "upgrade-insecure-requests",
  "worker-src",
];

/** Space is any ASCII whitespace here (Infra standard), not only the blank. */
const spaces = /[\t\n\f\r ]+/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is looked for.
const asciiOnly = /^[\x00-\x7f]*$/;
const nonceSource = /^'nonce-[a-z0-9+/_-]+={0,2}'$/i;
const hashSource = /^'sha(?:256|384|512)-[a-z0-9+/_-]+={0,2}'$/i;
const keywordSource = /^'([a-z0-9-]+)'$/i;
const schemeSource = /^([a-z][a-z0-9+.-]*):$/i;
const hostSource = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::(\d+|\*))?(?:\/.*)?$/i;

/** Policies of all fields of that name, each enforced for itself; a comma parts policies within a field. Policies without a directive do not count. */
export function parseCspHeader(values: readonly string[]): readonly CspPolicy[] {
  return values.flatMap((value) => value.split(",").map(parseSerializedPolicy)).filter((policy) => policy.size > 0);
}

/** The policy of a meta element's `content`, which is a single one (HTML standard), as it was written; null when it has no directive. */
export function parseCspMeta(content: string): CspPolicy | null {
  const policy = parseSerializedPolicy(content);
  return policy.size === 0 ? null : policy;
}

/** CSP3 section 2.2.1. */
function parseSerializedPolicy(text: string): CspPolicy {
  const policy = new Map<string, readonly string[]>();
  for (const directive of text.split(";")) {
    if (!asciiOnly.test(directive)) continue;
    const [name, ...sources] = directive.split(spaces).filter((part) => part !== "");
    if (name === undefined || policy.has(name.toLowerCase())) continue;
    policy.set(name.toLowerCase(), sources);
  }
  return policy;
}

/** Does the policy hold a directive that a browser enforces? */
export function restrictsAnything(policy: CspPolicy): boolean {
  return restrictingDirectives.some((name) => policy.has(name));
}

/** The first of `directives` that the policy holds; null when it says nothing about the matter. */
export function governing(policy: CspPolicy, directives: readonly string[]): CspGoverning | null {
  for (const directive of directives) {
    const sources = policy.get(directive);
    if (sources !== undefined) return { directive, sources };
  }
  return null;
}

/** A policy with `sandbox` but without its `allow-scripts` lets no script run at all. */
export function sandboxesScripts(policy: CspPolicy): boolean {
  const flags = policy.get("sandbox");
  return flags !== undefined && !flags.some((flag) => flag.toLowerCase() === "allow-scripts");
}

export function parseCspSource(text: string): CspSource {
  if (nonceSource.test(text)) return { kind: "nonce" };
  if (hashSource.test(text)) return { kind: "hash" };
  const keyword = keywordSource.exec(text)?.[1];
  if (keyword !== undefined) return { kind: "keyword", keyword: keyword.toLowerCase() };
  const scheme = schemeSource.exec(text)?.[1];
  if (scheme !== undefined) return { kind: "scheme", scheme: scheme.toLowerCase() };
  const [, hostScheme, host, port] = hostSource.exec(text) ?? [];
  if (host === undefined) return { kind: "invalid" };
  return { kind: "host", scheme: hostScheme?.toLowerCase() ?? null, host: host.toLowerCase(), port: port ?? null };
}

/**
 * Does a source list let every inline script run? CSP3 section 6.7.3.2: `'unsafe-inline'` is ignored beside a nonce, a hash
 * or `'strict-dynamic'`.
 */
export function allowsAllInlineScript(sources: readonly string[]): boolean {
  const parsed = sources.map(parseCspSource);
  const ignored = parsed.some((source) => source.kind === "nonce" || source.kind === "hash" || isKeyword(source, "strict-dynamic"));
  return !ignored && parsed.some((source) => isKeyword(source, "unsafe-inline"));
}

/**
 * The expressions of a script source list by which URLs are allowed, as far as a browser honours them: `'strict-dynamic'` makes
 * it ignore all of them (CSP3 section 6.7.1.1).
 */
export function scriptUrlSources(sources: readonly string[]): readonly string[] {
  const parsed = sources.map((text) => ({ text, source: parseCspSource(text) }));
  if (parsed.some(({ source }) => isKeyword(source, "strict-dynamic"))) return [];
  return parsed.filter(({ source }) => source.kind === "scheme" || source.kind === "host").map(({ text }) => text);
}

/** Does the expression match a host that anybody may set up: `*`, `https:`, `http://*`, `*.com`, `*.co.uk`? */
export function matchesAnyHost(text: string): boolean {
  const source = parseCspSource(text);
  // CSP3 section 6.7.2.8: `http:` matches https URLs too.
  if (source.kind === "scheme") return source.scheme === "https" || source.scheme === "http";
  if (source.kind !== "host") return false;
  return source.host === "*" || (source.host.startsWith("*.") && isRegistrySuffix(source.host.slice(2)));
}

/** Is it the scheme source of that name, as in `data:`? */
export function isSchemeSource(text: string, scheme: string): boolean {
  const source = parseCspSource(text);
  return source.kind === "scheme" && source.scheme === scheme;
}

function isKeyword(source: CspSource, keyword: string): boolean {
  return source.kind === "keyword" && source.keyword === keyword;
}
