/** Table of checks whose state changed between two scans. */
import type { Comparison } from "../../../text/comparison.ts";
import { textsOfCheck } from "../../../text/render.ts";
import { StateLabel } from "../../components/state-label.tsx";
import { DataTable } from "../../components/table.tsx";
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
      <DataTable
        caption={i18n.t("compare.checks")}
        captionUnseen
        rows={checks}
        columns={[
          {
            label: i18n.t("compare.check"),
            cell: ({ key }) =>
              checkOf(visit, key) === undefined ? (
                <UntrustedText>{key}</UntrustedText>
              ) : (
                <a href={`/checks/${key}`}>{textsOfCheck(key, i18n.locale, settings.texts).label}</a>
              ),
          },
          { label: i18n.t("compare.before"), cell: ({ before }) => (before === null ? absent : <StateLabel state={before} />) },
          { label: i18n.t("compare.after"), cell: ({ after }) => (after === null ? absent : <StateLabel state={after} />) },
        ]}
      />
      <p class="muted">{i18n.count("compare.checksSame", checksUnchanged)}</p>
    </Section>
  );
}
