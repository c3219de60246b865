/** Notices above a report page: notices of the scan, old scan, changed catalog, newer scan, reused scan. */
import { dayMs } from "../../base/units.ts";
import { algorithmVersion } from "../../judge/result.ts";
import { Instant } from "../../report/components/labels.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { useI18n } from "../../report/context.ts";
import { ScanNotices } from "../../report/report-head.tsx";
import { sameRules } from "../../text/comparison.ts";
import { useVisit } from "../context.ts";
import { reusedScanParam } from "../scanning/scan-dedup.ts";
import { endOf } from "../scans/scan-end.ts";
import type { StoredReport } from "./stored-report.ts";

interface OfReport {
  readonly report: StoredReport;
}

export function Notices({ report }: OfReport) {
  return (
    <>
      <ScanNotices report={report} />
      <Stale report={report} />
      <OtherRules report={report} />
      <Newer report={report} />
    </>
  );
}

/** Explains that a recent scan was reused, so that its result is not mistaken for a new one. */
export function ReusedScanNotice({ report: { scan } }: OfReport) {
  const { i18n, now, url, settings } = useVisit();
  const waitSeconds = Math.ceil((Date.parse(scan.createdAt) - now.getTime()) / 1_000) + settings.config["scan.cooldown"];
  if (!url.searchParams.has(reusedScanParam) || waitSeconds <= 0) return null;
  return (
    <Notice title={i18n.t("report.notices.again")}>
      <p>{i18n.t("report.notices.againMeans", { wait: i18n.duration(waitSeconds) })}</p>
    </Notice>
  );
}

function Stale({ report: { scan } }: OfReport) {
  const { i18n, now, settings } = useVisit();
  const at = endOf(scan);
  const days = Math.floor((now.getTime() - Date.parse(at)) / dayMs);
  if (days <= settings.config["report.stale_days"]) return null;
  return (
    <Notice kind="warn" title={i18n.count("report.notices.stale", days)}>
      <p>{i18n.t("report.notices.staleMeans")}</p>
    </Notice>
  );
}

function OtherRules({ report: { result } }: OfReport) {
  const { i18n, settings } = useVisit();
  if (sameRules(result, { ...result, algorithmVersion, catalogVersion: settings.catalog.version })) return null;
  return (
    <Notice title={i18n.t("report.notices.otherRules")}>
      <p>{i18n.t("report.notices.otherRulesMeans")}</p>
    </Notice>
  );
}

function Newer({ report: { newer, scan } }: OfReport) {
  const i18n = useI18n();
  if (newer === null) return null;
  return (
    <Notice title={i18n.t(newer.url === scan.url ? "report.notices.newer" : "report.notices.newerOfHost")}>
      <p>
        <a href={`/scans/${newer.token}`}>{i18n.t("report.notices.newerRead")}</a> <Instant at={endOf(newer)} />
      </p>
    </Notice>
  );
}
