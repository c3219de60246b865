/** `/scans/{token}`: one address for the whole life of a scan, and what tells of it while it runs. */
import type { ScanRecord } from "../store/scans.ts";
import { respond } from "./answer.tsx";
import { scanNotFound } from "./errors.ts";
import { comparePage } from "./report/compare/compare-page.tsx";
import { downloadReport } from "./report/download.ts";
import { reportPage } from "./report/report-page.tsx";
import { screenshotAnswer } from "./report/screenshot.tsx";
import { failedPage } from "./scanning/failed-page.tsx";
import { createScanEvents } from "./scanning/scan-events.ts";
import { stateOf } from "./scanning/scan-state.ts";
import { waitingPage } from "./scanning/waiting-page.tsx";
import { pageGroup, type Visit } from "./visit.ts";

const downloadEnding = ".json";

export function scanRoutes() {
  const events = createScanEvents();
  return pageGroup("scan")
    .get("/scans/:token", ({ visit, params }) => pageOrDownload(visit, params.token))
    .get("/scans/:token/compare", ({ visit, params }) => comparePage(visit, scanOf(visit, params.token)))
    .get("/scans/:token/screenshot", ({ visit, params }) => screenshotAnswer(visit, scanOf(visit, params.token)))
    .get("/scans/:token/events", ({ visit, params }) => events(visit, scanOf(visit, params.token)))
    .get("/scans/:token/state", ({ visit, params }) => stateAnswer(visit, scanOf(visit, params.token)));
}

/** The router cannot tell `/scans/{token}.json` from `/scans/{token}`. */
function pageOrDownload(visit: Visit, name: string | null): Response {
  if (name?.endsWith(downloadEnding) === true) return downloadReport(visit, scanOf(visit, name.slice(0, -downloadEnding.length)));
  return scanPage(visit, scanOf(visit, name));
}

/** A token of broken percent-encoding arrives as null. @throws PageError 404 for every token that names no scan, whatever its shape. */
function scanOf({ settings: { store } }: Visit, token: string | null): ScanRecord {
  const scan = store.scans.findByToken(token ?? "");
  if (scan === undefined) throw scanNotFound();
  return scan;
}

function scanPage(visit: Visit, scan: ScanRecord): Response {
  if (scan.status === "finished") return reportPage(visit, scan);
  return scan.status === "failed" ? failedPage(visit, scan) : waitingPage(visit, scan);
}

/** For scripts whose events do not get through. */
function stateAnswer(visit: Visit, scan: ScanRecord): Response {
  return respond(visit, 200, JSON.stringify(stateOf(visit, scan)), { "content-type": "application/json", "cache-control": "no-store" });
}
