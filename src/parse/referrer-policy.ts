/** Parses the referrer policy of the header (Referrer Policy, "parse a referrer policy") and of a meta element (HTML standard). */
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
