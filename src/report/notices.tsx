/** Notices above a report that follow from the scan itself: error page, other host, many checks not run. */
import type { Evidence, ProbeFailure } from "../evidence/evidence.ts";
import { hostOf } from "../parse/site.ts";
import { scanInstead } from "../text/ledger-rows.ts";
import type { I18n } from "../text/translator.ts";
import { Notice } from "./components/notice.tsx";
import { UntrustedText } from "./components/untrusted-text.tsx";
import { useDocument, useI18n } from "./context.ts";
import { failureText } from "./evidence/reading-texts.ts";
import { NotCheckedLink } from "./ledger.tsx";
import { areManyNotChecked } from "./meaning.ts";
import type { Report } from "./report.ts";

/** Client and server errors start here (RFC 9110 section 15). */
const errorStatusMin = 400;

export function ScanNotices({ report }: { readonly report: Report }) {
  return (
    <>
      {report.evidence !== null && <PageNotices evidence={report.evidence} host={report.host} />}
      <ManyNotChecked report={report} />
    </>
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
  const { i18n, texts, hrefOf } = useDocument();
  const instead = scanInstead(because, i18n.locale, texts);
  const visitsHref = hrefOf("/about#visits");
  return (
    <Notice kind="warn" title={notReadTitle(because, finalStatus, i18n)}>
      <p>
        {failureText(i18n, because)} {i18n.t("report.notices.notReadMeans")}
      </p>
      {instead !== null && (
        <p>
          {instead}
          {visitsHref !== null && mayBeRefused.includes(because) && (
            <>
              {" "}
              <a href={visitsHref}>{i18n.t("report.notices.challengedHow")}</a>
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
        {i18n.t("report.notices.openMeans")} <NotCheckedLink>{i18n.t("report.notices.openWhich")}</NotCheckedLink>
      </p>
    </Notice>
  );
}
