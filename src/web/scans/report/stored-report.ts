/** Collects the data of a report page from the store: the report, and the other scans of its host. */
import type { StoredResult } from "../../../judge/result.ts";
import { composeReport, type EarlierScan, earlierScan, type Report } from "../../../report/report.ts";
import type { PublicScanQuery } from "../../../store/public-list.ts";
import { scanLocationOf } from "../../../store/scan-location.ts";
import type { ScanRecord } from "../../../store/scans.ts";
import { inFixOrder } from "../../../text/ledger-rows.ts";
import { pageDocument } from "../../context.ts";
import { scanNotFoundPage } from "../../errors.ts";
import type { SharedVisit } from "../../visit.ts";
import { endOf, scanHost } from "../list-query.ts";

/** Earlier scans of the host that are examined. */
export const earlierScansMax = 20;
const historyMax = 10;

export interface StoredReport extends Report {
  readonly scan: ScanRecord;
  readonly hasScreenshot: boolean;
  /** Latest earlier scan of the same URL. */
  readonly previous: ScanRecord | null;
  /** Scan that `?with=previous` resolves to: same URL preferred, else same host. */
  readonly comparable: ScanRecord | null;
  /** Newer scan: same URL preferred, else same host. */
  readonly newer: ScanRecord | null;
  /** Newest scans of the host from the same location; may include this one. */
  readonly history: readonly ScanRecord[];
}

/** @throws Error for an unfinished scan. */
export function gatherReport(visit: SharedVisit, scan: ScanRecord): StoredReport {
  const { store } = visit.settings;
  const result = resultOf(visit, scan);
  const seen = store.evidence.find(scan.token);
  const earlier = earlierScans(visit, scan);
  const history = store.publicScans.list({ ...ofSameHost(scan), limit: historyMax, cursor: null }).items;
  const ofSameUrl = (other: ScanRecord) => other.url === scan.url;
  const newer = history.filter(({ id }) => id > scan.id);
  const source = {
    scan,
    result,
    evidence: seen?.evidence ?? null,
    timings: seen?.timings ?? null,
    serverPreference: visit.serverPreference,
    earlier: resultsOf(visit, earlier.filter(ofSameUrl)),
    marks: new Map(),
    allServers: false,
  };
  return {
    ...composeReport(source, pageDocument(visit)),
    scan,
    hasScreenshot: store.screenshots.has(scan.token),
    previous: earlier.find(ofSameUrl) ?? null,
    comparable: comparableTo(scan, earlier),
    newer: comparableTo(scan, newer),
    history,
  };
}

/**
 * Result of a finished scan, findings in the order to fix them; stored in the same transaction as its end.
 * @throws PageError 404 if it is lost, as in a damaged store.
 */
export function resultOf({ settings: { store, catalog } }: SharedVisit, { token }: ScanRecord): StoredResult {
  const result = store.results.find(token);
  if (result === undefined) throw scanNotFoundPage();
  return inFixOrder(result, catalog.checks);
}

/** Examined earlier scans of the same host and location, newest first. */
export function earlierScans({ settings: { store } }: SharedVisit, scan: ScanRecord): readonly ScanRecord[] {
  return store.publicScans.list({ ...ofSameHost(scan), limit: earlierScansMax, cursor: scan.id }).items;
}

function ofSameHost(scan: ScanRecord): Pick<PublicScanQuery, "host" | "exactly" | "location"> {
  return { host: scanHost(scan), exactly: true, location: scanLocationOf(scan) };
}

function resultsOf({ settings: { store } }: SharedVisit, scans: readonly ScanRecord[]): readonly EarlierScan[] {
  return scans.flatMap((scan) => {
    const found = store.results.find(scan.token);
    return found === undefined ? [] : [earlierScan(endOf(scan), scan.token, found)];
  });
}

/** First scan of the same URL, else the first scan: the default partner of a comparison. */
export function comparableTo({ url }: ScanRecord, others: readonly ScanRecord[]): ScanRecord | null {
  return others.find((other) => other.url === url) ?? others[0] ?? null;
}
