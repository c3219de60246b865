/** Routes /api/v1/scans/{token}/report.{extension}: a report as a file, one for each export format, and as PDF. */
import { usableBrand } from "../account/usable-brand.ts";
import type { PrintPdf } from "../base/documents.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Locale } from "../check/check.ts";
import { exportFileName } from "../export/file-name.ts";
import { type ExportFormat, exportFormats, pdfFormat } from "../export/formats.ts";
import { brandInFile } from "../export/stored-brand.ts";
import { storedExport } from "../export/stored-scan.ts";
import type { StoredBrand } from "../store/site-accounts.ts";
import type { Store } from "../store/store.ts";
import type { Texts } from "../text/i18n.ts";
import { brandNotFound, nothingToReport, scanNotOver } from "./errors.ts";
import { answerRendered, callingAccount, type EndedScan, isOver, ownScan, pollAgainSeconds } from "./own-scan.ts";
import { answerPrinted } from "./printed-pdf.ts";
import { downloadHeaders, type RenderedBodies, type RenderedBody, withEtag } from "./rendered-bodies.ts";
import type { RequestContext } from "./request-context.ts";
import type { fileBrands } from "./schemas.ts";

export const reportFormats: readonly ExportFormat[] = Object.values(exportFormats);

/** Asked for each request: a reload replaces them. Gives the same object until then. */
export type ChecksInUse = () => { readonly texts: Texts; readonly catalog: Pick<Catalog, "checks" | "version"> };

export interface ReportFilesSettings {
  readonly store: Pick<Store, "scans" | "results" | "evidence" | "brands">;
  readonly checks: ChecksInUse;
  /** Version of assay. */
  readonly version: string;
  /** Public origin of the appliance; null if not configured. Never that of a request, because files are kept for several. */
  readonly publicUrl: string | null;
  readonly printPdf: PrintPdf;
}

export interface ReportFileOptions {
  readonly locale: Locale;
  readonly csv: "findings" | "checks";
  readonly strict: boolean;
  readonly brand: (typeof fileBrands)[number];
}

/** Whose report is asked for, and how. */
interface ReportRequest {
  readonly token: string;
  readonly options: ReportFileOptions;
  readonly request: Request;
  readonly requestContext: RequestContext;
}

/** One address of report files. */
interface ReportFile {
  readonly extension: string;
  /**
   * @throws ApiError 404; 409 before the end of the scan, without a brand, and for a format that has nothing to say.
   * A PDF rejects with ApiError 503 while the browser that prints is busy.
   */
  read(given: ReportRequest): Response | Promise<Response>;
}

export function createReportFiles(settings: ReportFilesSettings, bodies: RenderedBodies): readonly ReportFile[] {
  const { store, checks, version, publicUrl, printPdf } = settings;

  function endedScan({ token, requestContext }: ReportRequest): EndedScan {
    const scan = ownScan(store, token, requestContext);
    if (!isOver(scan)) throw scanNotOver(pollAgainSeconds);
    return scan;
  }

  function fileOf(format: ExportFormat, scan: EndedScan, { options, requestContext }: ReportRequest): RenderedBody {
    const { locale, csv, strict } = options;
    const { extension, mediaType, write } = format;
    const brand = options.brand === "own" ? ownBrand(store, requestContext) : null;
    // Evidence expires before its scan, and must not be given from the cache then.
    const hasEvidence = store.evidence.has(scan.token);
    const key = [scan.token, extension, locale, csv, strict, hasEvidence, brand === null ? "" : brandKey(brand)].join(" ");
    return bodies.get(key, () => {
      const { texts, catalog } = checks();
      const text = write([storedExport(scan, store, catalog.checks)], {
        locale,
        texts,
        checks: catalog.checks,
        version,
        origin: publicUrl,
        csvRows: csv,
        strict,
        sarifAnchor: null,
        brand: brand === null ? null : brandInFile(brand),
      });
      if (text === null) throw nothingToReport(extension);
      return withEtag(text, downloadHeaders(mediaType, exportFileName(scan, extension)));
    });
  }

  const asText = (format: ExportFormat): ReportFile => ({
    extension: format.extension,
    read: (given) => answerRendered(fileOf(format, endedScan(given), given), given.request, given.requestContext),
  });
  const asPdf: ReportFile = {
    extension: pdfFormat.extension,
    read: async (given) => {
      const scan = endedScan(given);
      const name = exportFileName(scan, pdfFormat.extension);
      return answerPrinted(fileOf(exportFormats.html, scan, given), name, { ...given, printPdf });
    },
  };
  return [...reportFormats.map(asText), asPdf];
}

/** @throws ApiError 409 without one. */
export function ownBrand({ brands }: Pick<Store, "brands">, requestContext: RequestContext): StoredBrand {
  const brand = usableBrand({ brands }, callingAccount(requestContext));
  if (brand === undefined) throw brandNotFound(409);
  return brand;
}

/** The brand of an account may change at any time, unlike a scan that is over. */
function brandKey(brand: StoredBrand): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(brand)).digest("base64");
}
