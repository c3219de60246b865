/** Newest scans of the same host as chart and table, and the closing note of every report. */

import { Ago, Instant } from "../../report/components/labels.tsx";
import { DataTable, Details } from "../../report/components/layout.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { HostUrl, WholeUrl } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { hostPath } from "../scans/host-name.ts";
import { endOf } from "../scans/scan-end.ts";
import { ScoreHistory } from "../scans/score-history.tsx";
import type { StoredReport } from "./stored-report.ts";

interface OfReport {
  readonly report: StoredReport;
}

export function History({ report }: OfReport) {
  const { host, history } = report;
  const i18n = useI18n();
  return (
    <section aria-labelledby="history">
      <h2 id="history">{i18n.t("report.history.heading", { host })}</h2>
      {history.length < 2 ? <p>{i18n.t("report.history.only")}</p> : <HistoryOfHost report={report} />}
      <p>
        <a href={hostPath(host, { location: scanLocationOf(report.scan) })}>{i18n.t("report.history.all", { host })}</a>
      </p>
      <p class="muted">
        {i18n.t("report.noLegalStatement")} <a href="/about">{i18n.t("report.about")}</a>
      </p>
    </section>
  );
}

function HistoryOfHost({ report: { scan, host, history } }: OfReport) {
  const i18n = useI18n();
  return (
    <>
      <ScoreHistory source={{ host, location: scanLocationOf(scan) }} scans={history} chosen={null} current={scan.token} />
      <Details summary={i18n.t("report.history.table")}>
        <DataTable
          caption={i18n.t("report.history.heading", { host })}
          captionUnseen
          rows={history}
          columns={[
            { label: i18n.t("report.history.when"), cell: (other) => <When scan={other} current={other.token === scan.token} /> },
            {
              label: i18n.t("report.history.score"),
              cell: ({ summary }) => <SmallScore score={summary?.score ?? null} />,
            },
            { label: i18n.t("report.history.address"), cell: ({ url }) => <Address url={url} /> },
            {
              label: i18n.t("report.history.compare"),
              unseen: true,
              cell: (other) =>
                other.token === scan.token ? null : (
                  <a
                    href={`/scans/${scan.token}/compare?with=${other.token}`}
                    aria-label={i18n.t("report.history.compareWith", { at: i18n.dateTime(endOf(other)) })}
                  >
                    {i18n.t("report.history.compare")}
                  </a>
                ),
            },
          ]}
        />
      </Details>
    </>
  );
}

function Address({ url }: Pick<ScanRecord, "url">) {
  return (
    <>
      <HostUrl url={url} short />
      <WholeUrl url={url} />
    </>
  );
}

function When({ scan, current }: { readonly scan: ScanRecord; readonly current: boolean }) {
  const i18n = useI18n();
  const at = endOf(scan);
  if (current) {
    return (
      <>
        <Instant at={at} relative={false} /> <strong>{i18n.t("report.history.this")}</strong>
      </>
    );
  }
  return (
    <>
      <a href={`/scans/${scan.token}`}>
        <Instant at={at} relative={false} />
      </a>{" "}
      <Ago at={at} />
    </>
  );
}
