/** `/clients/{name}/report.html` and `.pdf`: the report of all sites of a client, with the brand of their owner. */
import { usableBrand } from "../../account/brand-operations.ts";
import { clientReportFile } from "../../export/client-report/client-report.tsx";
import { brandInFile } from "../../export/export.ts";
import { clientReportFileName, exportFormats, pdfFormat } from "../../export/formats.ts";
import { notFound } from "../errors.ts";
import type { GetFor } from "../guards.ts";
import { pdfFileAnswer, textFileAnswer } from "../report/downloads.tsx";
import { publicOrigin, type Visit } from "../visit.ts";
import type { SiteAccess } from "./site-access.ts";

export const getClientReportHtml: GetFor<"members"> = (visit, access, client) => {
  const { extension, mediaType } = exportFormats.html;
  return textFileAnswer(visit, fileOf(visit, access, client), { name: nameOf(visit, client, extension), mediaType });
};

export const getClientReportPdf: GetFor<"members"> = (visit, access, client) =>
  pdfFileAnswer(visit, fileOf(visit, access, client), nameOf(visit, client, pdfFormat.extension));

/** @throws PageError 404 for an unknown client; null means invalid percent-encoding. */
function fileOf(visit: Visit, { owner }: SiteAccess, client: string | null): string {
  const { i18n, settings, now } = visit;
  const { store, texts, catalog, version } = settings;
  const brand = usableBrand(store, owner);
  const text =
    client === null
      ? null
      : clientReportFile({
          ...{ store, owner, client, locale: i18n.locale, texts, checks: catalog.checks, version, now },
          origin: publicOrigin(visit),
          brand: brand === undefined ? null : brandInFile(brand),
        });
  if (text === null) throw notFound();
  return text;
}

function nameOf({ now }: Visit, client: string | null, extension: string): string {
  return clientReportFileName(client ?? "", now, extension);
}
