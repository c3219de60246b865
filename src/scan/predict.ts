/** Evidence of a page as if its server sent other headers, for the ordinary judge: there is no second scoring. */
import { fixesByCode } from "../check/check.ts";
import type { CheckDefinition } from "../check/registry.ts";
import { type Evidence, headerLimitOf } from "../evidence/evidence.ts";
import type { LinesScore, StoredResult } from "../judge/result.ts";
import { isHttps } from "../parse/header-fields.ts";
import type { PageReadings } from "../probe/browser/page.ts";
import type { ReplacedHeader } from "../probe/browser/page-fetch.ts";
import { findingCost } from "../text/ledger-rows.ts";
import { fixedFinding } from "../text/render.ts";
import { headerChangesFor } from "../text/servers/server-lines.ts";

/** Readings that a visit with the headers has, too. */
type EnforcedReadings = Pick<PageReadings, "dom" | "markup" | "requests" | "scripts" | "scriptLibraries">;

/** `added`: sent in addition to fields of the same name. */
type PredictedHeader = ReplacedHeader & { readonly added?: boolean };

/**
 * Replaces the fields of the final answer. `enforced`: readings of the visit with these headers, null without one. The other readings stay
 * as the scan has them. Values are cut as in a scan, so that rows that would not be read are not read here either.
 */
export function predictedEvidence(evidence: Evidence, replaced: readonly PredictedHeader[], enforced: EnforcedReadings | null): Evidence {
  const { page, subject } = evidence;
  if (page.status === "failed") return evidence;
  const charsMax = headerLimitOf(subject);
  const names = replaced.filter(({ added }) => added !== true).map(({ name }) => name.toLowerCase());
  const kept = page.facts.headers.filter(({ name }) => !names.includes(name.toLowerCase()));
  const sent = replaced.flatMap(({ name, value }) =>
    value === null ? [] : [{ name, value: value.slice(0, charsMax), truncated: value.length > charsMax }],
  );
  const isRead = enforced !== null && Object.values(enforced).every(({ status }) => status === "read");
  const { dom, markup, requests, scripts, scriptLibraries } = isRead ? enforced : evidence;
  const ofVisit = { dom, markup, requests, scripts, scriptLibraries };
  return { ...evidence, ...ofVisit, page: { status: "read", facts: { ...page.facts, headers: [...kept, ...sent] } } };
}

/** What the lines of a report do to the headers of a page that was read over https. Null if they change none. */
interface LinesHeaders extends Pick<LinesScore, "codes"> {
  readonly headers: readonly PredictedHeader[];
}

/** `chosen`: codes of the findings whose lines are wanted; null for all that charge points. */
function headersOfLines(
  { navigation, page }: Evidence,
  result: StoredResult,
  checks: readonly CheckDefinition[],
  chosen: readonly string[] | null,
): LinesHeaders | null {
  const url = navigation.status === "read" ? navigation.facts.finalUrl : "";
  if (page.status === "failed" || !isHttps(url)) return null;
  const fixes = new Map(checks.flatMap((check) => Object.entries(fixesByCode(check))));
  const wanted = result.findings.filter((finding) =>
    chosen === null ? findingCost(finding, result, checks).points !== 0 : chosen.includes(finding.code),
  );
  const { changes, codes } = headerChangesFor(
    wanted.map((finding) => fixedFinding(finding, { url, draft: result.draft }, { fixesOf: (code) => fixes.get(code) ?? [] })),
  );
  return changes.length === 0 ? null : { headers: changes, codes };
}

/** Lines of a scan whose score is wanted. */
export interface AskedLines {
  readonly evidence: Evidence;
  readonly result: StoredResult;
  readonly checks: readonly CheckDefinition[];
  /** As for `headersOfLines`. */
  readonly chosen: readonly string[] | null;
}

/** Evidence as it would be with the lines, and the score that the judge then gives. Null without a score, and if no line changes a header. */
export function linesToJudge({ evidence, result, checks, chosen }: AskedLines) {
  const lines = result.measured ? headersOfLines(evidence, result, checks, chosen) : null;
  if (lines === null) return null;
  const scoreOf = ({ score }: StoredResult): LinesScore | null => (score === null ? null : { score, codes: lines.codes });
  return { evidence: predictedEvidence(evidence, lines.headers, null), scoreOf };
}
