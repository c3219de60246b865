/** Head of a report: facts of the scan, notices, and the reason of a failure. */

import type { Evidence, ProbeFailure } from "../evidence/evidence.ts";
import { scanErrorCodes } from "../evidence/scan.ts";
import { localLocation } from "../parse/location.ts";
import { hostOf } from "../parse/site.ts";
import { scanInstead } from "../text/ledger-rows.ts";
import { scanErrorMessage } from "../text/render.ts";
import type { I18n } from "../text/translator.ts";
import { Instant, LocationFact } from "./components/labels.tsx";
import { Notice } from "./components/notice.tsx";
import { HostName, UntrustedText } from "./components/untrusted-text.tsx";
import { useDocument, useI18n } from "./context.ts";
import { failureText } from "./evidence/blocks.tsx";
import { NotCheckedLink } from "./ledger.tsx";
import type { Report } from "./report.ts";
import { addressId, areManyNotChecked } from "./score.tsx";

const titleHostCharsMax = 40;
/** Longer paths are cut in the head; the details below show the whole address. */
const pathCharsMax = 60;

/** Content of the heading. */
export function ReportTitle({ host }: { readonly host: string }) {
  const { i18n } = useDocument();
  return (
    <>
      <span class="unseen">{i18n.t("report.heading")} </span>
      <HostName host={host} />
    </>
  );
}

interface LeadProps {
  readonly url: string;
  readonly location: string;
  /** ISO 8601, UTC. */
  readonly endedAt: string;
}

export function ReportLead({ url, location, endedAt }: LeadProps) {
  const { i18n, idOf } = useDocument();
  const path = restOf(url);
  return (
    <>
      {path !== "" && (
        <>
          <UntrustedText>{path.length <= pathCharsMax ? path : `${path.slice(0, pathCharsMax)}\u2026`}</UntrustedText>
          {path.length > pathCharsMax && (
            <>
              {" "}
              <a href={`#${idOf(addressId)}`}>{i18n.t("report.wholeAddress")}</a>
            </>
          )}
          {" \u00b7 "}
        </>
      )}
      <Instant at={endedAt} relative={false} />
      <LocationFact location={location} />
    </>
  );
}

/** What the host does not say: path and query, and the whole URL if it has a port or is not https. Empty for the root page. */
function restOf(url: string): string {
  const { protocol, port, origin } = new URL(url);
  if (protocol !== "https:" || port !== "") return url;
  const path = url.slice(origin.length);
  return path === "/" ? "" : path;
}

/** Host for document titles, which tabs and bookmarks cut anyway. */
export function shortHost(url: string): string {
  const host = hostOf(url) ?? url;
  return host.length <= titleHostCharsMax ? host : `${host.slice(0, titleHostCharsMax - 1)}\u2026`;
}

/** Text at the top of every printed page. */
export function printHeader(i18n: I18n, { url, location, endedAt }: LeadProps): string {
  const facts = [shortHost(url), i18n.dateTime(endedAt), ...(location === localLocation ? [] : [i18n.t("location.of", { location })])];
  return facts.join(", ");
}

/** Document title of a report. */
export function reportTitle(i18n: I18n, url: string, score: number | null): string {
  const host = shortHost(url);
  return score === null ? i18n.t("report.titleNotMeasured", { host }) : i18n.t("report.title", { host, score });
}

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
        <Notice kind="warn" title={i18n.t("report.notices.errorPage", { status })} text={i18n.t("report.notices.errorPageMeans")} />
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
      {because !== "sign-in-required" && <p>{failureText(i18n, because)}</p>}
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

const toldByStatus: readonly ProbeFailure[] = ["client-error", "no-content", "no-location"];

function notReadTitle(because: ProbeFailure, finalStatus: number | null, i18n: I18n): string {
  if (because === "sign-in-required") return i18n.t("report.notices.signIn");
  if (toldByStatus.includes(because) && finalStatus !== null) return i18n.t("report.notices.errorPage", { status: finalStatus });
  return i18n.t("report.notices.notRead");
}

function ManyNotChecked({ report: { summary, evidence } }: { readonly report: Report }) {
  const i18n = useI18n();
  const { notChecked, total } = summary;
  // One reason for most rows is said once, by the notice about the page.
  if (!areManyNotChecked(summary) || evidence?.page.status === "failed") return null;
  return (
    <Notice kind="warn" title={i18n.count("report.notices.open", notChecked, { total })}>
      <p>
        {i18n.t("report.notices.openMeans")} <NotCheckedLink>{i18n.t("report.notices.openWhich")}</NotCheckedLink>
      </p>
    </Notice>
  );
}

interface FailureProps {
  /** URL of the scan. */
  readonly url: string;
  /** Error code, which may be unknown to this version. */
  readonly code: string;
}

export function FailureReason({ url, code }: FailureProps) {
  const { i18n, texts } = useDocument();
  const known = scanErrorCodes.find((each) => each === code) ?? "unknown";
  return (
    <>
      <Notice kind="poor" text={scanErrorMessage(code, url, i18n.locale, texts)} />
      <h2>{i18n.t("failed.nextTitle")}</h2>
      <p>{i18n.t(`failed.next.${known}`)}</p>
    </>
  );
}

export function FailureFacts({ endedAt, code }: { readonly endedAt: string } & Pick<FailureProps, "code">) {
  const { i18n } = useDocument();
  return (
    <p class="muted">
      {i18n.t("failed.ended")} <Instant at={endedAt} />
      <br />
      {i18n.t("failed.code")} <code>{code}</code>
    </p>
  );
}
