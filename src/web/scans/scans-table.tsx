/** Table of finished scans. */

import type { ScanRecord } from "../../store/scans.ts";
import { HostUrl } from "../components/host-url.tsx";
import { Instant } from "../components/instant.tsx";
import { SmallScore } from "../components/score-ring.tsx";
import { Row, RowGroup, Table } from "../components/table.tsx";
import { useI18n } from "../context.ts";
import { endOf } from "./scan-end.ts";

interface ScansTableProps {
  /** Same as the heading above it: only for screen readers. */
  readonly caption: string;
  readonly scans: readonly ScanRecord[];
}

export function ScansTable({ caption, scans }: ScansTableProps) {
  const i18n = useI18n();
  const columns = [
    { label: i18n.t("scans.columns.url") },
    { label: i18n.t("scans.columns.score") },
    { label: i18n.t("scans.columns.time") },
    { label: i18n.t("scans.columns.token") },
  ];
  return (
    <Table caption={caption} captionUnseen columns={columns}>
      <RowGroup>
        {scans.map((scan) => (
          <Row key={scan.token} cells={[<ScanLink scan={scan} />, <Score scan={scan} />, <Ended scan={scan} />, <Token scan={scan} />]} />
        ))}
      </RowGroup>
    </Table>
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

function Ended({ scan }: OfScan) {
  return <Instant at={endOf(scan)} />;
}

function Token({ scan: { token } }: OfScan) {
  return <code class="break">{token}</code>;
}
