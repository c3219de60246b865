/** Policy of a pipeline: which findings of a scan count, and whether the build fails. */
import { type Severity, severities } from "../check/check.ts";
import type { CheckDefinition } from "../check/registry.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import { isNote, type StoredFinding, type StoredResult } from "../judge/result.ts";
import { type AcceptEntry, coversUrl, hasExpired } from "./accept.ts";
import type { Baseline } from "./baseline.ts";
import type { FindingMark, FindingMarks } from "./finding-mark.ts";

export interface Policy {
  /** Least severity that fails the build. Null for none; with a baseline, null means every new finding. */
  readonly failOn: Severity | null;
  /** Lowest score that passes; a page without score fails. Null for none. */
  readonly failUnder: number | null;
  readonly baseline: Baseline | null;
  readonly accepted: readonly AcceptEntry[];
  /** Whether the findings become the new baseline; then none of them fails the build. */
  readonly writesBaseline: boolean;
  /** Whether a page that was not measured counts as a target that failed. */
  readonly needsMeasurement: boolean;
  /** UTC, `YYYY-MM-DD`: decides what has expired. */
  readonly today: string;
}

export const noPolicy: Policy = {
  failOn: null,
  failUnder: null,
  baseline: null,
  accepted: [],
  writesBaseline: false,
  needsMeasurement: false,
  today: "",
};

/** A scan that is over. */
export interface PolicyPage {
  readonly url: string;
  /** Null for a scan that failed. */
  readonly result: StoredResult | null;
  /** Null for a finished scan. */
  readonly errorCode: ScanErrorCode | null;
}

export interface ExpiredFinding {
  readonly code: string;
  readonly entry: AcceptEntry;
}

export interface PageVerdict {
  readonly url: string;
  readonly score: number | null;
  /** A mark for each finding. */
  readonly marks: FindingMarks;
  /** Findings that fail the build. */
  readonly failing: readonly StoredFinding[];
  /** Score under the limit, or none although there is a limit. */
  readonly scoreTooLow: boolean;
  /** Findings whose acceptance is over, so that they count again. */
  readonly expired: readonly ExpiredFinding[];
  /** Codes that the catalog of the baseline did not know; they do not fail the build. */
  readonly beyondBaseline: readonly string[];
  /** Codes of the baseline that were not found any more. A check without a verdict does not count. */
  readonly fixed: readonly string[];
}

/** How the scans of a call ended; an earlier entry of this union overrides a later one. */
export type PipelineEnd = "internal" | "target" | "some" | "policy" | "ok";

/** Failures of assay or its browser, not of the target. */
const ownFailures: readonly ScanErrorCode[] = ["crashed", "browser-unavailable", "interrupted", "no-worker", "cancelled"];

export function verdictOf(page: PolicyPage, policy: Policy, checks: readonly CheckDefinition[]): PageVerdict {
  const { url, result } = page;
  const findings = result?.findings ?? [];
  const found = new Set<string>(findings.map(({ code }) => code));
  const covering = policy.accepted.filter((entry) => found.has(entry.code) && coversUrl(entry, url));
  const inBaseline = policy.baseline?.findings.get(url) ?? new Set<string>();
  const entries = new Map(findings.map(({ code }) => [code, entryFor(code, covering, policy.today)]));
  const marks = new Map(
    findings.map(({ code }): [string, FindingMark] => {
      const active = entries.get(code)?.active ?? null;
      const accepted = active === null ? null : { reason: active.reason, until: active.until };
      return [code, { accepted, inBaseline: policy.baseline && inBaselineMark(code, url, policy.baseline) }];
    }),
  );
  return {
    url,
    score: result?.score ?? null,
    marks,
    failing: result === null ? [] : failingFindings(result, marks, policy),
    scoreTooLow: result !== null && policy.failUnder !== null && (result.score === null || result.score < policy.failUnder),
    expired: [...entries].flatMap(([code, { active, over }]) => (active === null && over !== null ? [{ code, entry: over }] : [])),
    beyondBaseline: findings.map(({ code }) => code).filter((code) => marks.get(code)?.inBaseline === "unknown"),
    fixed: result === null ? [] : [...inBaseline].filter((code) => !found.has(code) && wasDecided(code, result, checks)).sort(),
  };
}

function inBaselineMark(code: string, url: string, { findings, knownCodes }: Baseline): boolean | "unknown" {
  if (findings.get(url)?.has(code) === true) return true;
  return knownCodes.has(code) ? false : "unknown";
}

/** The entry that holds for a finding, and the one of all that ends last. */
function entryFor(code: string, covering: readonly AcceptEntry[], today: string) {
  const ofCode = covering.filter((entry) => entry.code === code).toSorted((a, b) => ((a.until ?? "") < (b.until ?? "") ? -1 : 1));
  const active = ofCode.find((entry) => !hasExpired(entry, today)) ?? null;
  return { active, over: ofCode.at(-1) ?? null };
}

function failingFindings({ findings, ledger }: StoredResult, marks: FindingMarks, policy: Policy): readonly StoredFinding[] {
  const { baseline, failOn, writesBaseline } = policy;
  const threshold = failOn ?? (baseline === null ? null : severities.at(-1));
  if (writesBaseline || threshold === null || threshold === undefined) return [];
  const notes = new Set(ledger.filter(isNote).map(({ key }) => key));
  return findings.filter(({ checkKey, code, severity }) => {
    const mark = marks.get(code);
    const isNew = baseline === null || mark?.inBaseline === false;
    return isNew && mark?.accepted === null && !notes.has(checkKey) && severities.indexOf(severity) <= severities.indexOf(threshold);
  });
}

/** False while the check of the code has no verdict. A code without a check is gone for good. */
function wasDecided(code: string, { ledger }: StoredResult, checks: readonly CheckDefinition[]): boolean {
  const key = checks.find(({ findings }) => Object.hasOwn(findings, code))?.key;
  return ledger.find((row) => row.key === key)?.state !== "notChecked";
}

/** Targets that could not be scanned, or not be measured where the policy needs it. */
export function failedPages<P extends PolicyPage>(pages: readonly P[], { needsMeasurement }: Policy): readonly P[] {
  return pages.filter(({ result }) => result === null || (needsMeasurement && !result.measured));
}

/**
 * A failed scan takes precedence over an unmet policy: a partial result must not look complete. `complete` is false if further pages were
 * meant, but could not be found out.
 */
export function pipelineEnd(pages: readonly PolicyPage[], verdicts: readonly PageVerdict[], policy: Policy, complete = true): PipelineEnd {
  if (pages.some(({ errorCode }) => errorCode !== null && ownFailures.includes(errorCode))) return "internal";
  const failed = failedPages(pages, policy).length;
  if (failed > 0) return failed === pages.length ? "target" : "some";
  if (!complete) return "some";
  return verdicts.some(({ failing, scoreTooLow }) => failing.length > 0 || scoreTooLow) ? "policy" : "ok";
}

/** Baseline with what counts today. Accepted findings stay out of it, or they would not count again once they expire. */
export function baselineOf(pages: readonly PolicyPage[], verdicts: readonly PageVerdict[], checks: readonly CheckDefinition[]): Baseline {
  const open = verdicts.map(
    ({ url, marks }) => [url, new Set([...marks].flatMap(([code, { accepted }]) => (accepted === null ? [code] : [])))] as const,
  );
  const declared = checks.flatMap(({ findings }) => Object.keys(findings));
  const found = pages.flatMap(({ result }) => result?.findings.map(({ code }) => code) ?? []);
  return { findings: new Map(open), knownCodes: new Set([...declared, ...found]) };
}

/** Entries without effect: their finding is not there, or no page of the call is meant. Nothing is known while its check has no verdict. */
export function unusedEntries(
  accepted: readonly AcceptEntry[],
  pages: readonly PolicyPage[],
  checks: readonly CheckDefinition[],
): readonly AcceptEntry[] {
  return accepted.filter((entry) =>
    pages
      .filter(({ url }) => coversUrl(entry, url))
      .every(
        ({ result }) =>
          result !== null && !result.findings.some(({ code }) => code === entry.code) && wasDecided(entry.code, result, checks),
      ),
  );
}
