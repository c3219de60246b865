/** Code Quality report of GitLab: a JSON array with an object for each finding. */
import type { Severity } from "../check/check.ts";
import type { ExportWriter } from "./export.ts";
import { exportedReport, exportText } from "./exported-report.ts";
import { createFingerprints } from "./fingerprint.ts";
import { locationPath } from "./location-path.ts";
import { plainLine } from "./plain-text.ts";

const severityNames: Readonly<Record<Severity, string>> = {
  critical: "blocker",
  high: "critical",
  medium: "major",
  low: "minor",
  info: "info",
};

/**
 * Null if a page could not be measured: GitLab shows what an earlier file had and this one lacks as fixed. Accepted findings are left out,
 * because the format cannot mark them. Findings of the baseline stay: GitLab compares with the target branch itself.
 */
export const writeGitlab: ExportWriter = (scans, settings) => {
  const reports = scans.map((scan) => exportedReport(scan, settings));
  if (reports.some(({ failure }) => failure !== null)) return null;
  const fingerprint = createFingerprints();
  const issues = reports.flatMap(({ url, findings }) =>
    findings
      .map((finding) => ({ finding, fingerprint: fingerprint(url, finding.code) }))
      .filter(({ finding }) => finding.accepted === null)
      .map(({ finding: { code, severity, title, detail }, fingerprint }) => ({
        description: plainLine(`${exportText(settings, "exports/at", { title, url })} ${detail}`),
        check_name: code,
        fingerprint,
        severity: severityNames[severity],
        location: { path: locationPath(url), lines: { begin: 1 } },
      })),
  );
  return `${JSON.stringify(issues, null, 2)}\n`;
};
