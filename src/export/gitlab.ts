/** Code Quality report of GitLab: a JSON array with an object for each finding. */
import type { Severity } from "../check/check.ts";
import type { ExportSettings, ExportWriter } from "./export.ts";
import { createFingerprints, type ExportedReport, exportedReport, exportText, locationPath } from "./exported-report.ts";
import { plainLine } from "./safe-text.ts";

const severityNames: Readonly<Record<Severity, string>> = {
  critical: "blocker",
  high: "critical",
  medium: "major",
  low: "minor",
  info: "info",
};

/** Name of the issue of a page that was not measured. */
const notMeasuredName = "assay.not-measured";

type Fingerprint = ReturnType<typeof createFingerprints>;

/**
 * Null if no page was measured, because GitLab shows what an earlier file had and this one lacks as fixed. Beside measured pages, another one
 * has an issue that says so. Accepted findings are left out, because the format cannot mark them. Findings of the baseline stay: GitLab compares with the target
 * branch itself.
 */
export const writeGitlab: ExportWriter = (scans, settings) => {
  const reports = scans.map((scan) => exportedReport(scan, settings));
  if (reports.every(({ failure }) => failure !== null)) return null;
  const fingerprint = createFingerprints();
  const issues = reports.flatMap((report) =>
    report.failure === null ? issuesOf(report, fingerprint, settings) : [notMeasured(report.url, report.failure, fingerprint)],
  );
  return `${JSON.stringify(issues, null, 2)}\n`;
};

function issuesOf({ url, findings }: ExportedReport, fingerprint: Fingerprint, settings: ExportSettings) {
  return findings
    .map((finding) => ({ finding, fingerprint: fingerprint(url, finding.code) }))
    .filter(({ finding }) => finding.accepted === null)
    .map(({ finding: { code, severity, title, detail }, fingerprint }) => ({
      description: plainLine(`${exportText(settings, "exports/at", { title, url })} ${detail}`),
      check_name: code,
      fingerprint,
      severity: severityNames[severity],
      location: locationOf(url),
    }));
}

function notMeasured(url: string, reason: string, fingerprint: Fingerprint) {
  return {
    description: plainLine(`${url}: ${reason}`),
    check_name: notMeasuredName,
    fingerprint: fingerprint(url, notMeasuredName),
    severity: severityNames.medium,
    location: locationOf(url),
  };
}

function locationOf(url: string) {
  return { path: locationPath(url), lines: { begin: 1 } };
}
