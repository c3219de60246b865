/** Reads a referrer policy from its header (Referrer Policy, "parse a referrer policy") and from a meta element (HTML standard). */
import { splitHeaderList } from "./header-list.ts";

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

/** Words of an early draft, which the HTML standard keeps for meta elements alone. */
const legacyMetaWords: ReadonlyMap<string, ReferrerPolicy> = new Map([
  ["never", "no-referrer"],
  ["default", "strict-origin-when-cross-origin"],
  ["always", "unsafe-url"],
  ["origin-when-crossorigin", "origin-when-cross-origin"],
]);

/** The last value that is a policy, so that a site may put a fallback for older browsers before it; null when none is. */
export function parseReferrerPolicyHeader(fields: readonly string[]): ReferrerPolicy | null {
  return (
    splitHeaderList(fields)
      .map(policyNamed)
      .findLast((policy) => policy !== null) ?? null
  );
}

/** The policy of a meta element's `content`, which is a single word; null when it is none, and the element is then ignored. */
export function parseReferrerPolicyMeta(content: string): ReferrerPolicy | null {
  return legacyMetaWords.get(content.toLowerCase()) ?? policyNamed(content);
}

function policyNamed(word: string): ReferrerPolicy | null {
  return referrerPolicies.find((policy) => policy === word.toLowerCase()) ?? null;
}
