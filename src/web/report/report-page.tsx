/** Report page of a finished scan: findings first, then the ledger, then the evidence. */
import type { ScanRecord } from "../../store/scans.ts";
import { page } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { EvidenceSections } from "./evidence/evidence-sections.tsx";
import { Findings } from "./findings.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { ReportHead, shortHost } from "./head.tsx";
import { History } from "./history.tsx";
import { Ledger } from "./ledger.tsx";
import { Notices, ReusedScanNotice } from "./notices.tsx";
import { gatherReport, type Report } from "./report.ts";
import { ScoreBlock } from "./score-block.tsx";
import { Screenshot } from "./screenshot.tsx";
import { type LedgerFilter, ledgerFilterOf, StateFilter } from "./state-filter.tsx";

/** `scan` must be finished. */
export function reportPage(visit: Visit, scan: ScanRecord): Response {
  const report = gatherReport(visit, scan);
  return page(visit, {
    title: titleOf(visit, report),
    noIndex: !visit.settings.reports.indexed,
    children: <ReportBody report={report} filter={ledgerFilterOf(visit)} />,
  });
}

function titleOf({ i18n }: Visit, { scan, result: { score } }: Report): string {
  const host = shortHost(scan.url);
  return score === null ? i18n.t("report.titleNotMeasured", { host }) : i18n.t("report.title", { host, score });
}

function ReportBody({ report, filter }: { readonly report: Report; readonly filter: LedgerFilter }) {
  return (
    <>
      <ReusedScanNotice report={report} />
      <ReportHead report={report} />
      <ScoreBlock report={report} />
      <StateFilter report={report} filter={filter} place="coverage" />
      <Notices report={report} />
      <FirstSteps findings={report.findings} />
      <Findings report={report} />
      <Ledger report={report} filter={filter} />
      <EvidenceSections report={report} />
      <Screenshot report={report} />
      <History report={report} />
    </>
  );
}
