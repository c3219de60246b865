/** Page of a failed scan: reason, advice and a form to try again. */
import { HostUrl } from "../../report/components/host-url.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { FailureFacts, FailureReason } from "../../report/failure.tsx";
import type { ScanRecord } from "../../store/scans.ts";
import { PageHead } from "../components/page-head.tsx";
import { useVisit } from "../context.ts";
import { page } from "../page.tsx";
import { scanHost } from "../scans/host-name.ts";
import { endOf } from "../scans/scan-end.ts";
import type { Visit } from "../visit.ts";
import { mayScan } from "../visit.ts";
import { UrlForm } from "./url-form.tsx";

export function failedPage(visit: Visit, scan: ScanRecord): Response {
  const { i18n } = visit;
  const title = i18n.t("failed.title", { host: scanHost(scan) });
  const code = scan.errorCode ?? "unknown";
  return page(visit, {
    title,
    noIndex: true,
    children: (
      <>
        <PageHead title={title} lead={<HostUrl url={scan.url} />} />
        <FailureReason url={scan.url} code={code} />
        {code === "blocked" && visit.account?.admin === true && (
          <Notice kind="info" title={i18n.t("failed.admin.title")}>
            <p>{i18n.t("failed.admin.blocked")}</p>
          </Notice>
        )}
        <RescanButton url={scan.url} />
        <FailureFacts endedAt={endOf(scan)} code={code} />
      </>
    ),
  });
}

/** Hidden from visitors who may not scan: they would only reach the sign-in page. */
function RescanButton({ url }: { readonly url: string }) {
  const visit = useVisit();
  const { i18n } = visit;
  if (!mayScan(visit)) return null;
  return (
    <section>
      <h2>{i18n.t("failed.again")}</h2>
      <UrlForm typed={url} label={i18n.t("failed.url")} button={i18n.t("failed.start")} />
    </section>
  );
}
