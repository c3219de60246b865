/** What a policy allows of what a visit observed, and which of its sources that needs. Written apart from the drafts, so that it can test them. */
import type { BlockedByPolicy, DocumentShape } from "../../src/evidence/observation.ts";
import { allowsAllInline, governing, hasKeyword, matchesUrl, parseCsp, parseCspSource, trustsHashes } from "../../src/parse/csp.ts";
import type { PageNeeds } from "../../src/prove/draft.ts";

export interface DroppedSource {
  readonly directive: string;
  readonly source: string;
  /** The policy without this source. */
  readonly policy: string;
}

/** The policy without each of its sources in turn. `'none'` is no source: an empty list means the same. */
export function withoutEachSource(policy: string): readonly DroppedSource[] {
  const parts = policy.split("; ").map((part) => part.split(" "));
  return parts.flatMap(([directive = "", ...sources], at) =>
    sources.flatMap((source, of) => {
      const left = parts.with(at, [directive, ...sources.toSpliced(of, 1)]);
      return source === "'none'" ? [] : [{ directive, source, policy: left.map((part) => part.join(" ")).join("; ") }];
    }),
  );
}

/** All that the policy does not allow; the directive for event handlers and forms. */
export function notAllowed(
  policy: string,
  { blocked, shapes, formTargets }: PageNeeds,
  pageUrl: string,
): readonly (BlockedByPolicy | string)[] {
  return [
    ...blocked.filter((one) => !allows(policy, one, pageUrl)),
    ...shapes.flatMap(([shape]) => handlersNotAllowed(policy, shape)),
    ...formTargets
      .filter((url) => /^https?:/.test(url) && !allowsUrl(sourcesOf(policy, "form-action"), url, pageUrl))
      .map(() => "form-action"),
  ];
}

/** Null for a directive that the policy does not restrict. */
function sourcesOf(policy: string, directive: string): readonly string[] | null {
  return parseCsp([policy]).map((parsed) => governing(parsed, directive)?.sources ?? null)[0] ?? null;
}

/** CSP level 3, sections 6.7.1 and 6.7.3, for one policy. */
export function allows(policy: string, { directive, kind, url, hash, byScript }: BlockedByPolicy, pageUrl: string): boolean {
  const sources = sourcesOf(policy, directive);
  if (sources === null) return true;
  // The server puts a nonce on what stands in the document, not on what scripts add.
  const byNonce = !byScript && sources.some((source) => source.startsWith("'nonce-"));
  switch (kind) {
    case "eval":
      return hasKeyword(sources, "unsafe-eval");
    case "wasm-eval":
      return hasKeyword(sources, "unsafe-eval") || hasKeyword(sources, "wasm-unsafe-eval");
    case "inline": {
      // Browsers give no hash for an event handler that they stop.
      if (directive === "script-src-attr" && hash === null && hasKeyword(sources, "unsafe-hashes")) return trustsHashes(sources);
      const allInline = allowsAllInline(sources, directive.startsWith("style") ? "style" : "script");
      // Chromium trusts code that trusted scripts add. The specification trusts only their files.
      if (byScript && directive === "script-src-elem" && hasKeyword(sources, "strict-dynamic")) return true;
      return allInline || (!directive.endsWith("-attr") && byNonce) || sources.includes(`'${hash}'`);
    }
    case "url":
      if (directive === "script-src-elem" && hasKeyword(sources, "strict-dynamic")) return byScript || byNonce;
      return (directive.endsWith("-elem") && byNonce) || allowsUrl(sources, url ?? "", pageUrl);
    default:
      return false;
  }
}

/** Browsers name only the scheme of `data:` and `blob:`, and nothing for a frame with such a document. */
function allowsUrl(sources: readonly string[] | null, url: string, pageUrl: string): boolean {
  const target = URL.parse(url) ?? URL.parse(`${url || "data"}:`);
  return sources === null || (target !== null && sources.some((source) => matchesUrl(parseCspSource(source), target, new URL(pageUrl))));
}

function handlersNotAllowed(policy: string, { inline }: DocumentShape): readonly string[] {
  const sources = sourcesOf(policy, "script-src-attr");
  if (sources === null || allowsAllInline(sources, "script")) return [];
  const isAllowed = (hash: string | null) => hasKeyword(sources, "unsafe-hashes") && sources.includes(`'${hash}'`);
  return inline.filter(({ kind, hash }) => kind === "handler" && !isAllowed(hash)).map(() => "script-src-attr");
}
