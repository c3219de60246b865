/** SARIF 2.1.0 as GitHub code scanning accepts it: a run for each host and location. */
import { gzipSync } from "node:zlib";
import { severities } from "../check/check.ts";
import type { Acceptance } from "../policy/finding-mark.ts";
import type { ExportedScan, ExportSettings, ExportWriter } from "./export.ts";
import { type ExportedFinding, type ExportedReport, exportedReport, exportText } from "./exported-report.ts";
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
/** Share of the results that fit by their average size which is kept, because sizes differ. */
const spare = 0.9;

const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

interface Result {
  readonly report: ExportedReport;
  readonly finding: ExportedFinding;
  readonly fingerprint: string;
}

interface HostRun {
  /** Host and port, as in paths; with the location, if it is not that of the server itself. */
  readonly host: string;
  readonly reports: readonly ExportedReport[];
  readonly results: readonly Result[];
}

/** What the limits leave of the runs. */
interface KeptRuns {
  readonly runs: readonly HostRun[];
  /** Sentence about the hosts that were left out; null if none was. */
  readonly cut: string | null;
}

/**
 * Code scanning closes alerts that the run of their host does not repeat. A host has a run only if each of its URLs was measured; null if
 * no host has one. Accepted findings stay, marked as suppressed: without them GitHub would show their alerts as fixed.
 */
export const writeSarif: ExportWriter = (scans, settings) => {
  const kept = withinRuns(hostRuns(scans, settings), settings);
  if (kept.runs.length === 0) return null;
  const findings = kept.runs.flatMap(({ results }) => results.map(({ finding }) => finding));
  return withinBytes(kept, rulesOf(findings, settings), settings);
};

function hostRuns(scans: readonly ExportedScan[], settings: ExportSettings): readonly HostRun[] {
  const fingerprint = createFingerprints();
  const reports = scans.map((scan) => exportedReport(scan, settings));
  const hosts = Map.groupBy(reports, ({ url, location }) => (location === null ? hostSegment(url) : `${hostSegment(url)}/${location}`));
  return [...hosts]
    .filter(([, ofHost]) => ofHost.every(({ failure }) => failure === null))
    .map(([host, ofHost]) => {
      const results = ofHost.flatMap((report) =>
        report.findings.map((finding) => ({ report, finding, fingerprint: fingerprint(report.url, finding.code) })),
      );
      return { host, reports: ofHost, results };
    });
}

/** Hosts with the worst findings, in their order. */
function withinRuns(runs: readonly HostRun[], settings: ExportSettings): KeptRuns {
  if (runs.length <= runsMax) return { runs, cut: null };
  const worst = ({ results }: HostRun) => Math.min(...results.map(urgency));
  const kept = new Set(runs.toSorted((one, other) => worst(one) - worst(other)).slice(0, runsMax));
  const hosts = runs.filter((run) => !kept.has(run)).map(({ host }) => host);
  const values = { left: hosts.length, total: runs.length, hosts: shortened(hosts.join(", "), messageCharsMax) };
  return { runs: runs.filter((run) => kept.has(run)), cut: exportText(settings, "exports/runsCut", values) };
}

/** Rank by which results are kept: accepted findings last, before them the worst first. */
function urgency({ finding: { accepted, severity } }: Result): number {
  return (accepted === null ? 0 : severities.length) + severities.indexOf(severity);
}

/** Fewer results in each run until the file is small enough. */
function withinBytes(kept: KeptRuns, rules: SarifRules, settings: ExportSettings): string {
  for (let resultsMax = resultsPerRunMax; ; ) {
    const text = logText(kept, resultsMax, rules, settings);
    const bytes = Buffer.byteLength(text) <= gzipBytesMax ? 0 : gzipSync(text).byteLength;
    if (bytes <= gzipBytesMax || resultsMax === 0) return text;
    const most = Math.max(...kept.runs.map(({ results }) => results.length));
    resultsMax = Math.floor(Math.min(most, resultsMax) * spare * (gzipBytesMax / bytes));
  }
}

function logText({ runs, cut }: KeptRuns, resultsMax: number, rules: SarifRules, settings: ExportSettings): string {
  const objects = runs.map((run, at) => runObject(run, resultsMax, at === 0 ? cut : null, rules, settings));
  return `${JSON.stringify({ $schema: schema, version: "2.1.0", runs: objects })}\n`;
}

function runObject(
  { host, reports, results }: HostRun,
  resultsMax: number,
  cut: string | null,
  rules: SarifRules,
  settings: ExportSettings,
) {
  const left = results.length - resultsMax;
  const kept = left <= 0 ? results : results.toSorted((one, other) => urgency(one) - urgency(other)).slice(0, resultsMax);
  const cuts = [cut, left <= 0 ? null : exportText(settings, "exports/resultsCut", { left, total: results.length })];
  const marks = marksIn(results);
  const ends = reports.map(({ endedAt }) => endedAt).sort();
  return {
    tool: {
      driver: { name: "assay", semanticVersion: settings.version, informationUri: informationUri(settings), rules: rules.list },
    },
    automationDetails: { id: `assay/${host}/` },
    invocations: [
      {
        executionSuccessful: true,
        endTimeUtc: ends.at(-1),
        toolExecutionNotifications: [
          ...cuts.flatMap((sentence) => (sentence === null ? [] : [notification(sentence)])),
          ...reports.flatMap((report) => unreadNotifications(report, settings)),
        ],
      },
    ],
    columnKind: "utf16CodeUnits",
    results: kept.map((result) => ({ ...resultObject(result, rules, settings), ...marks(result) })),
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
  const { code, severity, title, detail } = finding;
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
  };
}

/** Properties for the marks of a result. Either all results of a run have them or none has: SARIF sections 3.27.23 and 3.27.24. */
function marksIn(results: readonly Result[]): (result: Result) => object {
  const hasAccepted = results.some(({ finding }) => finding.accepted !== null);
  const hasBaseline = results.some(({ finding }) => finding.inBaseline !== null);
  return ({ finding: { accepted, inBaseline } }) => ({
    ...(hasBaseline && { baselineState: inBaseline === true ? "unchanged" : "new" }),
    ...(hasAccepted && { suppressions: accepted === null ? [] : [suppressionOf(accepted)] }),
  });
}

function suppressionOf({ reason, until }: Acceptance) {
  return { kind: "external", status: "accepted", justification: reason, ...(until !== null && { properties: { until } }) };
}

/** Escapes the bracket that would end the text of an embedded link: SARIF section 3.11.6. */
function literal(text: string): string {
  return text.replaceAll("](", "\\](");
}
