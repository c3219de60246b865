/** Report page of a finished scan: the verdict, then the findings, the ledger and the evidence. */

import { EvidenceSections } from "../../report/evidence/sections.tsx";
import { FirstSteps } from "../../report/findings.tsx";
import { printHeader, reportTitle } from "../../report/report-head.tsx";
import { ScoreDetails } from "../../report/score.tsx";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { type BrandChoice, brandChoices } from "../account/brand/account-brands.ts";
import type { PageContent } from "../page.tsx";
import { cachedPage } from "../page-cache.ts";
import { endOf } from "../scans/scan-end.ts";
import type { SharedVisit, Visit } from "../visit.ts";
import { type FindingFilter, findingFilterOf } from "./finding-filter.tsx";
import { Findings } from "./findings.tsx";
import { ReportAside, ReportHead } from "./head.tsx";
import { History } from "./history.tsx";
import { Ledger } from "./ledger.tsx";
import { Notices, ReusedScanNotice } from "./notices.tsx";
import { NotPrinted } from "./print-choice.tsx";
import { reportCacheKey } from "./report-cache-key.ts";
import { Screenshot } from "./screenshot.tsx";
import { serverChoiceId } from "./server-choice.tsx";
import { linkPreview } from "./share-image.ts";
import { type LedgerFilter, ledgerFilterOf } from "./state-filter.tsx";
import { gatherReport, type StoredReport } from "./stored-report.ts";
import { StoredVerdict } from "./stored-verdict.tsx";

/** `scan` must be finished. */
export function reportPage(visit: Visit, scan: ScanRecord): Response {
  const { key, ...cached } = reportCacheKey(visit, scan);
  // The content cannot read the account. Each set of brands has a cached page of its own.
  const brands = brandChoices(visit);
  return cachedPage(visit, { ...cached, key: [...key, JSON.stringify(brands)], content: (shared) => reportContent(shared, scan, brands) });
}

function reportContent(visit: SharedVisit, scan: ScanRecord, brands: readonly BrandChoice[]): PageContent {
  const report = gatherReport(visit, scan);
  return {
    title: reportTitle(visit.i18n, scan.url, report.result.score),
    noIndex: !visit.settings.config["report.index"],
    printHeader: printHeader(visit.i18n, { url: scan.url, location: scanLocationOf(scan), endedAt: endOf(scan) }),
    ...linkPreview(visit, report),
    children: <ReportBody report={report} brands={brands} findingFilter={findingFilterOf(visit)} ledgerFilter={ledgerFilterOf(visit)} />,
  };
}

interface ReportBodyProps {
  readonly report: StoredReport;
  readonly brands: readonly BrandChoice[];
  readonly findingFilter: FindingFilter;
  readonly ledgerFilter: LedgerFilter;
}

function ReportBody({ report, brands, findingFilter, ledgerFilter }: ReportBodyProps) {
  return (
    <>
      <ReusedScanNotice report={report} />
      <ReportHead report={report} />
      <div class="report-top">
        <StoredVerdict report={report} />
        <FirstSteps findings={report.findings} linesId={serverChoiceId} />
        <ReportAside report={report} brands={brands} />
      </div>
      <Notices report={report} />
      <ScoreDetails report={report} />
      <Findings report={report} filter={findingFilter} />
      <NotPrinted />
      <Ledger report={report} filter={ledgerFilter} />
      <EvidenceSections report={report} />
      <Screenshot report={report} />
      <History report={report} />
    </>
  );
}
