/** Head of a report: host, address and time of the scan; actions and picture beside the verdict. */
import { type ExportFormat, exportFormats } from "../../../export/formats.ts";
import { plainUntrustedText } from "../../../report/components/untrusted-text.tsx";
import { useI18n } from "../../../report/context.ts";
import { ReportLead, ReportTitle } from "../../../report/report-head.tsx";
import { scanLocationOf } from "../../../store/scan-location.ts";
import type { ScanRecord } from "../../../store/scans.ts";
import { type BrandChoice, brandQuery } from "../../agency/usable-brands.ts";
import { PageHead } from "../../components/navigation.tsx";
import { useVisit } from "../../context.ts";
import { publicOrigin, type SharedVisit } from "../../visit.ts";
import { ScanAgain } from "../form.tsx";
import { endOf, hostPath, scanHost } from "../list-query.ts";
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

interface ReportAsideProps {
  readonly report: StoredReport;
  /** Brands that the visitor may use. */
  readonly brands: readonly BrandChoice[];
}

/** Small picture of the page and what one can do with the report. */
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
        <ScanAgain scan={scan} submit="report.actions.rescan" />
        <Share scan={scan} />
        <Downloads token={scan.token} brands={brands} />
      </div>
    </div>
  );
}

/** Browsers keep one of the menus with this name open. */
const menusName = "report-menus";

function Share({ scan: { token } }: { readonly scan: ScanRecord }) {
  const visit = useVisit();
  const { i18n } = visit;
  const path = `/scans/${token}`;
  return (
    <details class="menu" name={menusName}>
      <summary class="button">{i18n.t("report.actions.share")}</summary>
      <div>
        <label for="report-address">{i18n.t("report.actions.link")}</label>
        <input type="text" id="report-address" value={`${publicOrigin(visit)}${path}`} readonly />
        <button type="button" data-copy="#report-address" data-copied={i18n.t("report.actions.copied")} hidden>
          {i18n.t("report.actions.copyLink")}
        </button>
        {/* What a printed report holds: the summary and the serious findings, or everything. The style sheet reads the choice by its id. */}
        <label class="print-choice">
          <input type="checkbox" id="print-all" /> {i18n.t("report.print.all")}
        </label>
        <button type="button" data-print hidden>
          {i18n.t("report.actions.print")}
        </button>
      </div>
    </details>
  );
}

/** Formats that have a brand. */
const brandedFormats = ["pdf", "html"] as const;

/** Menu of the files of a report: PDF, and one for each export format. */
function Downloads({ token, brands }: Pick<ReportAsideProps, "brands"> & Pick<ScanRecord, "token">) {
  const { i18n, settings } = useVisit();
  return (
    <details class="menu" name={menusName}>
      <summary class="button">{i18n.t("report.downloads.button")}</summary>
      <div>
        <ul class="plain">
          {Object.entries<Pick<ExportFormat, "extension">>({ pdf: { extension: "pdf" }, ...exportFormats }).map(([name, { extension }]) => (
            <li key={name}>
              <a href={`/scans/${token}.${extension}`} download>
                {settings.texts.translate(i18n.locale, ["pages", "report", "downloads", "formats", name]) ?? `.${extension}`}
              </a>
            </li>
          ))}
          {brands.flatMap((brand) =>
            brandedFormats.map((format) => (
              <li key={`${format} ${brand.value}`}>
                <a href={`/scans/${token}.${format}${brandQuery(brand)}`} download>
                  {i18n.t(`brand.downloads.${format}`, { brand: plainUntrustedText(brand.name) })}
                </a>
              </li>
            )),
          )}
        </ul>
      </div>
    </details>
  );
}
