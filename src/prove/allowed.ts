/** Whether a policy allows what a visit observed, and which of its sources that needs. Written apart from the drafts, so that it can test them. */
import type { BlockedByPolicy } from "../evidence/observation.ts";
import { type ProofBody, unneededMax } from "../evidence/proof.ts";
import {
  allowsAllInline,
  type CspPolicy,
  governing,
  hasKeyword,
  matchesUrl,
  parseCsp,
  parseCspSource,
  sourceListDirectives,
  trustsHashes,
} from "../parse/csp.ts";

/** What a visit observed, as far as policies judge it. */
export type Observed = Pick<BlockedByPolicy, "directive" | "kind" | "url" | "hash" | "byScript">;

export type NamedSource = NonNullable<ProofBody["unneeded"]>[number];

interface DroppedSource extends NamedSource {
  /** The policy without this source. */
  readonly policy: CspPolicy;
}

/**
 * The sources of a policy without which it still allows all of `observed` that it allows, each dropped by itself. At most `unneededMax`.
 * `policy`: the value of the header, without paths, as drafts are. `pageUrl`: absolute address of a page of the origin.
 */
export function unneededSources(policy: string, observed: readonly Observed[], pageUrl: string): readonly NamedSource[] {
  const [whole] = parseCsp([policy]);
  if (whole === undefined) return [];
  const page = new URL(pageUrl);
  const each = [...new Map(observed.map(withoutPath).map((one) => [JSON.stringify(one), one])).values()];
  const allowed = Map.groupBy(
    each.filter((one) => allows(whole, one, page)),
    ({ directive }) => governing(whole, directive)?.directive,
  );
  const unneeded = withoutEachSource(whole).filter(({ directive, source, policy: without }) => {
    const governed = allowed.get(directive) ?? [];
    return !governed.some((one) => !allows(without, one, page) || mayNeedHash(source, one));
  });
  return unneeded.slice(0, unneededMax).map(({ directive, source }) => ({ directive, source }));
}

/** Browsers do not say which event handler ran: it may be the one of any hash. */
function mayNeedHash(source: string, { directive, kind, hash }: Observed): boolean {
  return directive === "script-src-attr" && kind === "inline" && hash === null && /^'sha\d+-/i.test(source);
}

/** Pages load thousands of files from a few origins. */
function withoutPath({ directive, kind, url, hash, byScript }: Observed): Observed {
  const target = URL.parse(url ?? "");
  return { directive, kind, url: target !== null && /^(?:https?|wss?):$/.test(target.protocol) ? target.origin : url, hash, byScript };
}

/** The policy without each of its sources in turn. `'none'` is no source: an empty list means the same. */
export function withoutEachSource(policy: CspPolicy): readonly DroppedSource[] {
  return [...policy].flatMap(([directive, sources]) =>
    !sourceListDirectives.includes(directive)
      ? []
      : sources.flatMap((source, at) =>
          source.toLowerCase() === "'none'"
            ? []
            : [{ directive, source, policy: new Map(policy).set(directive, sources.toSpliced(at, 1)) }],
        ),
  );
}

/** CSP level 3, sections 6.7.1 and 6.7.3, for one policy. True for a directive that the policy does not restrict. */
export function allows(policy: CspPolicy, { directive, kind, url, hash, byScript }: Observed, page: URL): boolean {
  const sources = governing(policy, directive)?.sources ?? null;
  if (sources === null) return true;
  // The server puts a nonce on what stands in the document, not on what scripts add.
  const byNonce = !byScript && sources.some((source) => /^'nonce-/i.test(source));
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
      // Only scripts start workers, and Chromium trusts workers that trusted scripts start.
      if (directive === "worker-src" && hasKeyword(sources, "strict-dynamic")) return true;
      if (directive === "script-src-elem" && hasKeyword(sources, "strict-dynamic")) return byScript || byNonce;
      return (directive.endsWith("-elem") && byNonce) || allowsUrl(sources, url ?? "", page);
    default:
      return false;
  }
}

/** Browsers name only the scheme of `data:` and `blob:`, and nothing for a frame with such a document. */
export function allowsUrl(sources: readonly string[], url: string, page: URL): boolean {
  const target = URL.parse(url) ?? URL.parse(`${url || "data"}:`);
  return target !== null && sources.some((source) => matchesUrl(parseCspSource(source), target, page));
}
