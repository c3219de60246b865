/** `/scans/{token}.json`: the full report as a download. */
import type { ScanRecord } from "../../store/scans.ts";
import { inFixOrder } from "../../text/fix-order.ts";
import { renderFullReport } from "../../text/render.ts";
import { respond } from "../response.ts";
import { scanHost } from "../scans/host-name.ts";
import { endOf } from "../scans/scan-end.ts";
import type { Visit } from "../visit.ts";
import { notFinishedPage } from "./not-finished.tsx";

/** Keeps the file name below the usual limit of 255 bytes. */
const hostCharsMax = 120;

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
    "content-disposition": `attachment; filename="${fileName(scan)}.json"`,
    "cache-control": "private, no-cache",
    vary: "Accept-Language, Cookie",
  });
}

/** `example.org_2026-11-19_<token>`: only letters, digits, dots, hyphens and underscores. */
function fileName(scan: ScanRecord): string {
  const host = scanHost(scan)
    .slice(0, hostCharsMax)
    .replaceAll(/[^\w.-]/g, "-");
  return `${host}_${endOf(scan).slice(0, 10)}_${scan.token}`;
}
