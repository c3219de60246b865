/** `/scans/{token}` in every state of a scan: report, progress, or the reason of the failure. */
import { Notice } from "../../report/components/notice.tsx";
import { FailureFacts, FailureReason } from "../../report/report-head.tsx";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { useVisit } from "../context.ts";
import { scanNotFoundPage } from "../errors.ts";
import { page } from "../page.tsx";
import { respond } from "../response.ts";
import type { PagesSettings } from "../settings.ts";
import { mayScan, type PageHandler, type Visit } from "../visit.ts";
import { UrlForm } from "./form.tsx";
import { endOf, scanHost } from "./list-query.ts";
import { type DownloadFormat, downloadReport, formatOf } from "./report/downloads.tsx";
import { createReportPage } from "./report/report-page.tsx";
import { stateOf } from "./state.ts";
import { ScanAddress, waitingPage } from "./waiting.tsx";

/** Finds the scan that the path names. @throws PageError 404 without one. */
export function onScan(answer: (visit: Visit, scan: ScanRecord) => Response | Promise<Response>): PageHandler {
  return (visit, token) => answer(visit, scanOf(visit, token));
}

/** The router cannot distinguish `/scans/{token}.json` from `/scans/{token}`. A token has no dot. */
export function createGetReport(settings: PagesSettings): PageHandler {
  const reportPage = createReportPage(settings);
  return (visit, name) => {
    const { token, format } = fileOf(name);
    if (format !== undefined) return downloadReport(visit, scanOf(visit, token), format);
    const scan = scanOf(visit, name);
    if (scan.status === "finished") return reportPage(visit, scan);
    return scan.status === "failed" ? failedPage(visit, scan) : waitingPage(visit, scan);
  };
}

export function isDownload(name: string | null): boolean {
  return fileOf(name).format !== undefined;
}

function fileOf(name: string | null): { readonly token: string; readonly format: DownloadFormat | undefined } {
  const [, token = "", extension = ""] = /^([^.]*)\.(.*)$/.exec(name ?? "") ?? [];
  return { token, format: formatOf(extension) };
}

/** @throws PageError 404 for every unknown token; null means invalid percent-encoding. */
function scanOf({ settings: { store } }: Visit, token: string | null): ScanRecord {
  const scan = store.scans.findByToken(token ?? "");
  if (scan === undefined) throw scanNotFoundPage();
  return scan;
}

/** JSON state for scripts that receive no events. */
export function stateAnswer(visit: Visit, scan: ScanRecord): Response {
  return respond(visit, 200, JSON.stringify(stateOf(visit, scan)), { "content-type": "application/json", "cache-control": "no-store" });
}

function failedPage(visit: Visit, scan: ScanRecord): Response {
  const { i18n } = visit;
  const code = scan.errorCode ?? "unknown";
  return page(visit, {
    title: i18n.t("failed.title", { host: scanHost(scan) }),
    noIndex: true,
    head: { lead: <ScanAddress scan={scan} /> },
    children: (
      <>
        <FailureReason url={scan.url} code={code} />
        {code === "blocked" && visit.account?.admin === true && (
          <Notice kind="info" title={i18n.t("failed.admin.title")}>
            <p>{i18n.t("failed.admin.blocked")}</p>
          </Notice>
        )}
        <RescanButton scan={scan} />
        <FailureFacts endedAt={endOf(scan)} code={code} />
      </>
    ),
  });
}

/** Hidden from visitors who may not scan: they would only reach the sign-in page. */
function RescanButton({ scan }: { readonly scan: ScanRecord }) {
  const visit = useVisit();
  const { i18n } = visit;
  if (!mayScan(visit)) return null;
  return (
    <section>
      <h2>{i18n.t("failed.again")}</h2>
      <UrlForm values={{ url: scan.url, location: scanLocationOf(scan) }} label="failed.url" submit="failed.start" />
    </section>
  );
}
