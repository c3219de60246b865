/** Routes /api/v1/scans/{token}/report.{extension}: a report as a file, one for each export format. */
import type { Catalog } from "../catalog/catalog.ts";
import type { Locale } from "../check/check.ts";
import { exportFileName } from "../export/file-name.ts";
import { type ExportFormat, exportFormats } from "../export/formats.ts";
import { storedExport } from "../export/stored-scan.ts";
import type { Store } from "../store/store.ts";
import type { Texts } from "../text/i18n.ts";
import { nothingToReport, scanNotOver } from "./errors.ts";
import { answerRendered, type EndedScan, isOver, ownScan, pollAgainSeconds } from "./own-scan.ts";
import { type RenderedBodies, withEtag } from "./rendered-bodies.ts";
import type { RequestContext } from "./request-context.ts";

export const reportFormats: readonly ExportFormat[] = Object.values(exportFormats);

/** Asked for each request: a reload replaces them. Gives the same object until then. */
export type ChecksInUse = () => { readonly texts: Texts; readonly catalog: Pick<Catalog, "checks" | "version"> };

export interface ReportFilesSettings {
  readonly store: Pick<Store, "scans" | "results" | "evidence">;
  readonly checks: ChecksInUse;
  /** Version of assay. */
  readonly version: string;
  /** Public origin of the appliance; null if not configured. Never that of a request, because files are kept for several. */
  readonly publicUrl: string | null;
}

export interface ReportFileOptions {
  readonly locale: Locale;
  readonly csv: "findings" | "checks";
  readonly strict: boolean;
}

export type ReadReportFile = (
  format: ExportFormat,
  token: string,
  options: ReportFileOptions,
  request: Request,
  requestContext: RequestContext,
) => Response;

/** @throws ApiError 404, 409 before the end of the scan and for a format that has nothing to say about it. */
export function createReportFiles({ store, checks, version, publicUrl }: ReportFilesSettings, bodies: RenderedBodies): ReadReportFile {
  function textOf({ write }: ExportFormat, scan: EndedScan, { locale, csv, strict }: ReportFileOptions): string | null {
    const { texts, catalog } = checks();
    return write([storedExport(scan, store, catalog.checks)], {
      locale,
      texts,
      checks: catalog.checks,
      version,
      origin: publicUrl,
      csvRows: csv,
      strict,
      sarifAnchor: null,
    });
  }

  return (format, token, options, request, requestContext) => {
    const scan = ownScan(store, token, requestContext);
    if (!isOver(scan)) throw scanNotOver(pollAgainSeconds);
    const { extension, mediaType } = format;
    // Evidence expires before its scan, and must not be given from the cache then.
    const hasEvidence = store.evidence.has(token);
    const key = [token, extension, options.locale, options.csv, options.strict, hasEvidence].join(" ");
    const file = bodies.get(key, () => {
      const text = textOf(format, scan, options);
      if (text === null) throw nothingToReport(extension);
      return withEtag(text, {
        "content-type": mediaType,
        "content-disposition": `attachment; filename="${exportFileName(scan, extension)}"`,
      });
    });
    return answerRendered(file, request, requestContext);
  };
}
