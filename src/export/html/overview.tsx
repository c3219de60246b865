/** Table of the reports in a file. */
import { severities } from "../../check/check.ts";
import { SeverityChip } from "../../report/components/chips.tsx";
import { HostUrl } from "../../report/components/host-url.tsx";
import { Instant } from "../../report/components/instant.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { DataTable } from "../../report/components/table.tsx";
import { useI18n } from "../../report/context.ts";
import type { ExportedScan } from "../export.ts";
import { overviewId, reportId } from "./scan-report.tsx";

interface OverviewProps {
  readonly title: string;
  /** In the order of the reports below. */
  readonly reports: readonly ListedReport[];
}

interface ListedReport {
  readonly exported: ExportedScan;
  /** Of the ids of the report. */
  readonly prefix: string;
}

export function Overview({ title, reports }: OverviewProps) {
  const i18n = useI18n();
  const failed = reports.filter(({ exported }) => exported.result === null).length;
  return (
    <section aria-labelledby={overviewId}>
      <div class="page-head">
        <div>
          <h1 id={overviewId}>{title}</h1>
          <p class="lead">
            {i18n.t("report.file.lead")} {failed > 0 && i18n.count("report.file.failedCount", failed)}
          </p>
        </div>
      </div>
      <DataTable
        caption={i18n.t("report.file.table")}
        captionUnseen
        rows={reports}
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

function ReportLink({ exported, prefix }: ListedReport) {
  return (
    <a href={`#${prefix}${reportId}`}>
      <HostUrl url={exported.scan.url} short />
    </a>
  );
}

function Score({ exported: { result } }: ListedReport) {
  const i18n = useI18n();
  if (result === null) return <span class="poor">{i18n.t("report.file.failed")}</span>;
  return <SmallScore score={result.score} />;
}

/** Counts by severity. */
function Findings({ exported: { result } }: ListedReport) {
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
