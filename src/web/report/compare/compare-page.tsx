/** `/scans/{token}/compare`: changes from the earlier to the later of two scans. */
import type { StoredFinding } from "../../../judge/result.ts";
import { shortHost } from "../../../report/report-head.tsx";
import { scanLocationOf } from "../../../store/scan-location.ts";
import type { ScanRecord } from "../../../store/scans.ts";
import { type Comparison, compareResults } from "../../../text/comparison.ts";
import { textsOfFinding } from "../../../text/render.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { scanNotFoundPage } from "../../errors.ts";
import { page } from "../../page.tsx";
import { ScanAgain } from "../../scanning/scan-again.tsx";
import type { Visit } from "../../visit.ts";
import { breadcrumbsTo } from "../head.tsx";
import { notFinishedPage, otherLocationPage } from "../no-download.tsx";
import { comparableTo, earlierScans, resultOf } from "../stored-report.ts";
import { ComparisonBody } from "./comparison-body.tsx";

/**
 * `?with=previous` (the default) or `?with={token}`. Answers 409 if either scan is unfinished, or if they are from two locations.
 * @throws PageError 404 for an unknown token.
 */
export function comparePage(visit: Visit, scan: ScanRecord): Response {
  const other = otherScan(visit, scan);
  const unfinished = [scan, other].find((each) => each !== null && each.status !== "finished");
  if (unfinished !== undefined && unfinished !== null) return notFinishedPage(visit, unfinished);
  if (other === null) return nothingToCompare(visit, scan);
  if (scanLocationOf(scan) !== scanLocationOf(other)) return otherLocationPage(visit, scan);
  const [before, after] = scan.id < other.id ? [scan, other] : [other, scan];
  return page(visit, {
    title: visit.i18n.t("compare.title", { host: shortHost(after.url) }),
    noIndex: !visit.settings.config["report.index"],
    children: <ComparisonBody before={before} after={after} requested={scan} comparison={compare(visit, before, after)} />,
  });
}

function otherScan(visit: Visit, scan: ScanRecord): ScanRecord | null {
  const partner = visit.url.searchParams.get("with") ?? "previous";
  if (partner === "previous") {
    return comparableTo(scan, earlierScans(visit, scan));
  }
  const other = visit.settings.store.scans.findByToken(partner);
  if (other === undefined) throw scanNotFoundPage();
  return other;
}

/** Compares findings by their rendered text, both with the URL of the later scan, since readers see nothing else. */
function compare(visit: Visit, before: ScanRecord, after: ScanRecord): Comparison {
  const texts = new Map<StoredFinding, string>();
  const textOf = (finding: StoredFinding) => {
    const known = texts.get(finding);
    if (known !== undefined) return known;
    const { title, detail } = textsOfFinding(finding, after.url, visit.i18n.locale, visit.settings.texts);
    texts.set(finding, `${title}\n${detail}`);
    return `${title}\n${detail}`;
  };
  return compareResults(resultOf(visit, before), resultOf(visit, after), (one, other) => textOf(one) === textOf(other));
}

function nothingToCompare(visit: Visit, scan: ScanRecord): Response {
  const { i18n } = visit;
  return page(visit, {
    title: i18n.t("compare.noEarlier"),
    noIndex: true,
    children: (
      <>
        <PageHead breadcrumbs={breadcrumbsTo(scan, visit)} title={i18n.t("compare.heading")} />
        <EmptyState title={i18n.t("compare.noEarlier")}>
          <p>{i18n.t("compare.noEarlierMeans")}</p>
          <div class="actions">
            <ScanAgain scan={scan}>{i18n.t("compare.rescan")}</ScanAgain>
            <a class="button" href={`/scans/${scan.token}`}>
              {i18n.t("compare.back")}
            </a>
          </div>
        </EmptyState>
      </>
    ),
  });
}
