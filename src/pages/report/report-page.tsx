/** The report of a finished scan: what is wrong first, then every check, then what it all rests on. */
import { type State, states } from "../../check/check.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { page } from "../answer.tsx";
import type { Visit } from "../visit.ts";
import { EvidenceSections } from "./evidence/evidence-sections.tsx";
import { Findings } from "./findings.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { ReportHead, shortHost } from "./head.tsx";
import { History } from "./history.tsx";
import { Ledger } from "./ledger.tsx";
import { Notices } from "./notices.tsx";
import { gatherReport, type Report } from "./report.ts";
import { ScoreBlock } from "./score-block.tsx";
import { Screenshot } from "./screenshot.tsx";
import { StateFilter } from "./state-filter.tsx";

/** `scan` is finished. */
export function reportPage(visit: Visit, scan: ScanRecord): Response {
  const report = gatherReport(visit, scan);
  return page(visit, {
    title: titleOf(visit, report),
    noIndex: !visit.settings.reports.indexed,
    children: <ReportBody report={report} state={stateAsked(visit)} />,
  });
}

function titleOf({ words }: Visit, { scan, result: { score } }: Report): string {
  const host = shortHost(scan.url);
  return score === null ? words.say("report.titleNotMeasured", { host }) : words.say("report.title", { host, score });
}

/** The state whose rows alone are wanted; null for all. */
function stateAsked({ url }: Visit): State | null {
  return states.find((state) => state === url.searchParams.get("state")) ?? null;
}

function ReportBody({ report, state }: { readonly report: Report; readonly state: State | null }) {
  return (
    <>
      <ReportHead report={report} />
      <ScoreBlock report={report} />
      <StateFilter report={report} state={state} place="coverage" />
      <Notices report={report} />
      <FirstSteps findings={report.findings} />
      <Findings report={report} />
      <Ledger report={report} state={state} />
      <EvidenceSections report={report} />
      <Screenshot report={report} />
      <History report={report} />
    </>
  );
}
