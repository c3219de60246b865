/** Notices above a report: error page, other host, old scan, changed catalog, many checks not run. */
import type { Evidence, ProbeFailure } from "../../evidence/evidence.ts";
import { algorithmVersion } from "../../judge/result.ts";
import { hostOf } from "../../parse/site.ts";
import { sameRules } from "../../text/comparison.ts";
import { scanInstead } from "../../text/unread.ts";
import { Instant } from "../components/instant.tsx";
import { Notice } from "../components/notice.tsx";
import { UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n, useVisit } from "../context.ts";
import type { I18n } from "../i18n.ts";
import { reusedScanParam } from "../scanning/scan-dedup.ts";
import { endOf } from "../scans/scan-end.ts";
import { failureText } from "./evidence/reading-texts.ts";
import { areManyNotChecked } from "./meaning.ts";
import type { Report } from "./report.ts";

/** Client and server errors start here (RFC 9110 section 15). */
const errorStatusMin = 400;
const dayMs = 86_400_000;

export function Notices({ report }: { readonly report: Report }) {
  return (
    <>
      {report.evidence !== null && <PageNotices evidence={report.evidence} host={report.host} />}
      <ManyNotChecked report={report} />
      <Stale report={report} />
      <OtherRules report={report} />
      <Newer report={report} />
    </>
  );
}

/** Explains that a recent scan was reused, so that its result is not mistaken for a new one. */
export function ReusedScanNotice({ report: { scan } }: { readonly report: Report }) {
  const { i18n, now, url, settings } = useVisit();
  const waitSeconds = Math.ceil((Date.parse(scan.createdAt) - now.getTime()) / 1_000) + settings.scanning.cooldownSeconds;
  if (!url.searchParams.has(reusedScanParam) || waitSeconds <= 0) return null;
  return (
    <Notice title={i18n.t("report.notices.again")}>
      <p>{i18n.t("report.notices.againMeans", { wait: i18n.duration(waitSeconds) })}</p>
    </Notice>
  );
}

function PageNotices({ evidence: { page, navigation }, host }: { readonly evidence: Evidence; readonly host: string }) {
  const i18n = useI18n();
  const finalStatus = navigation.status === "read" ? navigation.facts.finalStatus : null;
  const finalHost = navigation.status === "read" ? hostOf(navigation.facts.finalUrl) : null;
  const status = page.status === "read" ? page.facts.status : null;
  return (
    <>
      {page.status === "failed" && <NotRead because={page.because} finalStatus={finalStatus} />}
      {status !== null && status >= errorStatusMin && (
        <Notice kind="warn" title={i18n.t("report.notices.errorPage", { status })}>
          <p>{i18n.t("report.notices.errorPageMeans")}</p>
        </Notice>
      )}
      {finalHost !== null && finalHost !== host && (
        <Notice title={i18n.t("report.notices.otherHost")}>
          <p>
            <UntrustedText>{host}</UntrustedText> <span aria-hidden="true">&rarr;</span> <UntrustedText>{finalHost}</UntrustedText>
          </p>
          <p>{i18n.t("report.notices.otherHostMeans")}</p>
        </Notice>
      )}
    </>
  );
}

function NotRead({ because, finalStatus }: { readonly because: ProbeFailure; readonly finalStatus: number | null }) {
  const { i18n, settings } = useVisit();
  const instead = scanInstead(because, i18n.locale, settings.texts);
  return (
    <Notice kind="warn" title={notReadTitle(because, finalStatus, i18n)}>
      <p>
        {failureText(i18n, because)} {i18n.t("report.notices.notReadMeans")}
      </p>
      {instead !== null && (
        <p>
          {instead}
          {mayBeRefused.includes(because) && (
            <>
              {" "}
              <a href="/about#visits">{i18n.t("report.notices.challengedHow")}</a>
            </>
          )}
        </p>
      )}
    </Notice>
  );
}

/** Failures that may come from a rule against this appliance. */
const mayBeRefused: readonly ProbeFailure[] = ["challenged", "client-error"];

function notReadTitle(because: ProbeFailure, finalStatus: number | null, i18n: I18n): string {
  if (because === "sign-in-required") return i18n.t("report.notices.signIn");
  if (because === "client-error" && finalStatus !== null) return i18n.t("report.notices.errorPage", { status: finalStatus });
  return i18n.t("report.notices.notRead");
}

function ManyNotChecked({ report: { summary } }: { readonly report: Report }) {
  const i18n = useI18n();
  const { notChecked, total } = summary;
  if (!areManyNotChecked(summary)) return null;
  return (
    <Notice kind="warn" title={i18n.count("report.notices.open", notChecked, { total })}>
      <p>
        {i18n.t("report.notices.openMeans")} <a href="?state=notChecked#ledger">{i18n.t("report.notices.openWhich")}</a>
      </p>
    </Notice>
  );
}

function Stale({ report: { scan } }: { readonly report: Report }) {
  const { i18n, now, settings } = useVisit();
  const at = endOf(scan);
  const days = Math.floor((now.getTime() - Date.parse(at)) / dayMs);
  if (days <= settings.reports.staleDays) return null;
  return (
    <Notice kind="warn" title={i18n.count("report.notices.stale", days)}>
      <p>{i18n.t("report.notices.staleMeans")}</p>
    </Notice>
  );
}

function OtherRules({ report: { result } }: { readonly report: Report }) {
  const { i18n, settings } = useVisit();
  if (sameRules(result, { ...result, algorithmVersion, catalogVersion: settings.catalog.version })) return null;
  return (
    <Notice title={i18n.t("report.notices.otherRules")}>
      <p>{i18n.t("report.notices.otherRulesMeans")}</p>
    </Notice>
  );
}

function Newer({ report: { newer, scan } }: { readonly report: Report }) {
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
