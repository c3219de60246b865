/** The two scans of a comparison side by side, and what has to be known before they are compared. */

import { hostOf } from "../../../evidence/subject.ts";
import type { ScanRecord } from "../../../store/scans.ts";
import { Foreign } from "../../components/foreign.tsx";
import { Instant } from "../../components/instant.tsx";
import { Notice } from "../../components/notice.tsx";
import { SmallScore } from "../../components/score-ring.tsx";
import { Row, RowGroup, Table } from "../../components/table.tsx";
import { useWords } from "../../context.ts";
import { endOf } from "../../scans/scan-end.ts";

const urlCharsMax = 300;

export function TwoScans({ before, after }: { readonly before: ScanRecord; readonly after: ScanRecord }) {
  const words = useWords();
  const scans = [
    { name: words.say("compare.before"), scan: before },
    { name: words.say("compare.after"), scan: after },
  ];
  return (
    <Table
      caption={words.say("compare.heading")}
      captionUnseen
      columns={[
        { label: words.say("compare.what"), header: true },
        { label: words.say("compare.measured") },
        { label: words.say("compare.score") },
        { label: words.say("compare.address") },
      ]}
    >
      <RowGroup>
        {scans.map(({ name, scan }) => (
          <Row
            key={scan.token}
            cells={[
              name,
              <a key="when" href={`/scans/${scan.token}`}>
                <Instant at={endOf(scan)} />
              </a>,
              <SmallScore key="score" score={scan.summary?.score ?? null} band={scan.summary?.band ?? "unknown"} />,
              <Foreign key="address" charsMax={urlCharsMax}>
                {scan.url}
              </Foreign>,
            ]}
          />
        ))}
      </RowGroup>
    </Table>
  );
}

interface CompareNoticesProps {
  readonly before: ScanRecord;
  readonly after: ScanRecord;
  readonly sameRules: boolean;
}

export function CompareNotices({ before, after, sameRules }: CompareNoticesProps) {
  const words = useWords();
  const sameHost = hostOf(before.url) === hostOf(after.url);
  return (
    <>
      {!sameRules && (
        <Notice kind="warn" title={words.say("compare.otherRules")}>
          <p>{words.say("compare.otherRulesMeans")}</p>
        </Notice>
      )}
      {!sameHost && (
        <Notice kind="warn" title={words.say("compare.otherHosts")}>
          <p>{words.say("compare.otherHostsMeans")}</p>
        </Notice>
      )}
      {sameHost && before.url !== after.url && (
        <Notice title={words.say("compare.otherUrls")}>
          <p>{words.say("compare.otherUrlsMeans")}</p>
        </Notice>
      )}
    </>
  );
}
