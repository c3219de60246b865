/** 409 pages: a scan that is not over, a format that has nothing to say, a comparison of two locations. */
import type { ExportFormat } from "../../export/formats.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { PageHead } from "../components/page-head.tsx";
import { page } from "../page.tsx";
import type { Visit } from "../visit.ts";

const conflict = 409;

/** For requests that need a finished scan. */
export function notFinishedPage(visit: Visit, scan: ScanRecord): Response {
  const { i18n } = visit;
  return conflictPage(visit, scan, {
    title: i18n.t("report.notFinished.title"),
    what: i18n.t("report.notFinished.what"),
    link: i18n.t("report.notFinished.link"),
  });
}

export function nothingToTellPage(visit: Visit, scan: ScanRecord, { extension }: ExportFormat): Response {
  const { i18n } = visit;
  return conflictPage(visit, scan, {
    title: i18n.t("report.downloads.nothing.title"),
    what: i18n.t("report.downloads.nothing.what", { extension: `.${extension}` }),
    link: i18n.t("report.downloads.nothing.link"),
  });
}

/** What a location sees can differ without a change of the site. */
export function otherLocationPage(visit: Visit, scan: ScanRecord): Response {
  const { i18n } = visit;
  return conflictPage(visit, scan, {
    title: i18n.t("compare.otherLocation"),
    what: i18n.t("compare.otherLocationMeans"),
    link: i18n.t("compare.back"),
  });
}

interface ConflictTexts {
  readonly title: string;
  readonly what: string;
  /** Path of the scan. */
  readonly link: string;
}

function conflictPage(visit: Visit, { token }: ScanRecord, { title, what, link }: ConflictTexts): Response {
  return page(visit, {
    title,
    status: conflict,
    noIndex: true,
    children: (
      <>
        <PageHead title={title} />
        <EmptyState title={what}>
          <div class="actions">
            <a class="button" href={`/scans/${token}`}>
              {link}
            </a>
          </div>
        </EmptyState>
      </>
    ),
  });
}
