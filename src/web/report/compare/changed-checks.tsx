/** Table of checks whose state changed between two scans. */
import type { Comparison } from "../../../text/comparison.ts";
import { textsOfCheck } from "../../../text/render.ts";
import { StateLabel } from "../../components/state-label.tsx";
import { Row, RowGroup, Table } from "../../components/table.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { useVisit } from "../../context.ts";
import { checkOf } from "../report.ts";
import { Section } from "./compared-findings.tsx";

export function ChangedChecks({ comparison: { checks, checksUnchanged } }: { readonly comparison: Comparison }) {
  const visit = useVisit();
  const { i18n, settings } = visit;
  const absent = <span class="muted">{i18n.t("compare.absent")}</span>;
  return (
    <Section id="checks" heading={i18n.t("compare.checks")}>
      <Table
        caption={i18n.t("compare.checks")}
        captionUnseen
        columns={[
          { label: i18n.t("compare.check"), header: true },
          { label: i18n.t("compare.before") },
          { label: i18n.t("compare.after") },
        ]}
      >
        <RowGroup>
          {checks.map(({ key, before, after }) => (
            <Row
              key={key}
              cells={[
                checkOf(visit, key) === undefined ? (
                  <UntrustedText key="check">{key}</UntrustedText>
                ) : (
                  <a key="check" href={`/checks/${key}`}>
                    {textsOfCheck(key, i18n.locale, settings.texts).label}
                  </a>
                ),
                before === null ? absent : <StateLabel key="before" state={before} />,
                after === null ? absent : <StateLabel key="after" state={after} />,
              ]}
            />
          ))}
        </RowGroup>
      </Table>
      <p class="muted">{i18n.count("compare.checksSame", checksUnchanged)}</p>
    </Section>
  );
}
