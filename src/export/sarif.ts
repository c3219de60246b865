/** SARIF 2.1.0 as GitHub code scanning accepts it: a run for each host and location, with a rule for each code that it reports. */

import { gzipSync } from "node:zlib";
import { areaOf, type FindingDefinition, type Severity, severities } from "../check/check.ts";
import type { Acceptance } from "../policy/finding-mark.ts";
import { placeholderSample } from "../text/i18n.ts";
import type { ExportedScan, ExportSettings, ExportWriter } from "./export.ts";
import {
  anchorPath,
  createFingerprints,
  type ExportedFinding,
  type ExportedReport,
  exportedReport,
  exportText,
  hostSegment,
  locationPath,
} from "./exported-report.ts";
import { escapedMarkdown, plainLine, plainText, shortened } from "./safe-text.ts";

/** Limit of GitHub for descriptions. */
const descriptionCharsMax = 1_024;
/** Limit of GitHub for names. */
const nameCharsMax = 255;

export const levels: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  critical: "error",
  high: "error",
  medium: "warning",
  low: "note",
  info: "note",
};

/** Numbers within the ranges by which GitHub names a severity. An info finding has no number and is not a security alert. */
const securitySeverities: Readonly<Record<Severity, string | null>> = {
  critical: "9.5",
  high: "8.0",
  medium: "5.0",
  low: "3.0",
  info: null,
};

/** Placeholder in texts of the catalog. */
const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

interface RuleSubject {
  readonly code: string;
  readonly checkKey: string;
  readonly severity: Severity;
  readonly area: string;
}

interface SarifRules {
  readonly list: readonly object[];
  indexOf(code: string): number;
}

/** Rules of the codes that the findings have, each once, in the order of the catalog; codes whose check has left it come last. */
function rulesOf(findings: readonly ExportedFinding[], settings: ExportSettings): SarifRules {
  const found = new Map(findings.map((finding) => [finding.code, finding]));
  const subjects = new Map<string, RuleSubject>();
  for (const check of settings.checks) {
    for (const [code, { severity }] of Object.entries<FindingDefinition>(check.findings)) {
      if (found.has(code)) subjects.set(code, { code, checkKey: check.key, severity, area: areaOf(check) });
    }
  }
  for (const [code, { checkKey, severity }] of found)
    if (!subjects.has(code)) subjects.set(code, { code, checkKey, severity, area: "own" });
  const indexes = new Map([...subjects.keys()].map((code, at) => [code, at]));
  return { list: [...subjects.values()].map((subject) => ruleOf(subject, settings)), indexOf: (code) => indexes.get(code) ?? -1 };
}

function ruleOf({ code, checkKey, severity, area }: RuleSubject, settings: ExportSettings) {
  const { locale, texts } = settings;
  /** A text of the catalog with samples in place of values; the text for removed checks if it has none. */
  const text = (path: readonly string[], field: string) => {
    const found =
      texts.translate(locale, ["checks", checkKey, ...path, field]) ?? texts.translate(locale, ["retired", field], { key: checkKey });
    return plainText((found ?? code).replaceAll(placeholder, (_whole, name: string) => placeholderSample(name, locale, texts)));
  };
  const ofFinding = (field: string) => text(["findings", code], field);
  const [risk, reason] = [ofFinding("riskStatement"), text([], "reason")];
  const help = [
    reason,
    exportText(settings, "report/risk", { text: risk }),
    exportText(settings, "report/remediation", { text: ofFinding("remediation") }),
  ];
  const cwe = texts.cweOf(code);
  const helpUri = helpUriOf(code, checkKey, cwe, settings);
  const securitySeverity = securitySeverities[severity];
  return {
    id: code,
    name: shortened(ruleName(code), nameCharsMax),
    shortDescription: { text: shortened(ofFinding("title"), descriptionCharsMax) },
    fullDescription: { text: shortened(`${reason} ${risk}`, descriptionCharsMax) },
    help: { text: help.join("\n\n"), markdown: help.map(escapedMarkdown).join("\n\n") },
    ...(helpUri !== null && { helpUri }),
    defaultConfiguration: { level: levels[severity] },
    properties: {
      tags: ["security", area, ...(cwe === null ? [] : [cwe, `external/cwe/${cwe.toLowerCase()}`])],
      precision: "very-high",
      ...(securitySeverity !== null && { "security-severity": securitySeverity }),
    },
  };
}

/** Words of the code in Pascal case, without the common first one: `HstsMaxAgeTooShort`. */
function ruleName(code: string): string {
  const words = code.replace(/^security\./, "").split(/[^a-z0-9]+/i);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("") || code;
}

/** Page of the appliance, else page of the weakness (CWE); null without both. */
function helpUriOf(code: string, checkKey: string, cwe: string | null, { origin, checks }: ExportSettings): string | null {
  if (origin !== null && checks.some(({ key }) => key === checkKey)) return new URL(`/checks/${checkKey}#${code}`, origin).href;
  return cwe === null ? null : `https://cwe.mitre.org/data/definitions/${cwe.replace("CWE-", "")}.html`;
}

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
  /** Host and port, as in paths; with the location, unless the server itself measured. */
  readonly host: string;
  readonly reports: readonly ExportedReport[];
  readonly results: readonly Result[];
}

/** Runs that fit the limits. */
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
  return withinBytes(kept, settings);
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
function withinBytes(kept: KeptRuns, settings: ExportSettings): string {
  for (let resultsMax = resultsPerRunMax; ; ) {
    const text = logText(kept, resultsMax, settings);
    const bytes = Buffer.byteLength(text) <= gzipBytesMax ? 0 : gzipSync(text).byteLength;
    if (bytes <= gzipBytesMax || resultsMax === 0) return text;
    const most = Math.max(...kept.runs.map(({ results }) => results.length));
    resultsMax = Math.floor(Math.min(most, resultsMax) * spare * (gzipBytesMax / bytes));
  }
}

function logText({ runs, cut }: KeptRuns, resultsMax: number, settings: ExportSettings): string {
  const objects = runs.map((run, at) => runObject(run, resultsMax, at === 0 ? cut : null, settings));
  return `${JSON.stringify({ $schema: schema, version: "2.1.0", runs: objects })}\n`;
}

function runObject({ host, reports, results }: HostRun, resultsMax: number, cut: string | null, settings: ExportSettings) {
  const left = results.length - resultsMax;
  const kept = left <= 0 ? results : results.toSorted((one, other) => urgency(one) - urgency(other)).slice(0, resultsMax);
  const findings = kept.map(({ finding }) => finding);
  const rules = rulesOf(findings, settings);
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

/** Address of the appliance; on the command line a `data:` URL with the description, because no page exists. */
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
