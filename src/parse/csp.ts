/**
 * Parses Content Security Policies as browsers do (CSP3), resolves which directive governs a request, and matches URLs against sources.
 */

// The package csp_evaluator does not export its lists.
import { URLS as angularUrls } from "csp_evaluator/dist/allowlist_bypasses/angular.js";
import { URLS as jsonpUrls, NEEDS_EVAL as needsEval } from "csp_evaluator/dist/allowlist_bypasses/jsonp.js";
import about from "../../node_modules/csp_evaluator/package.json" with { type: "json" };
import { isOpenBelow, type OpenHost, openHostIn } from "./open-hosts.ts";

export type CspSource =
  /** Lower case, without quotes. */
  | { readonly kind: "keyword"; readonly keyword: string }
  /** As written; nonces are case-sensitive. */
  | { readonly kind: "nonce"; readonly nonce: string }
  | { readonly kind: "hash" | "invalid" }
  /** Lower case, without the colon. */
  | { readonly kind: "scheme"; readonly scheme: string }
  | CspHostSource;

/**
 * Lower case except for the path. A bare `*` matches any host over network schemes; `port` may be `*`; an absent path is `""`. A query
 * after the path is invalid, but browsers ignore it and use the rest.
 */
interface CspHostSource {
  readonly kind: "host";
  readonly scheme: string | null;
  readonly host: string;
  readonly port: string | null;
  readonly path: string;
}

/** Keywords that browsers support, without quotes. `none` has a meaning only as the single source. */
export const cspKeywords: readonly string[] = (
  "inline-speculation-rules none report-sample report-sha256 report-sha384 report-sha512 self strict-dynamic trusted-types-eval " +
  "unsafe-eval unsafe-hashes unsafe-inline unsafe-webtransport-hashes wasm-unsafe-eval"
).split(" ");

const nonceSource = /^'nonce-([a-z0-9+/_-]+={0,2})'$/i;
const hashSource = /^'sha(?:256|384|512)-[a-z0-9+/_-]+={0,2}'$/i;
const keywordSource = /^'([a-z0-9-]+)'$/i;
const schemeSource = /^([a-z][a-z0-9+.-]*):$/i;
const hostSource = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::(\d+|\*))?(?:(\/[^?#]*)(?:[?#].*)?)?$/i;

export function parseCspSource(text: string): CspSource {
  const nonce = nonceSource.exec(text)?.[1];
  if (nonce !== undefined) return { kind: "nonce", nonce };
  if (hashSource.test(text)) return { kind: "hash" };
  const keyword = keywordSource.exec(text)?.[1]?.toLowerCase();
  if (keyword !== undefined) return cspKeywords.includes(keyword) ? { kind: "keyword", keyword } : { kind: "invalid" };
  const scheme = schemeSource.exec(text)?.[1];
  if (scheme !== undefined) return { kind: "scheme", scheme: scheme.toLowerCase() };
  const [, hostScheme, host, port, path] = hostSource.exec(text) ?? [];
  if (host === undefined) return { kind: "invalid" };
  return { kind: "host", scheme: hostScheme?.toLowerCase() ?? null, host: host.toLowerCase(), port: port ?? null, path: path ?? "" };
}

/** True if the list has the keyword, given in lower case without quotes. */
export function hasKeyword(sources: readonly string[], keyword: string): boolean {
  return sources.some((text) => isKeyword(parseCspSource(text), keyword));
}

/** CSP3 section 6.7.3.2: a nonce or hash voids `'unsafe-inline'`, and for scripts `'strict-dynamic'` does too. */
export function allowsAllInline(sources: readonly string[], kind: "script" | "style"): boolean {
  const ignored = trustsNonces(sources) || trustsHashes(sources) || (kind === "script" && hasKeyword(sources, "strict-dynamic"));
  return !ignored && hasKeyword(sources, "unsafe-inline");
}

export function trustsNonces(sources: readonly string[]): boolean {
  return sources.some((text) => parseCspSource(text).kind === "nonce");
}

export function trustsHashes(sources: readonly string[]): boolean {
  return sources.some((text) => parseCspSource(text).kind === "hash");
}

/** True if no URL can match the list. An empty list means `'none'`; nonces, hashes and most keywords match no URL. */
export function allowsNoUrl(sources: readonly string[]): boolean {
  return !sources.some((text) => {
    const source = parseCspSource(text);
    return source.kind === "scheme" || source.kind === "host" || isKeyword(source, "self");
  });
}

/** Expressions of a script source list that match by URL. `'strict-dynamic'` makes browsers ignore all of them (CSP3 section 6.7.1.1). */
export function scriptUrlSources(sources: readonly string[]): readonly string[] {
  return hasKeyword(sources, "strict-dynamic") ? [] : sources.filter((text) => !allowsNoUrl([text]));
}

/** True if the expression matches hosts that anyone can have: `*`, `https:`, `http://*`, `*.com`, `*.co.uk`, `*.vercel.app`. */
export function matchesAnyHost(text: string): boolean {
  const source = parseCspSource(text);
  // CSP3 section 6.7.2.9: `http:` also matches https URLs.
  if (source.kind === "scheme") return source.scheme === "https" || source.scheme === "http";
  if (source.kind !== "host") return false;
  return source.host === "*" || (source.host.startsWith("*.") && isOpenBelow(withoutDot(source.host.slice(2))));
}

/**
 * True if the expression matches any host, or a host on which anyone can publish, such as `https://unpkg.com`. With `pages`, the host
 * must also serve documents, which may show other sites in a frame.
 */
export function matchesOpenHost(text: string, serves: OpenHost["serves"]): boolean {
  if (matchesAnyHost(text)) return true;
  const source = parseCspSource(text);
  if (source.kind !== "host" || !/^https?$/.test(source.scheme ?? "https") || !/^(?:\*|80|443)$/.test(source.port ?? "*")) return false;
  const open = openHostIn({ host: withoutDot(source.host), path: source.path });
  return open !== null && (serves === "scripts" || open.serves === "pages");
}

/** RFC 1034 section 3.1: a dot at the end marks an absolute name. */
function withoutDot(host: string): string {
  return host.replace(/\.$/, "");
}

export function isSchemeSource(text: string, scheme: string): boolean {
  const source = parseCspSource(text);
  return source.kind === "scheme" && source.scheme === scheme;
}

/** Scheme of the expression in lower case, from `ws:` or `ws://host`; null without one. */
export function schemeNamed(text: string): string | null {
  const source = parseCspSource(text);
  return source.kind === "scheme" || source.kind === "host" ? source.scheme : null;
}

/** True if the expression allows `url` on `page` (CSP3 section 6.7.2.8). Direct requests only: after a redirect the path is ignored. */
export function matchesUrl(source: CspSource, url: URL, page: URL): boolean {
  switch (source.kind) {
    case "scheme":
      return schemeMatches(source.scheme, url);
    case "host":
      return hostSourceMatches(source, url, page);
    case "keyword":
      return source.keyword === "self" && matchesSelf(url, page);
    default:
      return false;
  }
}

const networkSchemes: readonly string[] = ["http", "https", "ws", "wss"];

function hostSourceMatches({ scheme, host, port, path }: CspHostSource, url: URL, page: URL): boolean {
  if (host === "*" && scheme === null && port === null && path === "") return networkSchemes.includes(schemeOf(url));
  const expected = scheme ?? schemeOf(page);
  // The host differs most often, so it is compared first.
  return (
    hostMatches(host, url.hostname) && schemeMatches(expected, url) && portMatches(port, expected, url) && pathMatches(path, url.pathname)
  );
}

/** CSP3 section 6.7.2.9: a scheme also matches its secure form. */
function schemeMatches(scheme: string, url: URL): boolean {
  const asked = schemeOf(url);
  return scheme === asked || (scheme === "http" && asked === "https") || (scheme === "ws" && asked === "wss");
}

/** CSP3 section 6.7.2.10. */
function hostMatches(pattern: string, host: string): boolean {
  if (pattern === "*") return host !== "";
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
}

/** CSP3 section 6.7.2.11: after an upgrade to the secure scheme, port 443 matches port 80. */
function portMatches(port: string | null, scheme: string, url: URL): boolean {
  if (port === "*") return true;
  if (port === null) return url.port === "";
  return Number(port) === portOf(url) || (Number(port) === 80 && portOf(url) === 443 && scheme !== schemeOf(url));
}

/** CSP3 section 6.7.2.12: a path with a trailing slash matches its folder, any other path one resource. */
function pathMatches(pattern: string, path: string): boolean {
  if (pattern === "" || pattern === "/") return true;
  const wanted = pattern.split("/");
  const asked = path.split("/");
  if (pattern.endsWith("/") ? wanted.length > asked.length : wanted.length !== asked.length) return false;
  if (pattern.endsWith("/")) wanted.pop();
  return wanted.every((piece, at) => percentDecoded(piece) === percentDecoded(asked[at] ?? ""));
}

/** CSP3 section 6.7.2.8, last steps: `'self'` is the same origin, or its secure form on the same host. */
function matchesSelf(url: URL, page: URL): boolean {
  if (url.origin === page.origin && url.origin !== "null") return true;
  const upgraded = schemeOf(url) === "https" || schemeOf(url) === "wss" || (schemeOf(page) === "http" && schemeOf(url) === "ws");
  const samePort = portOf(url) === portOf(page) || (url.port === "" && page.port === "");
  return upgraded && url.hostname === page.hostname && samePort;
}

/** Decodes single bytes, so that malformed UTF-8 cannot fail. Both sides of a comparison are decoded. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function schemeOf(url: URL): string {
  return url.protocol.slice(0, -1);
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return schemeOf(url) === "https" || schemeOf(url) === "wss" ? 443 : 80;
}

function isKeyword(source: CspSource, keyword: string): boolean {
  return source.kind === "keyword" && source.keyword === keyword;
}

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

/** Directives that name parts of scripts and styles. Policies that override both parts of `script-src` are rare. */
const partDirectives = /-(?:elem|attr)$/;

/**
 * A cut value as it can be at best: its complete directives, and the strictest form of all others. Later text changes neither the first of
 * equal directives (CSP3 section 2.2.1), nor those that have none of their parts beside them. A value that was cut in a later policy
 * of the same field gets a policy without any permission.
 */
export function strictestCompletion(value: string): string {
  const visible = beforeCutDirective(value);
  const named = parseCspDirectives(visible.split(",").at(-1) ?? "").map(({ name }) => name);
  const others = sourceListDirectives.filter((name) => !named.includes(name) && !partDirectives.test(name));
  const upgrade = named.includes("upgrade-insecure-requests") ? [] : ["upgrade-insecure-requests"];
  return [visible.replace(/;$/, ""), ...others.map((name) => `${name} 'none'`), ...upgrade].filter((part) => part !== "").join("; ");
}

/** True if the policy sandboxes the page without the given flag, such as `allow-scripts`. */
export function sandboxes(policy: CspPolicy, unlessAllowed: string): boolean {
  const flags = policy.get("sandbox");
  return flags !== undefined && !flags.some((flag) => flag.toLowerCase() === unlessAllowed);
}

// Public script URLs that bypass a policy which trusts their host; lists from csp_evaluator.

export interface ScriptBypass {
  /** `jsonp`: calls a function that the request names. `angular`: a library that evaluates expressions in the document. */
  readonly kind: "jsonp" | "angular";
  readonly url: URL;
  /** True if the bypass also requires that the policy allows eval. */
  readonly needsEval: boolean;
}

/** Version of csp_evaluator, from which the lists are. */
export const scriptBypassesRelease: string = about.version;

export const scriptBypasses: readonly ScriptBypass[] = [...bypassesFrom("jsonp", jsonpUrls), ...bypassesFrom("angular", angularUrls)];

/** The lists omit the scheme; an https page can load all of them over https. */
function bypassesFrom(kind: ScriptBypass["kind"], urls: readonly string[]): readonly ScriptBypass[] {
  return urls.flatMap((text) => {
    const url = URL.parse(`https:${text}`);
    return url === null ? [] : [{ kind, url, needsEval: kind === "jsonp" && needsEval.includes(url.hostname) }];
  });
}
