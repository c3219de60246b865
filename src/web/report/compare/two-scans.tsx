/** The two compared scans side by side, and warnings about what limits the comparison. */

import { Instant } from "../../../report/components/labels.tsx";
import { DataTable } from "../../../report/components/layout.tsx";
import { Notice } from "../../../report/components/notice.tsx";
import { SmallScore } from "../../../report/components/score-ring.tsx";
import { UntrustedText } from "../../../report/components/untrusted-text.tsx";
import { useI18n } from "../../../report/context.ts";
import type { ScanRecord } from "../../../store/scans.ts";
import { scanHost } from "../../scans/host-name.ts";
import { endOf } from "../../scans/scan-end.ts";

const urlCharsMax = 300;

export function TwoScans({ before, after }: { readonly before: ScanRecord; readonly after: ScanRecord }) {
  const i18n = useI18n();
  const scans = [
    { name: i18n.t("compare.before"), scan: before },
    { name: i18n.t("compare.after"), scan: after },
  ];
  return (
    <DataTable
      caption={i18n.t("compare.heading")}
      captionUnseen
      rows={scans}
      columns={[
        { label: i18n.t("compare.what"), cell: ({ name }) => name },
        {
          label: i18n.t("compare.measured"),
          cell: ({ scan }) => (
            <a href={`/scans/${scan.token}`}>
              <Instant at={endOf(scan)} />
            </a>
          ),
        },
        {
          label: i18n.t("compare.score"),
          cell: ({ scan: { summary } }) => <SmallScore score={summary?.score ?? null} />,
        },
        { label: i18n.t("compare.address"), cell: ({ scan }) => <UntrustedText charsMax={urlCharsMax}>{scan.url}</UntrustedText> },
      ]}
    />
  );
}

interface CompareNoticesProps {
  readonly before: ScanRecord;
  readonly after: ScanRecord;
  readonly sameRules: boolean;
}

export function CompareNotices({ before, after, sameRules }: CompareNoticesProps) {
  const i18n = useI18n();
  const sameHost = scanHost(before) === scanHost(after);
  return (
    <>
      {!sameRules && (
        <Notice kind="warn" title={i18n.t("compare.otherRules")}>
          <p>{i18n.t("compare.otherRulesMeans")}</p>
        </Notice>
      )}
      {!sameHost && (
        <Notice kind="warn" title={i18n.t("compare.otherHosts")}>
          <p>{i18n.t("compare.otherHostsMeans")}</p>
        </Notice>
      )}
      {sameHost && before.url !== after.url && (
        <Notice title={i18n.t("compare.otherUrls")}>
          <p>{i18n.t("compare.otherUrlsMeans")}</p>
        </Notice>
      )}
    </>
  );
}
