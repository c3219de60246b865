/** Page of a failed scan: reason, advice and a form to try again. */
import { type ScanErrorCode, scanErrorCodes } from "../../evidence/scan.ts";
import { HostUrl } from "../../report/components/host-url.tsx";
import { Instant } from "../../report/components/instant.tsx";
import { Notice } from "../../report/components/notice.tsx";
import type { ScanRecord } from "../../store/scans.ts";
import { scanErrorMessage } from "../../text/render.ts";
import { PageHead } from "../components/page-head.tsx";
import { useVisit } from "../context.ts";
import { page } from "../page.tsx";
import { scanHost } from "../scans/host-name.ts";
import { endOf } from "../scans/scan-end.ts";
import type { Visit } from "../visit.ts";
import { mayScan } from "../visit.ts";
import { UrlForm } from "./url-form.tsx";

export function failedPage(visit: Visit, scan: ScanRecord): Response {
  const { i18n, settings } = visit;
  const title = i18n.t("failed.title", { host: scanHost(scan) });
  const code = scan.errorCode ?? "unknown";
  return page(visit, {
    title,
    noIndex: true,
    children: (
      <>
        <PageHead title={title} lead={<HostUrl url={scan.url} />} />
        <Notice kind="poor">
          <p>{scanErrorMessage(code, scan.url, i18n.locale, settings.texts)}</p>
        </Notice>
        <h2>{i18n.t("failed.nextTitle")}</h2>
        <p>{i18n.t(`failed.next.${knownCode(code)}`)}</p>
        {code === "blocked" && visit.account?.admin === true && (
          <Notice kind="info" title={i18n.t("failed.admin.title")}>
            <p>{i18n.t("failed.admin.blocked")}</p>
          </Notice>
        )}
        <RescanButton url={scan.url} />
        <p class="muted">
          {i18n.t("failed.ended")} <Instant at={endOf(scan)} />
          <br />
          {i18n.t("failed.code")} <code>{code}</code>
        </p>
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

/** A newer version may have stored a code that is unknown here. */
function knownCode(code: string): ScanErrorCode | "unknown" {
  return scanErrorCodes.find((known) => known === code) ?? "unknown";
}
