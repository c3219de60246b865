/** `/scans/{token}.{extension}`: the report of a scan as a file, one for each export format. */
import { exportFileName } from "../../export/file-name.ts";
import { type ExportFormat, exportFormats } from "../../export/formats.ts";
import { storedExport } from "../../export/stored-scan.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { compressedBody, respond } from "../response.ts";
import { publicOrigin, type Visit } from "../visit.ts";
import { notFinishedPage, nothingToTellPage } from "./no-download.tsx";

const jsonIndent = 2;

/** Format with this extension, as in `junit.xml`; undefined for all others. */
export function formatOf(extension: string): ExportFormat | undefined {
  return Object.values(exportFormats).find((format) => format.extension === extension);
}

/** Answers 409 before the scan is over, and for a format that has nothing to say about it. */
export function downloadReport(visit: Visit, scan: ScanRecord, format: ExportFormat): Response {
  const { endedAt, status } = scan;
  if (endedAt === null || (status !== "finished" && status !== "failed")) return notFinishedPage(visit, scan);
  const text = fileOf(visit, { ...scan, endedAt }, format);
  if (text === null) return nothingToTellPage(visit, scan, format);
  const { body, compressed } = compressedBody(visit, text);
  return respond(visit, 200, body, {
    "content-type": format.mediaType,
    "content-disposition": `attachment; filename="${exportFileName({ ...scan, endedAt }, format.extension)}"`,
    "cache-control": "private, no-cache",
    vary: "Accept-Encoding, Accept-Language, Cookie",
    ...(compressed ? { "content-encoding": "gzip" } : {}),
  });
}

/** JSON is indented, since a visitor reads it. */
function fileOf(visit: Visit, scan: ScanRecord & { readonly endedAt: string }, format: ExportFormat): string | null {
  const { i18n, settings } = visit;
  const { store, texts, catalog, version } = settings;
  const text = format.write([storedExport(scan, store, catalog.checks)], {
    locale: i18n.locale,
    texts,
    checks: catalog.checks,
    version,
    origin: publicOrigin(visit),
    csvRows: "findings",
    strict: false,
    sarifAnchor: null,
  });
  return text !== null && format.extension === exportFormats.json.extension ? JSON.stringify(JSON.parse(text), null, jsonIndent) : text;
}
