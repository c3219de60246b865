/** Report page of a finished scan: the verdict, then the findings, the ledger and the evidence. */
import type { ScanRecord } from "../../store/scans.ts";
import { keptPage } from "../kept-page.ts";
import type { PageContent } from "../page.tsx";
import { endOf } from "../scans/scan-end.ts";
import type { Visit } from "../visit.ts";
import { EvidenceSections } from "./evidence/evidence-sections.tsx";
import { type FindingFilter, findingFilterOf } from "./finding-filter.tsx";
import { Findings } from "./findings.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { ReportAside, ReportHead, shortHost } from "./head.tsx";
import { History } from "./history.tsx";
import { keptReport } from "./kept-report.ts";
import { Ledger } from "./ledger.tsx";
import { Notices, ReusedScanNotice } from "./notices.tsx";
import { NotPrinted } from "./print-choice.tsx";
import { gatherReport, type Report } from "./report.ts";
import { ScoreDetails } from "./score-details.tsx";
import { Screenshot } from "./screenshot.tsx";
import { linkPreview } from "./share-image.ts";
import { type LedgerFilter, ledgerFilterOf } from "./state-filter.tsx";
import { ReportVerdict } from "./verdict.tsx";

/** `scan` must be finished. */
export function reportPage(visit: Visit, scan: ScanRecord): Response {
  return keptPage(visit, { ...keptReport(visit, scan), content: (shared) => reportContent(shared, scan) });
}

function reportContent(visit: Visit, scan: ScanRecord): PageContent {
  const report = gatherReport(visit, scan);
  return {
    title: titleOf(visit, report),
    noIndex: !visit.settings.reports.indexed,
    printHeader: `${shortHost(scan.url)}, ${visit.i18n.dateTime(endOf(scan))}`,
    ...linkPreview(visit, report),
    children: <ReportBody report={report} findingFilter={findingFilterOf(visit)} ledgerFilter={ledgerFilterOf(visit)} />,
  };
}

function titleOf({ i18n }: Visit, { scan, result: { score } }: Report): string {
  const host = shortHost(scan.url);
  return score === null ? i18n.t("report.titleNotMeasured", { host }) : i18n.t("report.title", { host, score });
}

interface ReportBodyProps {
  readonly report: Report;
  readonly findingFilter: FindingFilter;
  readonly ledgerFilter: LedgerFilter;
}

function ReportBody({ report, findingFilter, ledgerFilter }: ReportBodyProps) {
  return (
    <>
      <ReusedScanNotice report={report} />
      <ReportHead report={report} />
      <div class="report-top">
        <ReportVerdict report={report} />
        <FirstSteps findings={report.findings} />
        <ReportAside report={report} />
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
