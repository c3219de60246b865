/** The newest scans of the same host, and the sentence that every report ends with. */

import type { ScanRecord } from "../../store/scans.ts";
import { Foreign } from "../components/foreign.tsx";
import { Instant } from "../components/instant.tsx";
import { SmallScore } from "../components/score-ring.tsx";
import { Row, RowGroup, Table } from "../components/table.tsx";
import { useWords } from "../context.ts";
import { hostPath } from "../scans/host-name.ts";
import { endOf } from "../scans/scan-end.ts";
import type { Report } from "./report.ts";

const urlCharsMax = 120;

export function History({ report: { scan, host, history } }: { readonly report: Report }) {
  const words = useWords();
  return (
    <section aria-labelledby="history">
      <h2 id="history">{words.say("report.history.heading", { host })}</h2>
      {history.length < 2 ? (
        <p>{words.say("report.history.only")}</p>
      ) : (
        <Table
          caption={words.say("report.history.heading", { host })}
          captionUnseen
          columns={[
            { label: words.say("report.history.when"), header: true },
            { label: words.say("report.history.score") },
            { label: words.say("report.history.address") },
            { label: words.say("report.history.compare"), unseen: true },
          ]}
        >
          <RowGroup>
            {history.map((other) => (
              <Row
                key={other.token}
                cells={[
                  <When key="when" scan={other} current={other.token === scan.token} />,
                  <SmallScore key="score" score={other.summary?.score ?? null} band={other.summary?.band ?? "unknown"} />,
                  <Foreign key="address" charsMax={urlCharsMax}>
                    {other.url}
                  </Foreign>,
                  other.token === scan.token ? null : (
                    <a
                      key="compare"
                      href={`/scans/${scan.token}/compare?with=${other.token}`}
                      aria-label={words.say("report.history.compareWith", { at: words.moment(endOf(other)) })}
                    >
                      {words.say("report.history.compare")}
                    </a>
                  ),
                ]}
              />
            ))}
          </RowGroup>
        </Table>
      )}
      <p>
        <a href={hostPath(host)}>{words.say("report.history.all", { host })}</a>
      </p>
      <p class="muted">
        {words.say("report.noLegalStatement")} <a href="/about">{words.say("report.about")}</a>
      </p>
    </section>
  );
}

function When({ scan, current }: { readonly scan: ScanRecord; readonly current: boolean }) {
  const words = useWords();
  const at = endOf(scan);
  if (current) {
    return (
      <>
        <Instant at={at} relative={false} /> <strong>{words.say("report.history.this")}</strong>
      </>
    );
  }
  return (
    <>
      <a href={`/scans/${scan.token}`}>
        <Instant at={at} relative={false} />
      </a>{" "}
      <span class="muted">{words.ago(at)}</span>
    </>
  );
}
