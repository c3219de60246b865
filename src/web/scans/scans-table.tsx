/** Table of finished scans. */
import type { ScanRecord } from "../../store/scans.ts";
import { HostUrl } from "../components/host-url.tsx";
import { Instant } from "../components/instant.tsx";
import { SmallScore } from "../components/score-ring.tsx";
import { DataTable } from "../components/table.tsx";
import { useI18n } from "../context.ts";
import { endOf } from "./scan-end.ts";

interface ScansTableProps {
  /** Same as the heading above it: only for screen readers. */
  readonly caption: string;
  readonly scans: readonly ScanRecord[];
}

export function ScansTable({ caption, scans }: ScansTableProps) {
  const i18n = useI18n();
  return (
    <DataTable
      caption={caption}
      captionUnseen
      rows={scans}
      columns={[
        { label: i18n.t("scans.columns.url"), cell: (scan) => <ScanLink scan={scan} /> },
        { label: i18n.t("scans.columns.score"), cell: (scan) => <Score scan={scan} /> },
        { label: i18n.t("scans.columns.time"), cell: (scan) => <Instant at={endOf(scan)} /> },
        { label: i18n.t("scans.columns.token"), cell: ({ token }) => <code class="break">{token}</code> },
      ]}
    />
  );
}

interface OfScan {
  readonly scan: ScanRecord;
}

/** Link without the query, which is noise in a list. */
export function ScanLink({ scan: { token, url } }: OfScan) {
  const { origin, pathname } = new URL(url);
  return (
    <a href={`/scans/${token}`}>
      <HostUrl url={`${origin}${pathname}`} />
    </a>
  );
}

export function Score({ scan: { summary } }: OfScan) {
  return summary === null ? null : <SmallScore score={summary.score} band={summary.band} />;
}
