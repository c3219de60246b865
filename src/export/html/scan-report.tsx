/** Report of one scan in a file. */
import type { StoredResult } from "../../judge/result.ts";
import { localLocation } from "../../parse/location.ts";
import { LocationFact } from "../../report/components/labels.tsx";
import { HostUrl } from "../../report/components/untrusted-text.tsx";
import { useDocument } from "../../report/context.ts";
import { EvidenceSections } from "../../report/evidence/sections.tsx";
import { AllLines, FindingRows, FindingsSection, FirstSteps, findingsId } from "../../report/findings.tsx";
import { LedgerSection } from "../../report/ledger.tsx";
import { composeReport, isOpen, type Report } from "../../report/report.ts";
import { FailureFacts, FailureReason, ReportLead, ReportTitle, ScanNotices, shortHost } from "../../report/report-head.tsx";
import { ReportVerdict, ScoreDetails } from "../../report/score.tsx";
import { serverLabel } from "../../text/servers/server-lines.ts";
import type { ExportedScan } from "../export.ts";

/** Element id of the heading of a report. */
export const reportId = "report";
/** Element id of the table of all reports. */
export const overviewId = "overview";

interface ScanReportProps {
  readonly exported: ExportedScan;
  /** The report is one of several below a table. */
  readonly overview?: boolean;
}

export function ScanReport({ exported, overview = false }: ScanReportProps) {
  const { i18n, idOf } = useDocument();
  const { result } = exported;
  const content = result === null ? <FailedScan exported={exported} /> : <FinishedScan exported={exported} result={result} />;
  if (!overview) return content;
  return (
    <article aria-labelledby={idOf(reportId)}>
      {content}
      <p class="screen-only">
        <a href={`#${overviewId}`}>{i18n.t("report.file.back")}</a>
      </p>
    </article>
  );
}

function locationOf({ scan }: ExportedScan): string {
  return scan.location ?? localLocation;
}

function FailedScan({ exported }: Pick<ScanReportProps, "exported">) {
  const { scan } = exported;
  const { i18n, idOf } = useDocument();
  const code = scan.errorCode ?? "unknown";
  return (
    <>
      <div class="page-head">
        <div>
          <h1 id={idOf(reportId)}>{i18n.t("failed.title", { host: shortHost(scan.url) })}</h1>
          <p class="lead">
            <HostUrl url={scan.url} />
            <LocationFact location={locationOf(exported)} />
          </p>
        </div>
      </div>
      <FailureReason url={scan.url} code={code} />
      <FailureFacts endedAt={scan.endedAt} code={code} />
    </>
  );
}

interface FinishedScanProps {
  readonly exported: ExportedScan;
  readonly result: StoredResult;
}

function FinishedScan({ exported, result }: FinishedScanProps) {
  const document = useDocument();
  const { evidence, timings, marks } = exported;
  const scan = { url: exported.scan.url, startedAt: null, endedAt: exported.scan.endedAt };
  const report = composeReport({ scan, result, evidence, timings, marks, serverPreference: null, earlier: [], allServers: true }, document);
  return (
    <>
      <div class="page-head">
        <div>
          <h1 id={document.idOf(reportId)}>
            <ReportTitle host={report.host} />
          </h1>
          <p class="lead">
            <ReportLead url={scan.url} location={locationOf(exported)} endedAt={scan.endedAt} />
          </p>
        </div>
      </div>
      <div class="report-top">
        <ReportVerdict report={report}>
          <MarkCounts report={report} />
        </ReportVerdict>
        <FirstSteps findings={report.findings} linesId={findingsId} />
      </div>
      <ScanNotices report={report} />
      <ScoreDetails report={report} />
      <FindingsSection report={report}>
        {report.findings.length > 0 && <ServerOfLines report={report} />}
        <AllLines report={report} />
        <FindingRows report={report} findings={report.findings} />
      </FindingsSection>
      <LedgerSection report={report} />
      <EvidenceSections report={report} />
      <p class="muted small">
        {document.i18n.t("report.file.rules", { algorithm: result.algorithmVersion, catalog: result.catalogVersion })}
      </p>
    </>
  );
}

/** Which server the open lines are for, as a file has no choice. */
function ServerOfLines({ report: { server } }: { readonly report: Report }) {
  const { i18n } = useDocument();
  if (server.name === "explain") return null;
  const text = server.guessed ? "report.file.linesGuessed" : "report.file.linesDefault";
  return <p class="muted screen-only">{i18n.t(text, { server: serverLabel(server.name) })}</p>;
}

/** How many findings are accepted, and how many are new since the baseline. */
function MarkCounts({ report: { findings } }: { readonly report: Report }) {
  const { i18n } = useDocument();
  const accepted = findings.filter((finding) => !isOpen(finding)).length;
  const fresh = findings.filter(({ mark }) => mark?.inBaseline === false).length;
  return (
    <>
      {fresh > 0 && <p>{i18n.count("report.marks.newCount", fresh)}</p>}
      {accepted > 0 && <p>{i18n.count("report.marks.acceptedCount", accepted)}</p>}
    </>
  );
}
