/** What a policy allows of what a visit observed, by the matcher of proofs, for policies as text. */
import type { BlockedByPolicy, DocumentShape } from "../../src/evidence/observation.ts";
import { allowsAllInline, type CspPolicy, governing, hasKeyword, parseCsp } from "../../src/parse/csp.ts";
import { allows, allowsUrl, withoutEachSource } from "../../src/prove/allowed.ts";
import type { PageNeeds } from "../../src/prove/draft.ts";

export interface DroppedSource {
  readonly directive: string;
  readonly source: string;
  /** The policy without this source. */
  readonly policy: string;
}

function parsed(policy: string): CspPolicy {
  return parseCsp([policy])[0] ?? new Map();
}

/** The policy without each of its sources in turn. */
export function policiesWithoutEachSource(policy: string): readonly DroppedSource[] {
  const asText = (left: CspPolicy) => [...left].map(([directive, sources]) => [directive, ...sources].join(" ")).join("; ");
  return withoutEachSource(parsed(policy)).map((dropped) => ({ ...dropped, policy: asText(dropped.policy) }));
}

export function policyAllows(policy: string, observed: BlockedByPolicy, pageUrl: string): boolean {
  return allows(parsed(policy), observed, new URL(pageUrl));
}

/** All that the policy does not allow; the directive for event handlers and forms. */
export function notAllowed(
  policy: string,
  { blocked, shapes, formTargets }: PageNeeds,
  pageUrl: string,
): readonly (BlockedByPolicy | string)[] {
  const forms = governing(parsed(policy), "form-action")?.sources ?? null;
  const sent = formTargets.filter((url) => /^https?:/.test(url));
  return [
    ...blocked.filter((one) => !policyAllows(policy, one, pageUrl)),
    ...shapes.flatMap(([shape]) => handlersNotAllowed(parsed(policy), shape)),
    ...sent.filter((url) => forms !== null && !allowsUrl(forms, url, new URL(pageUrl))).map(() => "form-action"),
  ];
}

function handlersNotAllowed(policy: CspPolicy, { inline }: DocumentShape): readonly string[] {
  const sources = governing(policy, "script-src-attr")?.sources ?? null;
  if (sources === null || allowsAllInline(sources, "script")) return [];
  const isAllowed = (hash: string | null) => hasKeyword(sources, "unsafe-hashes") && sources.includes(`'${hash}'`);
  return inline.filter(({ kind, hash }) => kind === "handler" && !isAllowed(hash)).map(() => "script-src-attr");
}
