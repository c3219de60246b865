/** `/scans/{token}.json`: the full report as a download. */
import { exportFileName } from "../../export/file-name.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { inFixOrder } from "../../text/fix-order.ts";
import { renderFullReport } from "../../text/render.ts";
import { respond } from "../response.ts";
import { endOf } from "../scans/scan-end.ts";
import type { Visit } from "../visit.ts";
import { notFinishedPage } from "./not-finished.tsx";

/** Answers 409 before the scan is finished. */
export function downloadReport(visit: Visit, scan: ScanRecord): Response {
  const { i18n, settings } = visit;
  const result = settings.store.results.find(scan.token);
  if (scan.status !== "finished" || result === undefined) return notFinishedPage(visit, scan);
  const stored = settings.store.evidence.find(scan.token);
  const report = renderFullReport(
    scan,
    inFixOrder(result, settings.catalog.checks),
    { evidence: stored?.evidence ?? null, timings: stored?.timings ?? null },
    i18n.locale,
    settings.texts,
  );
  return respond(visit, 200, JSON.stringify(report, null, 2), {
    "content-type": "application/json",
    "content-disposition": `attachment; filename="${exportFileName({ ...scan, endedAt: endOf(scan) }, "json")}"`,
    "cache-control": "private, no-cache",
    vary: "Accept-Language, Cookie",
  });
}
