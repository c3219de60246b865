/** SARIF 2.1.0 as GitHub code scanning accepts it: a run for each host. */
import { gzipSync } from "node:zlib";
import { severities } from "../check/check.ts";
import type { ExportedScan, ExportSettings, ExportWriter } from "./export.ts";
import { type ExportedFinding, type ExportedReport, exportedReport, exportText, markText } from "./exported-report.ts";
import { createFingerprints } from "./fingerprint.ts";
import { anchorPath, hostSegment, locationPath } from "./location-path.ts";
import { plainLine, shortened } from "./plain-text.ts";
import { levels, rulesOf, type SarifRules } from "./sarif-rules.ts";

/** Limits of GitHub: it refuses a larger file. */
const runsMax = 20;
const resultsPerRunMax = 25_000;
const gzipBytesMax = 10_000_000;
/** Longest message of a result; GitHub shows the first sentence in lists. */
const messageCharsMax = 4_000;

const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

interface Result {
  readonly report: ExportedReport;
  readonly finding: ExportedFinding;
  readonly fingerprint: string;
}

interface HostRun {
  /** Host and port. */
  readonly host: string;
  readonly reports: readonly ExportedReport[];
  readonly results: readonly Result[];
  /** Sentences about what the limits cut. */
  readonly cuts: readonly string[];
}

/**
 * Code scanning closes alerts that the run of their host does not repeat. A host has a run only if each of its URLs was measured; null if
 * no host has one. Accepted findings stay, marked as suppressed: without them GitHub would show their alerts as fixed.
 */
export const writeSarif: ExportWriter = (scans, settings) => {
  const hosts = hostRuns(scans, settings);
  if (hosts.length === 0) return null;
  const rules = rulesOf(
    hosts.flatMap(({ results }) => results.map(({ finding }) => finding)),
    settings,
  );
  return withinBytes(
    withinRuns(
      hosts.map((run) => withinResults(run, resultsPerRunMax, settings)),
      settings,
    ),
    rules,
    settings,
  );
};

function hostRuns(scans: readonly ExportedScan[], settings: ExportSettings): readonly HostRun[] {
  const fingerprint = createFingerprints();
  const reports = scans.map((scan) => exportedReport(scan, settings));
  const hosts = Map.groupBy(reports, ({ url }) => hostSegment(url));
  return [...hosts]
    .filter(([, of]) => of.every(({ failure }) => failure === null))
    .map(([host, of]) => {
      const results = of.flatMap((report) =>
        report.findings.map((finding) => ({ report, finding, fingerprint: fingerprint(report.url, finding.code) })),
      );
      return { host, reports: of, results, cuts: [] };
    });
}

/** Accepted findings last, before them the worst first. */
function urgency({ finding: { accepted, severity } }: Result): number {
  return (accepted === null ? 0 : severities.length) + severities.indexOf(severity);
}

function withinResults(run: HostRun, max: number, settings: ExportSettings): HostRun {
  if (run.results.length <= max) return run;
  const results = run.results.toSorted((one, other) => urgency(one) - urgency(other)).slice(0, max);
  const sentence = exportText(settings, "exports/resultsCut", { left: run.results.length - max, total: run.results.length });
  return { ...run, results, cuts: [sentence] };
}

function withinRuns(runs: readonly HostRun[], settings: ExportSettings): readonly HostRun[] {
  if (runs.length <= runsMax) return runs;
  const worst = (run: HostRun) => Math.min(...run.results.map(urgency));
  const kept = new Set(runs.toSorted((one, other) => worst(one) - worst(other)).slice(0, runsMax));
  const hosts = runs.filter((run) => !kept.has(run)).map(({ host }) => host);
  const sentence = exportText(settings, "exports/runsCut", {
    left: hosts.length,
    total: runs.length,
    hosts: shortened(hosts.join(", "), messageCharsMax),
  });
  return [...kept].map((run, at) => (at === 0 ? { ...run, cuts: [...run.cuts, sentence] } : run));
}

/** Fewer results until the file is small enough. */
function withinBytes(runs: readonly HostRun[], rules: SarifRules, settings: ExportSettings): string {
  const most = Math.max(...runs.map(({ results }) => results.length));
  for (let max = most; ; max = Math.floor(max / 2)) {
    const text = logText(
      runs.map((run) => withinResults(run, max, settings)),
      rules,
      settings,
    );
    if (text.length <= gzipBytesMax / 4 || max === 0 || gzipSync(text).byteLength <= gzipBytesMax) return text;
  }
}

function logText(runs: readonly HostRun[], rules: SarifRules, settings: ExportSettings): string {
  const log = { $schema: schema, version: "2.1.0", runs: runs.map((run) => runObject(run, rules, settings)) };
  return `${JSON.stringify(log)}\n`;
}

function runObject({ host, reports, results, cuts }: HostRun, rules: SarifRules, settings: ExportSettings) {
  return {
    tool: { driver: { name: "assay", semanticVersion: settings.version, informationUri: informationUri(settings), rules: rules.list } },
    automationDetails: { id: `assay/${host}/` },
    invocations: [
      {
        executionSuccessful: true,
        endTimeUtc: reports
          .map(({ endedAt }) => endedAt)
          .sort()
          .at(-1),
        toolExecutionNotifications: [...cuts.map(notification), ...reports.flatMap((report) => unreadNotifications(report, settings))],
      },
    ],
    columnKind: "utf16CodeUnits",
    results: results.map((result) => resultObject(result, rules, settings)),
  };
}

/** The appliance; on the command line the information itself, since there is no page to name. */
function informationUri({ origin, version }: ExportSettings): string {
  return (
    origin ?? `data:,${encodeURIComponent(`assay ${version} judges the security of web pages. "assay checks list" describes its checks.`)}`
  );
}

function notification(text: string) {
  return { level: "warning", message: { text } };
}

function unreadNotifications({ url, rows }: ExportedReport, settings: ExportSettings) {
  return rows
    .filter(({ because }) => because !== null)
    .map(({ key, label, because }) =>
      notification(
        literal(plainLine(`${url}: ${label} (${key}): ${exportText(settings, "exports/notChecked", { because: because ?? "" })}`)),
      ),
    );
}

function resultObject({ report: { url }, finding, fingerprint }: Result, rules: SarifRules, settings: ExportSettings) {
  const { code, severity, title, detail, accepted, inBaseline } = finding;
  const uri = (settings.sarifAnchor === null ? null : anchorPath(settings.sarifAnchor)) ?? locationPath(url);
  return {
    ruleId: code,
    ruleIndex: rules.indexOf(code),
    level: levels[severity],
    message: { text: literal(shortened(plainLine(`${exportText(settings, "exports/at", { title, url })} ${detail}`), messageCharsMax)) },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri }, region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 2 } },
        logicalLocations: [{ fullyQualifiedName: url }],
      },
    ],
    partialFingerprints: { primaryLocationLineHash: fingerprint },
    ...(inBaseline !== null && { baselineState: inBaseline ? "unchanged" : "new" }),
    ...(accepted !== null && { suppressions: [{ kind: "external", status: "accepted", justification: markText(finding, settings) }] }),
  };
}

/** Escapes the bracket that would end the text of an embedded link: SARIF section 3.11.6. */
function literal(text: string): string {
  return text.replaceAll("](", "\\](");
}
