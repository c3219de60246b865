/** `/scans/{token}` in every state of a scan, with its events, state and screenshot. */
import type { ScanRecord } from "../store/scans.ts";
import { scanNotFoundPage } from "./errors.ts";
import { type DownloadFormat, downloadReport, formatOf } from "./report/downloads.tsx";
import { reportPage } from "./report/report-page.tsx";
import { respond } from "./response.ts";
import { failedPage } from "./scanning/failed-page.tsx";
import { stateOf } from "./scanning/scan-state.ts";
import { waitingPage } from "./scanning/waiting-page.tsx";
import type { PageHandler, Visit } from "./visit.ts";

/** Finds the scan that the path names. @throws PageError 404 without one. */
export function onScan(answer: (visit: Visit, scan: ScanRecord) => Response | Promise<Response>): PageHandler {
  return (visit, token) => answer(visit, scanOf(visit, token));
}

/** The router cannot distinguish `/scans/{token}.json` from `/scans/{token}`. A token has no dot. */
export function getReport(visit: Visit, name: string | null): Response | Promise<Response> {
  const { token, format } = fileOf(name);
  return format === undefined ? scanPage(visit, scanOf(visit, name)) : downloadReport(visit, scanOf(visit, token), format);
}

export function isDownload(name: string | null): boolean {
  return fileOf(name).format !== undefined;
}

function fileOf(name: string | null): { readonly token: string; readonly format: DownloadFormat | undefined } {
  const [, token = "", extension = ""] = /^([^.]*)\.(.*)$/.exec(name ?? "") ?? [];
  return { token, format: formatOf(extension) };
}

/** @throws PageError 404 for every unknown token; null means invalid percent-encoding. */
function scanOf({ settings: { store } }: Visit, token: string | null): ScanRecord {
  const scan = store.scans.findByToken(token ?? "");
  if (scan === undefined) throw scanNotFoundPage();
  return scan;
}

function scanPage(visit: Visit, scan: ScanRecord): Response {
  if (scan.status === "finished") return reportPage(visit, scan);
  return scan.status === "failed" ? failedPage(visit, scan) : waitingPage(visit, scan);
}

/** JSON state for scripts that receive no events. */
export function stateAnswer(visit: Visit, scan: ScanRecord): Response {
  return respond(visit, 200, JSON.stringify(stateOf(visit, scan)), { "content-type": "application/json", "cache-control": "no-store" });
}
