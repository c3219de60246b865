/** Head of a report: host, address and time of the scan; actions and picture beside the verdict. */

import { HostName } from "../../report/components/host-url.tsx";
import { Instant } from "../../report/components/instant.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { addressId } from "../../report/score-details.tsx";
import type { ScanRecord } from "../../store/scans.ts";
import type { I18n } from "../../text/translator.ts";
import { PageHead } from "../components/page-head.tsx";
import { useVisit } from "../context.ts";
import { ScanAgain } from "../scanning/scan-again.tsx";
import { hostPath, scanHost } from "../scans/host-name.ts";
import { endOf } from "../scans/scan-end.ts";
import { publicOrigin } from "../visit.ts";
import { PrintChoice } from "./print-choice.tsx";
import type { StoredReport } from "./stored-report.ts";

const titleHostCharsMax = 40;
/** Longer paths are cut in the head; the details below show the whole address. */
const pathCharsMax = 60;

export function ReportHead({ report: { scan, host } }: { readonly report: StoredReport }) {
  const i18n = useI18n();
  const path = restOf(scan.url);
  return (
    <PageHead
      breadcrumbs={breadcrumbsTo(scan, i18n)}
      title={
        <>
          <span class="unseen">{i18n.t("report.heading")} </span>
          <HostName host={host} />
        </>
      }
      lead={
        <>
          {path !== "" && (
            <>
              <UntrustedText>{path.length <= pathCharsMax ? path : `${path.slice(0, pathCharsMax)}\u2026`}</UntrustedText>
              {path.length > pathCharsMax && (
                <>
                  {" "}
                  <a href={`#${addressId}`}>{i18n.t("report.wholeAddress")}</a>
                </>
              )}
              {" \u00b7 "}
            </>
          )}
          <Instant at={endOf(scan)} relative={false} />
        </>
      }
    />
  );
}

/** What the host does not say: path and query, and the whole URL if it has a port or is not https. Empty for the root page. */
function restOf(url: string): string {
  const { protocol, port, origin } = new URL(url);
  if (protocol !== "https:" || port !== "") return url;
  const path = url.slice(origin.length);
  return path === "/" ? "" : path;
}

/** Breadcrumbs of a report and of a comparison. */
export function breadcrumbsTo(scan: ScanRecord, i18n: I18n) {
  const host = scanHost(scan);
  return [
    { href: "/scans", text: i18n.t("report.trail") },
    { href: hostPath(host), text: host },
  ];
}

/** Host for document titles, which tabs and bookmarks cut anyway. */
export function shortHost(url: string): string {
  const host = scanHost({ url });
  return host.length <= titleHostCharsMax ? host : `${host.slice(0, titleHostCharsMax - 1)}\u2026`;
}

/** Small picture of the page and what one can do with the report. */
export function ReportAside({ report: { scan, host, hasScreenshot } }: { readonly report: StoredReport }) {
  const i18n = useI18n();
  return (
    <div class="report-aside">
      {hasScreenshot && (
        <a class="thumbnail" href="#screenshot">
          <img src={`/scans/${scan.token}/screenshot`} alt={i18n.t("report.screenshot.thumbnail", { host })} decoding="async" />
        </a>
      )}
      <div class="actions">
        <ScanAgain url={scan.url}>{i18n.t("report.actions.rescan")}</ScanAgain>
        <Share scan={scan} />
      </div>
    </div>
  );
}

function Share({ scan: { token } }: { readonly scan: ScanRecord }) {
  const visit = useVisit();
  const { i18n } = visit;
  const path = `/scans/${token}`;
  return (
    <details class="menu">
      <summary class="button">{i18n.t("report.actions.share")}</summary>
      <div>
        <label for="report-address">{i18n.t("report.actions.link")}</label>
        <input type="text" id="report-address" value={`${publicOrigin(visit)}${path}`} readonly />
        <button type="button" data-copy="#report-address" data-copied={i18n.t("report.actions.copied")} hidden>
          {i18n.t("report.actions.copyLink")}
        </button>
        <PrintChoice />
        <button type="button" data-print hidden>
          {i18n.t("report.actions.print")}
        </button>
        <a href={`${path}.json`} download>
          {i18n.t("report.actions.json")}
        </a>
      </div>
    </details>
  );
}
