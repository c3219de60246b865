/** What became of the scans of one call: their reports, and the exit code, decided once and before anything is rendered. */
import { type Locale, type Severity, severities } from "../check/check.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ScanErrorCode, Timings } from "../evidence/scan.ts";
import type { ScanOutcome } from "../scan/task.ts";
import type { Texts } from "../text/i18n.ts";
import { type FullReport, renderFullReport } from "../text/render.ts";
import { type ExitCode, exitCodes } from "./exit.ts";

export interface ScannedUrl {
  readonly url: string;
  readonly outcome: ScanOutcome;
}

export interface Policy {
  /** Findings of this severity and worse are not accepted. */
  readonly failOn: Severity | null;
  /** Lower scores are not accepted; nor is a page that could not be measured. */
  readonly failUnder: number | null;
}

/** Stands where the API has a scan's token: there is nothing to read later. */
const tokenOfLocalScan = "local";

/** Failures of ours, which say nothing about the target. */
const ownFailures: readonly ScanErrorCode[] = ["crashed", "browser-unavailable", "interrupted"];

/** Failed scans weigh more than a policy that is not met: who reads the code must not take half a result for a whole one. */
export function codeOf(scanned: readonly ScannedUrl[], policy: Policy, interrupted: boolean): ExitCode {
  if (interrupted) return exitCodes.interrupted;
  const failures = scanned.flatMap(({ outcome }) => (outcome.status === "failed" ? [outcome.code] : []));
  if (failures.some((code) => ownFailures.includes(code))) return exitCodes.internal;
  if (failures.length > 0) return failures.length === scanned.length ? exitCodes.target : exitCodes.some;
  return shortfalls(scanned, policy).length > 0 ? exitCodes.policy : exitCodes.ok;
}

/** Where the policy is not met, one sentence each. */
export function shortfalls(scanned: readonly ScannedUrl[], { failOn, failUnder }: Policy): readonly string[] {
  return scanned.flatMap(({ url, outcome }) => {
    if (outcome.status === "failed") return [];
    const { findings, score } = outcome.result;
    const severe = findings.filter(({ severity }) => failOn !== null && severities.indexOf(severity) <= severities.indexOf(failOn));
    const tooLow = failUnder !== null && (score === null || score < failUnder);
    return [
      ...(severe.length > 0 ? [`${url}: findings that are ${failOn} or worse: ${severe.length} (--fail-on)`] : []),
      ...(tooLow ? [`${url}: its score is ${score ?? "not measured"}, under ${failUnder} (--fail-under)`] : []),
    ];
  });
}

/** The full report as the API gives it. */
export function reportOf({ url, outcome }: ScannedUrl, locale: Locale, texts: Texts): FullReport<Evidence, Timings> {
  const { status, evidence, timings } = outcome;
  const errorCode = status === "failed" ? outcome.code : null;
  const scan = { token: tokenOfLocalScan, url, status, progressStage: null, progressPercent: 100, errorCode };
  return renderFullReport(scan, status === "finished" ? outcome.result : null, { evidence, timings }, locale, texts);
}
