/** Screenshot of the scanned page and its own URL. */
import { screenshotType } from "../../evidence/scan.ts";
import { useI18n } from "../../report/context.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { notFound } from "../errors.ts";
import { respond } from "../response.ts";
import { endOf } from "../scans/scan-end.ts";
import type { Visit } from "../visit.ts";
import type { StoredReport } from "./stored-report.ts";

/** Screenshots never change; `private`, since only holders of the report's URL may see them. */
const cacheControl = "private, max-age=31536000, immutable";

export function Screenshot({ report: { scan, hasScreenshot, host } }: { readonly report: StoredReport }) {
  const i18n = useI18n();
  if (!hasScreenshot) return <RemovedScreenshot at={scan.removed?.screenshot} />;
  const at = i18n.dateTime(endOf(scan));
  return (
    <details class="evidence">
      <summary>
        <h2>{i18n.t("report.screenshot.heading")}</h2>
      </summary>
      <figure id="screenshot">
        <img
          class="screenshot"
          src={`/scans/${scan.token}/screenshot`}
          alt={i18n.t("report.screenshot.alt", { host, at })}
          loading="lazy"
          decoding="async"
        />
        <figcaption class="muted small">{i18n.t("report.screenshot.caption")}</figcaption>
      </figure>
    </details>
  );
}

/** Nothing if none was taken. */
function RemovedScreenshot({ at }: { readonly at: string | undefined }) {
  const i18n = useI18n();
  return at === undefined ? null : <p class="muted small">{i18n.t("report.screenshot.removed", { at: i18n.dateTime(at) })}</p>;
}

/** @throws PageError 404 if no screenshot was taken. */
export function screenshotAnswer(visit: Visit, { token }: ScanRecord): Response {
  const picture = visit.settings.store.screenshots.find(token);
  if (picture === undefined) throw notFound();
  return respond(visit, 200, new Uint8Array(picture), { "content-type": screenshotType, "cache-control": cacheControl });
}
