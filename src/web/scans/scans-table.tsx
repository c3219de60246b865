/** Table of finished scans. */

import { Instant, LocationMark } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { HostUrl, WholeUrl } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
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
        { label: i18n.t("scans.columns.url"), cell: (scan) => <ScanLink scan={scan} showToken /> },
        { label: i18n.t("scans.columns.score"), cell: (scan) => <Score scan={scan} /> },
        { label: i18n.t("scans.columns.time"), cell: (scan) => <Instant at={endOf(scan)} /> },
      ]}
    />
  );
}

interface OfScan {
  readonly scan: ScanRecord;
}

interface ScanLinkProps extends OfScan {
  /** Shows the token below the URL. */
  readonly showToken?: boolean;
  /** Default true: names the location of scans by workers elsewhere. */
  readonly showLocation?: boolean;
}

/** Link without the query, which is noise in a list, and may hold secrets. */
export function ScanLink({ scan, showToken = false, showLocation = true }: ScanLinkProps) {
  const i18n = useI18n();
  const { token, url } = scan;
  const { origin, pathname } = new URL(url);
  const shown = `${origin}${pathname}`;
  return (
    <>
      <a href={`/scans/${token}`}>
        <HostUrl url={shown} short />
      </a>
      {showToken && (
        <code class="break">
          <span class="unseen">{i18n.t("scans.token")} </span>
          {token}
        </code>
      )}
      {showLocation && <LocationMark location={scanLocationOf(scan)} />}
      <WholeUrl url={shown} />
    </>
  );
}

export function Score({ scan: { summary } }: OfScan) {
  return summary === null ? null : <SmallScore score={summary.score} />;
}
