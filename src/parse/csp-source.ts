/** Parses source expressions of Content Security Policies (CSP3 section 2.3.1) and matches URLs against them. */
import { isRegistrySuffix } from "./site.ts";

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
export const cspKeywords: readonly string[] = [
  "inline-speculation-rules",
  "none",
  "report-sample",
  "report-sha256",
  "report-sha384",
  "report-sha512",
  "self",
  "strict-dynamic",
  "trusted-types-eval",
  "unsafe-eval",
  "unsafe-hashes",
  "unsafe-inline",
  "unsafe-webtransport-hashes",
  "wasm-unsafe-eval",
];

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

/** True if the expression matches hosts that anyone can register: `*`, `https:`, `http://*`, `*.com`, `*.co.uk`. */
export function matchesAnyHost(text: string): boolean {
  const source = parseCspSource(text);
  // CSP3 section 6.7.2.9: `http:` also matches https URLs.
  if (source.kind === "scheme") return source.scheme === "https" || source.scheme === "http";
  if (source.kind !== "host") return false;
  return source.host === "*" || (source.host.startsWith("*.") && isRegistrySuffix(source.host.slice(2)));
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
