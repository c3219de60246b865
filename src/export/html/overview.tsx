/** Table of the scans in a file. */
import { severities } from "../../check/check.ts";
import { Instant, SeverityChip } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { HostUrl } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { ExportedScan } from "../export.ts";
import { overviewId, reportId } from "./scan-report.tsx";

interface OverviewProps {
  readonly title: string;
  /** In the order of the reports below. */
  readonly rows: readonly ListedScan[];
  /** How many reports the file may have; null if it has all. */
  readonly reportsMax: number | null;
}

interface ListedScan {
  readonly exported: ExportedScan;
  /** Of the ids of the report. */
  readonly prefix: string;
  readonly hasReport: boolean;
}

export function Overview({ title, rows, reportsMax }: OverviewProps) {
  const i18n = useI18n();
  const failed = rows.filter(({ exported }) => exported.result === null).length;
  return (
    <section aria-labelledby={overviewId}>
      <div class="page-head">
        <div>
          <h1 id={overviewId}>{title}</h1>
          <p class="lead">
            {i18n.t("report.file.lead")} {failed > 0 && i18n.count("report.file.failedCount", failed)}
          </p>
          {reportsMax !== null && <p>{i18n.t("report.file.reportsCut", { max: reportsMax })}</p>}
        </div>
      </div>
      <DataTable
        caption={i18n.t("report.file.table")}
        captionUnseen
        rows={rows}
        columns={[
          { label: i18n.t("report.file.address"), cell: ReportLink },
          { label: i18n.t("report.file.score"), cell: Score },
          { label: i18n.t("report.file.findings"), cell: Findings },
          { label: i18n.t("failed.ended"), cell: ({ exported }) => <Instant at={exported.scan.endedAt} day /> },
        ]}
      />
    </section>
  );
}

function ReportLink({ exported, prefix, hasReport }: ListedScan) {
  const address = <HostUrl url={exported.scan.url} short />;
  return hasReport ? <a href={`#${prefix}${reportId}`}>{address}</a> : address;
}

function Score({ exported: { result } }: ListedScan) {
  const i18n = useI18n();
  if (result === null) return <span class="poor">{i18n.t("report.file.failed")}</span>;
  return <SmallScore score={result.score} />;
}

/** Counts by severity. */
function Findings({ exported: { result } }: ListedScan) {
  const i18n = useI18n();
  if (result === null) return null;
  const bySeverity = Map.groupBy(result.findings, ({ severity }) => severity);
  if (bySeverity.size === 0) return <>{i18n.t("report.file.none")}</>;
  return (
    <>
      {severities.map((severity) => {
        const count = bySeverity.get(severity)?.length ?? 0;
        return count === 0 ? null : (
          <span key={severity}>
            <SeverityChip severity={severity} count={count} />{" "}
          </span>
        );
      })}
    </>
  );
}
