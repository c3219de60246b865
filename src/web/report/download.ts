/** `/scans/{token}.{extension}`: the report of a scan as a file, one for each export format, and as PDF. */

import { storedExport } from "../../export/export.ts";
import { type ExportFormat, exportFileName, exportFormats, pdfFormat } from "../../export/formats.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { requestedBrand } from "../account/brand/account-brands.ts";
import { publicOrigin, type Visit } from "../visit.ts";
import { pdfFileAnswer, textFileAnswer } from "./file-answers.ts";
import { notFinishedPage, nothingToTellPage } from "./no-download.tsx";

const jsonIndent = 2;

/** `pdf` is printed by a browser from the HTML file, and no format of its own. */
export type DownloadFormat = ExportFormat | typeof pdfFormat.extension;

type EndedRecord = ScanRecord & { readonly endedAt: string };

/** Format with this extension, as in `junit.xml`; undefined for all others. */
export function formatOf(extension: string): DownloadFormat | undefined {
  return extension === pdfFormat.extension ? extension : Object.values(exportFormats).find((format) => format.extension === extension);
}

/**
 * Answers 409 before the scan is over, and for a format that has nothing to say about it. The promise is rejected with PageError 503
 * without a PDF. @throws PageError for a brand that the visitor may not use.
 */
export function downloadReport(visit: Visit, scan: ScanRecord, format: DownloadFormat): Response | Promise<Response> {
  const { endedAt, status } = scan;
  if (endedAt === null || (status !== "finished" && status !== "failed")) return notFinishedPage(visit, scan);
  const ended = { ...scan, endedAt };
  return format === pdfFormat.extension ? downloadPdf(visit, ended) : downloadText(visit, ended, format);
}

function downloadText(visit: Visit, scan: EndedRecord, format: ExportFormat): Response {
  const text = fileOf(visit, scan, format);
  if (text === null) return nothingToTellPage(visit, scan, format);
  return textFileAnswer(visit, text, { name: exportFileName(scan, format.extension), mediaType: format.mediaType });
}

function downloadPdf(visit: Visit, scan: EndedRecord): Promise<Response> {
  return pdfFileAnswer(visit, fileOf(visit, scan, exportFormats.html) ?? "", exportFileName(scan, pdfFormat.extension));
}

/** JSON is indented, since a visitor reads it. */
function fileOf(visit: Visit, scan: EndedRecord, format: ExportFormat): string | null {
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
    brand: requestedBrand(visit),
  });
  return text !== null && format.extension === exportFormats.json.extension ? JSON.stringify(JSON.parse(text), null, jsonIndent) : text;
}
