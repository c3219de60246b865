/** 409 page for requests that need a finished scan. */
import type { ScanRecord } from "../../store/scans.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { PageHead } from "../components/page-head.tsx";
import { page } from "../page.tsx";
import type { Visit } from "../visit.ts";

const conflict = 409;

export function notFinishedPage(visit: Visit, { token }: ScanRecord): Response {
  const { i18n } = visit;
  const title = i18n.t("report.notFinished.title");
  return page(visit, {
    title,
    status: conflict,
    noIndex: true,
    children: (
      <>
        <PageHead title={title} />
        <EmptyState title={i18n.t("report.notFinished.what")}>
          <div class="actions">
            <a class="button" href={`/scans/${token}`}>
              {i18n.t("report.notFinished.link")}
            </a>
          </div>
        </EmptyState>
      </>
    ),
  });
}
