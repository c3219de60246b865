/** Reports and exit code of the scans of one call. */
import { type Severity, severities } from "../check/check.ts";
import type { CheckDefinition } from "../check/registry.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ScanErrorCode, Timings } from "../evidence/scan.ts";
import { isNote } from "../judge/result.ts";
import type { ScanOutcome } from "../scan/task.ts";
import { inFixOrder } from "../text/fix-order.ts";
import type { PageLocale, Texts } from "../text/i18n.ts";
import { type FullReport, renderFullReport } from "../text/render.ts";
import { type ExitCode, exitCodes } from "./exit.ts";

export interface ScannedUrl {
  readonly url: string;
  readonly outcome: ScanOutcome;
}

export interface Policy {
  readonly failOn: Severity | null;
  /** Lowest score that passes; a page without score fails. Null for none. */
  readonly failUnder: number | null;
}

/** Token in the report of a one-shot scan, which is not stored. */
const tokenOfLocalScan = "local";

/** Failures of assay or its browser, not of the target. */
const ownFailures: readonly ScanErrorCode[] = ["crashed", "browser-unavailable", "interrupted"];

/** A failed scan takes precedence over an unmet policy: a partial result must not look complete. */
export function codeOf(scanned: readonly ScannedUrl[], policy: Policy, interrupted: boolean): ExitCode {
  if (interrupted) return exitCodes.interrupted;
  const failures = scanned.flatMap(({ outcome }) => (outcome.status === "failed" ? [outcome.code] : []));
  if (failures.some((code) => ownFailures.includes(code))) return exitCodes.internal;
  if (failures.length > 0) return failures.length === scanned.length ? exitCodes.target : exitCodes.some;
  return shortfalls(scanned, policy).length > 0 ? exitCodes.policy : exitCodes.ok;
}

export function shortfalls(scanned: readonly ScannedUrl[], { failOn, failUnder }: Policy): readonly string[] {
  return scanned.flatMap(({ url, outcome }) => {
    if (outcome.status === "failed") return [];
    const { findings, ledger, score } = outcome.result;
    const notes = new Set(ledger.filter(isNote).map(({ key }) => key));
    const severe = findings.filter(
      ({ checkKey, severity }) => failOn !== null && !notes.has(checkKey) && severities.indexOf(severity) <= severities.indexOf(failOn),
    );
    const tooLow = failUnder !== null && (score === null || score < failUnder);
    return [
      ...(severe.length > 0 ? [`${url}: findings that are ${failOn} or worse: ${severe.length} (--fail-on)`] : []),
      ...(tooLow ? [`${url}: its score is ${score ?? "not measured"}, under ${failUnder} (--fail-under)`] : []),
    ];
  });
}

/** Scans for which `--fail-on` decides little, because the page was not judged. */
export function undecided(scanned: readonly ScannedUrl[], { failOn }: Policy): readonly string[] {
  if (failOn === null) return [];
  return scanned.flatMap(({ url, outcome }) =>
    outcome.status === "finished" && !outcome.result.measured ? [`${url}: not measured, so --fail-on saw only part of the checks`] : [],
  );
}

/** Checks and texts of the catalog that judged. */
export interface ReportCatalog {
  readonly checks: readonly CheckDefinition[];
  readonly texts: Texts;
}

/** Findings in the order of every report: what to fix first. */
export function reportOf(
  { url, outcome }: ScannedUrl,
  locale: PageLocale,
  { checks, texts }: ReportCatalog,
): FullReport<Evidence, Timings> {
  const { status, evidence, timings } = outcome;
  const errorCode = status === "failed" ? outcome.code : null;
  const scan = { token: tokenOfLocalScan, url, status, progressStage: null, progressPercent: 100, errorCode };
  return renderFullReport(scan, status === "finished" ? inFixOrder(outcome.result, checks) : null, { evidence, timings }, locale, texts);
}
