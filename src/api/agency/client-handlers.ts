/** Clients of the account: the names under which its sites are watched, and the report of all sites of one. */
import { usableBrand } from "../../account/usable-brand.ts";
import { locales } from "../../check/check.ts";
import { figuresOf } from "../../export/client-report/figures.ts";
import { clientReportFile } from "../../export/client-report-file.ts";
import { clientReportFileName } from "../../export/file-name.ts";
import { exportFormats, pdfFormat } from "../../export/formats.ts";
import { brandInFile } from "../../export/stored-brand.ts";
import type { Site } from "../../store/sites.ts";
import { invalidLocale } from "../errors.ts";
import { answerRendered, callingAccount } from "../own-scan.ts";
import { answerPrinted } from "../printed-pdf.ts";
import { downloadHeaders, RenderedBodies, type RenderedBody, withEtag } from "../rendered-bodies.ts";
import { type AccountRequest, answerJson, onceOrNull } from "../sites/account-request.ts";
import { recordNotFound } from "../sites/site-errors.ts";
import { type AgencyApiSettings, clientsPath } from "./agency-settings.ts";

/** Of an instant in ISO 8601, up to the hour. */
const hourChars = "2026-11-25T22".length;

export function createClientHandlers(settings: AgencyApiSettings) {
  const { store, printPdf, checks, now } = settings;
  const bodies = new RenderedBodies(checks);
  return { list, readHtml, readPdf };

  function list(given: AccountRequest): Response {
    const byClient = Map.groupBy(store.sites.list(callingAccount(given.requestContext).id), ({ client }) => client);
    const items = [...byClient].flatMap(([client, sites]) => (client === null ? [] : clientBody(client, sites)));
    return answerJson(given, 200, { items: items.toSorted((one, other) => (one.name < other.name ? -1 : 1)) });
  }

  function readHtml(given: AccountRequest): Response {
    return answerRendered(reportOf(settings, bodies, given), given.request, given.requestContext);
  }

  /** Rejects with ApiError 503 while the browser that prints is busy. */
  async function readPdf(given: AccountRequest): Promise<Response> {
    const name = clientReportFileName(given.params.name ?? "", now(), pdfFormat.extension);
    return answerPrinted(reportOf(settings, bodies, given), name, { ...given, printPdf });
  }
}

/**
 * Rendering takes a part of a second for many sites, so it is kept. What a report shows of a site changes with its row, or with the hour.
 * @throws ApiError 404 for an unknown client, 400 for an unknown locale.
 */
function reportOf(settings: AgencyApiSettings, bodies: RenderedBodies, { request, requestContext, params }: AccountRequest): RenderedBody {
  const { store, checks, version, publicUrl: origin } = settings;
  const named = onceOrNull(new URL(request.url).searchParams, "locale") ?? locales[0];
  const locale = locales.find((each) => each === named);
  if (locale === undefined) throw invalidLocale();
  const owner = callingAccount(requestContext);
  const client = params.name ?? "";
  const brand = usableBrand(store, owner) ?? null;
  const now = settings.now();
  const sites = store.sites.list(owner.id).filter((site) => site.client === client);
  const source = JSON.stringify([owner.id, client, locale, now.toISOString().slice(0, hourChars), brand, sites]);
  return bodies.get(new Bun.CryptoHasher("sha256").update(source).digest("base64"), () => {
    const { texts, catalog } = checks();
    const inFile = brand === null ? null : brandInFile(brand);
    const text = clientReportFile({ store, owner, client, locale, texts, checks: catalog.checks, version, origin, brand: inFile, now });
    if (text === null) throw recordNotFound("client");
    const { extension, mediaType } = exportFormats.html;
    return withEtag(text, downloadHeaders(mediaType, clientReportFileName(client, now, extension)));
  });
}

function clientBody(name: string, sites: readonly Site[]) {
  const { measured, ...figures } = figuresOf(sites.map((site) => ({ site, open: site.reading?.open ?? 0 })));
  const reportUrl = `${clientsPath}/${encodeURIComponent(name)}/report.pdf`;
  return { name, siteCount: sites.length, measuredCount: measured, ...figures, reportUrl };
}
