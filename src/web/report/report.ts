/** Collects the data of a report page from the store, with texts in the visitor's language. */
import { type Area, areaOf, areas, type FindingTexts } from "../../check/check.ts";
import type { CheckDefinition } from "../../check/registry.ts";
import { type Evidence, failed, readingNames } from "../../evidence/evidence.ts";
import type { Timings } from "../../evidence/scan.ts";
import type { LedgerRow, StoredResult } from "../../judge/result.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { type CostedFinding, findingCost, inFixOrder } from "../../text/fix-order.ts";
import { quoted } from "../../text/quotation.ts";
import { type CheckSummary, checkSummaryOf, fixedFinding, textsOfCheck, textsOfFinding } from "../../text/render.ts";
import { countShownStates, type ShownState } from "../../text/row-state.ts";
import { linesFor } from "../../text/servers/server-lines.ts";
import { scanNotFoundPage } from "../errors.ts";
import type { I18n } from "../i18n.ts";
import { scanHost } from "../scans/host-name.ts";
import { endOf } from "../scans/scan-end.ts";
import type { Visit } from "../visit.ts";
import { type ChosenServer, chosenServer } from "./chosen-server.ts";
import { earlierScan, type FirstSeen, firstSeen } from "./first-seen.ts";

/** Earlier scans of the host that are examined. */
export const earlierScansMax = 20;
const historyMax = 10;

/** `retired`: the check left the catalog, so its area is unknown. */
export type ReportArea = Area | "retired";
export const reportAreas: readonly ReportArea[] = [...areas, "retired"];

export interface ShownFinding extends CostedFinding {
  /** Quoted values are marked by `quoted`. */
  readonly texts: FindingTexts;
  /** Element id: the finding code, with a number from its second occurrence on. */
  readonly anchor: string;
  /** For the chosen server; null if there are none. */
  readonly lines: string | null;
  readonly area: ReportArea;
  /** Names of readings and header fields that the verdict rests on. */
  readonly evidence: readonly string[];
  /** Null if no earlier scan of the same URL ran the check. */
  readonly firstSeen: FirstSeen | null;
}

export interface ShownRow {
  readonly row: LedgerRow;
  readonly area: ReportArea;
  readonly label: string;
  /** Condition of `notApplicable`; null if the check always applies. */
  readonly whenNotApplicable: string | null;
  readonly findings: readonly ShownFinding[];
}

export interface Report {
  readonly scan: ScanRecord;
  readonly result: StoredResult;
  /** ASCII; an IPv6 address without brackets. */
  readonly host: string;
  readonly summary: CheckSummary;
  /** As in `summary`, with notes apart from violated rows. */
  readonly counts: Readonly<Record<ShownState, number>>;
  /** What to fix first. */
  readonly findings: readonly ShownFinding[];
  /** Ordered by area. */
  readonly rows: readonly ShownRow[];
  /** Server that lines are shown for. */
  readonly server: ChosenServer;
  /** Null after its retention time. */
  readonly evidence: Evidence | null;
  readonly timings: Timings | null;
  readonly hasScreenshot: boolean;
  /** Latest earlier scan of the same URL. */
  readonly previous: ScanRecord | null;
  /** Scan that `?with=previous` resolves to: same URL preferred, else same host. */
  readonly comparable: ScanRecord | null;
  /** Newer scan: same URL preferred, else same host. */
  readonly newer: ScanRecord | null;
  /** Newest scans of the host; may include this one. */
  readonly history: readonly ScanRecord[];
}

/** @throws Error for an unfinished scan. */
export function gatherReport(visit: Visit, scan: ScanRecord): Report {
  const { settings } = visit;
  const { store } = settings;
  const result = resultOf(visit, scan);
  const host = scanHost(scan);
  const seen = store.evidence.find(scan.token);
  const earlier = earlierScans(visit, scan);
  const history = store.publicScans.list({ host, exactly: true, limit: historyMax, cursor: null }).items;
  const ofSameUrl = (other: ScanRecord) => other.url === scan.url;
  const newer = history.filter(({ id }) => id > scan.id);
  const evidence = seen === undefined ? null : withEveryReading(seen.evidence);
  const server = chosenServer(visit, { evidence });
  const findings = shownFindings({ visit, scan, result, server }, earlier.filter(ofSameUrl));
  return {
    scan,
    result,
    host,
    summary: checkSummaryOf(result.ledger),
    counts: countShownStates(result.ledger),
    findings,
    rows: shownRows(visit, result, findings),
    server,
    evidence,
    timings: seen?.timings ?? null,
    hasScreenshot: store.screenshots.has(scan.token),
    previous: earlier.find(ofSameUrl) ?? null,
    comparable: comparableTo(scan, earlier),
    newer: comparableTo(scan, newer),
    history,
  };
}

/** Adds readings that an older version did not take, as "not asked". */
function withEveryReading(evidence: Evidence): Evidence {
  const notAsked = Object.fromEntries(readingNames.map((name) => [name, failed("not-asked")]));
  return { ...notAsked, ...evidence };
}

/**
 * Result of a finished scan, findings in the order to fix them; stored in the same transaction as its end.
 * @throws PageError 404 if it is lost, as in a damaged store.
 */
export function resultOf({ settings: { store, catalog } }: Visit, { token }: ScanRecord): StoredResult {
  const result = store.results.find(token);
  if (result === undefined) throw scanNotFoundPage();
  return inFixOrder(result, catalog.checks);
}

/** Examined earlier scans of the same host, newest first. */
export function earlierScans({ settings: { store } }: Visit, { url, id }: ScanRecord): readonly ScanRecord[] {
  return store.publicScans.list({ host: scanHost({ url }), exactly: true, limit: earlierScansMax, cursor: id }).items;
}

/** First scan of the same URL, else the first scan: the default partner of a comparison. */
export function comparableTo({ url }: ScanRecord, others: readonly ScanRecord[]): ScanRecord | null {
  return others.find((other) => other.url === url) ?? others[0] ?? null;
}

/** Check in the current catalog, which may differ from that of the scan. */
export function checkOf({ settings: { catalog } }: Visit, key: string): CheckDefinition | undefined {
  return catalog.checks.find((check) => check.key === key);
}

function reportAreaOf(visit: Visit, key: string): ReportArea {
  const check = checkOf(visit, key);
  return check === undefined ? "retired" : areaOf(check);
}

interface ResultOfVisit {
  readonly visit: Visit;
  readonly scan: ScanRecord;
  readonly result: StoredResult;
  readonly server: ChosenServer;
}

function shownFindings({ visit, scan, result, server }: ResultOfVisit, earlier: readonly ScanRecord[]): readonly ShownFinding[] {
  const { i18n, settings } = visit;
  const { url } = scan;
  const rows = new Map(result.ledger.map((row) => [row.key, row]));
  const anchors = new Map<string, number>();
  const earlierScanSummaries = earlier.flatMap((scan) => {
    const found = settings.store.results.find(scan.token);
    return found === undefined ? [] : [earlierScan(endOf(scan), scan.token, found)];
  });
  const shown = result.findings.map((finding): ShownFinding => {
    const row = rows.get(finding.checkKey);
    const occurrence = (anchors.get(finding.code) ?? 0) + 1;
    anchors.set(finding.code, occurrence);
    const { fixes, values } = fixedFinding(finding, url, settings.texts);
    return {
      finding,
      texts: textsOfFinding(finding, url, i18n.locale, settings.texts, quoted),
      anchor: occurrence === 1 ? finding.code : `${finding.code}-${occurrence}`,
      lines: server.name === "explain" ? null : linesFor(server.name, fixes, values),
      area: reportAreaOf(visit, finding.checkKey),
      evidence: row?.evidence ?? [],
      ...findingCost(finding, result, settings.catalog.checks),
      firstSeen: firstSeen(finding, earlierScanSummaries),
    };
  });
  return shown;
}

function shownRows(visit: Visit, { ledger }: StoredResult, findings: readonly ShownFinding[]): readonly ShownRow[] {
  const { i18n, settings } = visit;
  const byKey = Map.groupBy(findings, ({ finding }) => finding.checkKey);
  const rows = ledger.map((row): ShownRow => {
    return {
      row,
      area: reportAreaOf(visit, row.key),
      label: textsOfCheck(row.key, i18n.locale, settings.texts).label,
      whenNotApplicable: settings.texts.translate(i18n.locale, ["checks", row.key, "notApplicable"]),
      findings: byKey.get(row.key) ?? [],
    };
  });
  return rows.toSorted((one, other) => reportAreas.indexOf(one.area) - reportAreas.indexOf(other.area));
}

export function areaName(i18n: I18n, area: ReportArea): string {
  return area === "retired" ? i18n.t("report.ledger.retired") : i18n.t(`checks.areas.${area}`);
}
