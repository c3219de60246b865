/** Page of a failed scan: reason, advice and a form to try again. */
import { Notice } from "../../report/components/notice.tsx";
import { FailureFacts, FailureReason } from "../../report/report-head.tsx";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { PageHead } from "../components/page-head.tsx";
import { useVisit } from "../context.ts";
import { page } from "../page.tsx";
import { UrlForm } from "../scans/form.tsx";
import { scanHost } from "../scans/host-name.ts";
import { endOf } from "../scans/scan-end.ts";
import { mayScan, type Visit } from "../visit.ts";
import { ScanAddress } from "./scan-address.tsx";

export function failedPage(visit: Visit, scan: ScanRecord): Response {
  const { i18n } = visit;
  const title = i18n.t("failed.title", { host: scanHost(scan) });
  const code = scan.errorCode ?? "unknown";
  return page(visit, {
    title,
    noIndex: true,
    children: (
      <>
        <PageHead title={title} lead={<ScanAddress scan={scan} />} />
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
      <UrlForm typed={scan.url} location={scanLocationOf(scan)} label="failed.url" submit="failed.start" />
    </section>
  );
}
