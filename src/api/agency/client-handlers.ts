/** Clients of the account: the names under which its sites are watched, and the report of all sites of one. */
import { usableBrand } from "../../account/usable-brand.ts";
import { locales } from "../../check/check.ts";
import { clientReportFile } from "../../export/client-report-file.ts";
import { clientReportFileName } from "../../export/file-name.ts";
import { exportFormats, pdfFormat } from "../../export/formats.ts";
import { brandInFile } from "../../export/stored-brand.ts";
import type { Site } from "../../store/sites.ts";
import { invalidLocale } from "../errors.ts";
import { answerRendered, callingAccount } from "../own-scan.ts";
import { answerPrinted } from "../printed-pdf.ts";
import { downloadHeaders, type RenderedBody, withEtag } from "../rendered-bodies.ts";
import { type AccountRequest, answerJson, onceOrNull } from "../sites/account-request.ts";
import { recordNotFound } from "../sites/site-errors.ts";
import { type AgencyApiSettings, clientsPath } from "./agency-settings.ts";

export function createClientHandlers(settings: AgencyApiSettings) {
  const { store, printPdf, now } = settings;
  return { list, readHtml, readPdf };

  function list(given: AccountRequest): Response {
    const byClient = Map.groupBy(store.sites.list(callingAccount(given.requestContext).id), ({ client }) => client);
    const items = [...byClient].flatMap(([client, sites]) => (client === null ? [] : clientBody(client, sites)));
    return answerJson(given, 200, { items: items.toSorted((one, other) => (one.name < other.name ? -1 : 1)) });
  }

  function readHtml(given: AccountRequest): Response {
    return answerRendered(reportOf(settings, given), given.request, given.requestContext);
  }

  /** Rejects with ApiError 503 while the browser that prints is busy. */
  async function readPdf(given: AccountRequest): Promise<Response> {
    const name = clientReportFileName(given.params.name ?? "", now(), pdfFormat.extension);
    return answerPrinted(reportOf(settings, given), name, { ...given, printPdf });
  }
}

/** @throws ApiError 404 for an unknown client, 400 for an unknown locale. */
function reportOf(
  { store, checks, version, publicUrl, now }: AgencyApiSettings,
  { request, requestContext, params }: AccountRequest,
): RenderedBody {
  const named = onceOrNull(new URL(request.url).searchParams, "locale") ?? locales[0];
  const locale = locales.find((each) => each === named);
  if (locale === undefined) throw invalidLocale();
  const owner = callingAccount(requestContext);
  const brand = usableBrand(store, owner);
  const client = params.name ?? "";
  const { texts, catalog } = checks();
  const text = clientReportFile({
    ...{ store, owner, client, locale, texts, checks: catalog.checks, version, now: now() },
    origin: publicUrl,
    brand: brand === undefined ? null : brandInFile(brand),
  });
  if (text === null) throw recordNotFound("client");
  const { extension, mediaType } = exportFormats.html;
  return withEtag(text, downloadHeaders(mediaType, clientReportFileName(client, now(), extension)));
}

function clientBody(name: string, sites: readonly Site[]) {
  const readings = sites.flatMap(({ reading }) => reading ?? []);
  return {
    name,
    siteCount: sites.length,
    measuredCount: readings.length,
    score: readings.length === 0 ? null : Math.min(...readings.map(({ score }) => score)),
    open: readings.length === 0 ? null : readings.reduce((sum, { open }) => sum + open, 0),
    certificateExpiresAt: readings.flatMap(({ certificateExpiresAt }) => certificateExpiresAt ?? []).sort()[0] ?? null,
    reportUrl: `${clientsPath}/${encodeURIComponent(name)}/report.pdf`,
  };
}
