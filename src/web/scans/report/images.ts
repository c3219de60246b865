/** Images of a report: the picture of its link preview, and the screenshot of the scanned page. */

import { screenshotType } from "../../../evidence/scan.ts";
import { scoreText } from "../../../report/components/score-ring.tsx";
import { reportTitle, shortHost } from "../../../report/report-head.tsx";
import { meaningOf } from "../../../report/score.tsx";
import { listedScoreOf } from "../../../store/scan-record.ts";
import type { ScanRecord } from "../../../store/scans.ts";
import { capitalised, createI18n, type I18n } from "../../../text/translator.ts";
import { notFound } from "../../errors.ts";
import type { PageContent } from "../../page.tsx";
import { sharePicture, sharePictureSize } from "../../picture/share-picture.ts";
import { respond } from "../../response.ts";
import type { SharedVisit, Visit } from "../../visit.ts";
import { endOf, scanHost } from "../list-query.ts";
import type { StoredReport } from "./stored-report.ts";

/** Language of the picture; `locale` would also choose the language of the visitor. */
const localeParam = "in";
/** A finished scan never changes; another release may draw it differently. */
const pictureCacheControl = "public, max-age=86400";
const retrySeconds = 5;

/** Preview of a report where its link is posted: description and picture. */
export function linkPreview({ i18n }: SharedVisit, report: StoredReport): Pick<PageContent, "description" | "picture"> {
  const { scan } = report;
  const result = listedScoreOf(scan.summary);
  const host = shortHost(scan.url);
  return {
    description: `${reportTitle(i18n, scan.url, result.score)}. ${i18n.t(meaningOf(report))}`,
    picture: {
      path: `/scans/${scan.token}/image.png?${localeParam}=${i18n.locale}`,
      alt: `${host}: ${scoreText(i18n, result)}`,
      type: "image/png",
      ...sharePictureSize,
    },
  };
}

/** @throws PageError 404 for a scan that is not finished. */
export async function shareImageAnswer(visit: Visit, scan: ScanRecord): Promise<Response> {
  if (scan.status !== "finished") throw notFound();
  const { texts, config, pictures } = visit.settings;
  const locale = texts.locales.find((each) => each === visit.url.searchParams.get(localeParam)) ?? config["locale.default"];
  const svg = pictureOf(scan, createI18n(texts, locale));
  const png = await pictures.pngOf(svg, sharePictureSize.widthPx);
  if (typeof png === "string")
    return respond(visit, 503, null, { "cache-control": "no-store", "content-type": "text/plain", "retry-after": String(retrySeconds) });
  // Shown by pages of other sites, which is its purpose.
  const headers = { "content-type": "image/png", "cache-control": pictureCacheControl, "cross-origin-resource-policy": "cross-origin" };
  return respond(visit, 200, new Uint8Array(png), headers);
}

function pictureOf(scan: ScanRecord, i18n: I18n): string {
  const { score, rank } = listedScoreOf(scan.summary);
  const verdict = score === null ? i18n.t("components.score.notMeasured") : i18n.rank(rank);
  const texts = { verdict: capitalised(verdict, i18n), of: i18n.t("components.score.of"), at: i18n.date(endOf(scan)) };
  return sharePicture({ score, rank, host: scanHost(scan), texts });
}

/** Screenshots never change; `private`, since only holders of the URL of a report or proof may see them. */
const screenshotCacheControl = "private, max-age=31536000, immutable";

export function screenshotAnswer(visit: Visit, { token }: ScanRecord): Response {
  return screenshotOrNotFound(visit, visit.settings.store.screenshots.find(token));
}

/** @throws PageError 404 if no screenshot was taken. */
export function screenshotOrNotFound(visit: Visit, picture: Uint8Array | undefined): Response {
  if (picture === undefined) throw notFound();
  return respond(visit, 200, new Uint8Array(picture), { "content-type": screenshotType, "cache-control": screenshotCacheControl });
}
