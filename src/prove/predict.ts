/** Evidence of a page as if its server sent other headers, for the ordinary judge: there is no second scoring. */
import { type Evidence, headerLimitOf } from "../evidence/evidence.ts";

import type { PageReadings } from "../probe/browser/page.ts";
import type { ReplacedHeader } from "../probe/browser/page-fetch.ts";

/** Readings that a visit with the headers has, too. */
type EnforcedReadings = Pick<PageReadings, "dom" | "markup" | "requests" | "scripts" | "scriptLibraries">;

/**
 * Replaces the fields of the final answer. `enforced`: readings of the visit with these headers, null without one. The other readings stay
 * as the scan has them. Values are cut as in a scan, so that rows that would not be read are not read here either.
 */
export function predictedEvidence(evidence: Evidence, replaced: readonly ReplacedHeader[], enforced: EnforcedReadings | null): Evidence {
  const { page, subject } = evidence;
  if (page.status === "failed") return evidence;
  const charsMax = headerLimitOf(subject);
  const names = replaced.map(({ name }) => name.toLowerCase());
  const kept = page.facts.headers.filter(({ name }) => !names.includes(name.toLowerCase()));
  const added = replaced.flatMap(({ name, value }) =>
    value === null ? [] : [{ name, value: value.slice(0, charsMax), truncated: value.length > charsMax }],
  );
  const isRead = enforced !== null && Object.values(enforced).every(({ status }) => status === "read");
  const { dom, markup, requests, scripts, scriptLibraries } = isRead ? enforced : evidence;
  const ofVisit = { dom, markup, requests, scripts, scriptLibraries };
  return { ...evidence, ...ofVisit, page: { status: "read", facts: { ...page.facts, headers: [...kept, ...added] } } };
}
