/** `/scans/{token}`: one address for the whole life of a scan, and what tells of it while it runs. */
import type { ScanRecord } from "../store/scans.ts";
import { respond } from "./answer.tsx";
import { scanNotFoundPage } from "./errors.ts";
import { downloadReport } from "./report/download.ts";
import { reportPage } from "./report/report-page.tsx";
import { failedPage } from "./scanning/failed-page.tsx";
import { stateOf } from "./scanning/scan-state.ts";
import { waitingPage } from "./scanning/waiting-page.tsx";
import type { PageHandler, Visit } from "./visit.ts";

const downloadEnding = ".json";

/** Finds the scan that the path names. @throws PageError 404 without one. */
export function onScan(answer: (visit: Visit, scan: ScanRecord) => Response): PageHandler {
  return (visit, token) => answer(visit, scanOf(visit, token));
}

/** The router cannot tell `/scans/{token}.json` from `/scans/{token}`. */
export function getReport(visit: Visit, name: string | null): Response {
  if (name?.endsWith(downloadEnding) === true) return downloadReport(visit, scanOf(visit, name.slice(0, -downloadEnding.length)));
  return scanPage(visit, scanOf(visit, name));
}

/** A token of broken percent-encoding arrives as null. @throws PageError 404 for every token that names no scan, whatever its shape. */
function scanOf({ settings: { store } }: Visit, token: string | null): ScanRecord {
  const scan = store.scans.findByToken(token ?? "");
  if (scan === undefined) throw scanNotFoundPage();
  return scan;
}

function scanPage(visit: Visit, scan: ScanRecord): Response {
  if (scan.status === "finished") return reportPage(visit, scan);
  return scan.status === "failed" ? failedPage(visit, scan) : waitingPage(visit, scan);
}

/** For scripts whose events do not get through. */
export function stateAnswer(visit: Visit, scan: ScanRecord): Response {
  return respond(visit, 200, JSON.stringify(stateOf(visit, scan)), { "content-type": "application/json", "cache-control": "no-store" });
}
