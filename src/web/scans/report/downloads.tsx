/** `/scans/{token}.{extension}`: the report of a scan as a file, one for each export format, and as PDF; and 409 pages in place of files. */

import { type PrintedForm, printedForms, storedExport } from "../../../export/export.ts";
import { type ExportFormat, exportFileName, exportFormats, pdfFormat } from "../../../export/formats.ts";
import type { ScanRecord } from "../../../store/scans.ts";
import { requestedBrand } from "../../agency/usable-brands.ts";
import { LinkButton, type PageText, textOf } from "../../components/forms.tsx";
import { EmptyState } from "../../components/sections.tsx";
import { pdfUnavailable } from "../../errors.ts";
import { page } from "../../page.tsx";
import { compressedBody, type ResponseHeaders, respond } from "../../response.ts";
import { publicOrigin, type Visit } from "../../visit.ts";

const conflict = 409;
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
  const detail = visit.url.searchParams.get("detail");
  const printed = printedForms.find((form) => form === detail) ?? "short";
  return pdfFileAnswer(visit, fileOf(visit, scan, exportFormats.html, printed) ?? "", exportFileName(scan, pdfFormat.extension));
}

/** JSON is indented, since a visitor reads it. */
function fileOf(visit: Visit, scan: EndedRecord, format: ExportFormat, printed: PrintedForm = "full"): string | null {
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
    printed,
  });
  return text !== null && format.extension === exportFormats.json.extension ? JSON.stringify(JSON.parse(text), null, jsonIndent) : text;
}

/** A text as a download. `name`: of letters, digits, dots, hyphens and underscores. */
export function textFileAnswer(visit: Visit, text: string, file: { readonly name: string; readonly mediaType: string }): Response {
  const { body, compressed } = compressedBody(visit, text);
  return respond(visit, 200, body, {
    ...fileHeaders(file.name, file.mediaType),
    vary: "Accept-Encoding, Accept-Language, Cookie",
    ...(compressed ? { "content-encoding": "gzip" } : {}),
  });
}

/** An HTML file printed as PDF. The promise is rejected with PageError 503 without a PDF. */
export async function pdfFileAnswer(visit: Visit, html: string, name: string): Promise<Response> {
  const pdf = await visit.settings.printPdf(html);
  if (typeof pdf === "string") throw pdfUnavailable();
  return respond(visit, 200, pdf, { ...fileHeaders(name, pdfFormat.mediaType), vary: "Accept-Language, Cookie" });
}

function fileHeaders(name: string, mediaType: string): ResponseHeaders {
  return { "content-type": mediaType, "content-disposition": `attachment; filename="${name}"`, "cache-control": "private, no-cache" };
}

/** 409 for requests that need a finished scan. */
export function notFinishedPage(visit: Visit, scan: ScanRecord): Response {
  return conflictPage(visit, scan, {
    title: "report.notFinished.title",
    what: "report.notFinished.what",
    link: "report.notFinished.link",
  });
}

function nothingToTellPage(visit: Visit, scan: ScanRecord, { extension }: ExportFormat): Response {
  return conflictPage(visit, scan, {
    title: "report.downloads.nothing.title",
    what: ({ i18n }) => i18n.t("report.downloads.nothing.what", { extension: `.${extension}` }),
    link: "report.downloads.nothing.link",
  });
}

/** 409 for two locations: what a location sees can differ without a change of the site. */
export function otherLocationPage(visit: Visit, scan: ScanRecord): Response {
  return conflictPage(visit, scan, { title: "compare.otherLocation", what: "compare.otherLocationMeans", link: "compare.back" });
}

/** `what` explains the conflict, `link` leads to the scan. */
function conflictPage(visit: Visit, { token }: ScanRecord, texts: Readonly<Record<"title" | "what" | "link", PageText>>): Response {
  return page(visit, {
    title: textOf(visit, texts.title),
    status: conflict,
    noIndex: true,
    head: {},
    children: (
      <EmptyState title={textOf(visit, texts.what)}>
        <div class="actions">
          <LinkButton href={`/scans/${token}`} text={texts.link} />
        </div>
      </EmptyState>
    ),
  });
}
