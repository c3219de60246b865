/** Head of a report: host, address and time of the scan; actions and picture beside the verdict. */
import { useI18n } from "../../report/context.ts";
import { ReportLead, ReportTitle } from "../../report/report-head.tsx";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { BrandChoice } from "../account/brand/account-brands.ts";
import { PageHead } from "../components/page-head.tsx";
import { useVisit } from "../context.ts";
import { ScanAgain } from "../scanning/scan-again.tsx";
import { hostPath, scanHost } from "../scans/host-name.ts";
import { endOf } from "../scans/scan-end.ts";
import { publicOrigin, type SharedVisit } from "../visit.ts";
import { Downloads } from "./downloads.tsx";
import { PrintChoice } from "./print-choice.tsx";
import type { StoredReport } from "./stored-report.ts";

export function ReportHead({ report: { scan, host } }: { readonly report: StoredReport }) {
  return (
    <PageHead
      breadcrumbs={breadcrumbsTo(scan, useVisit())}
      title={<ReportTitle host={host} />}
      lead={<ReportLead url={scan.url} location={scanLocationOf(scan)} endedAt={endOf(scan)} />}
    />
  );
}

/** Breadcrumbs of a report and of a comparison. */
export function breadcrumbsTo(scan: ScanRecord, { i18n, settings }: SharedVisit) {
  const host = scanHost(scan);
  return [
    { href: "/scans", text: i18n.t(`visibility.${settings.config.readers}.scans`) },
    { href: hostPath(host, { location: scanLocationOf(scan) }), text: host },
  ];
}

/** Small picture of the page and what one can do with the report. */
interface ReportAsideProps {
  readonly report: StoredReport;
  /** Brands that the visitor may use. */
  readonly brands: readonly BrandChoice[];
}

export function ReportAside({ report: { scan, host, hasScreenshot }, brands }: ReportAsideProps) {
  const i18n = useI18n();
  return (
    <div class="report-aside">
      {hasScreenshot && (
        <a class="thumbnail" href="#screenshot">
          <img src={`/scans/${scan.token}/screenshot`} alt={i18n.t("report.screenshot.thumbnail", { host })} decoding="async" />
        </a>
      )}
      <div class="actions">
        <ScanAgain scan={scan}>{i18n.t("report.actions.rescan")}</ScanAgain>
        <Share scan={scan} />
        <Downloads token={scan.token} brands={brands} />
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
      </div>
    </details>
  );
}
