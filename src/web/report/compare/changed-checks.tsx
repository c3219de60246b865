/** Table of checks whose state changed between two scans. */

import { StateLabel } from "../../../report/components/labels.tsx";
import { DataTable } from "../../../report/components/layout.tsx";
import { CheckLink } from "../../../report/components/untrusted-text.tsx";
import { useDocument } from "../../../report/context.ts";
import type { Comparison } from "../../../text/comparison.ts";
import { textsOfCheck } from "../../../text/render.ts";
import { Section } from "./compared-findings.tsx";

export function ChangedChecks({ comparison: { checks, checksUnchanged } }: { readonly comparison: Comparison }) {
  const { i18n, texts } = useDocument();
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
            cell: ({ key }) => <CheckLink checkKey={key}>{textsOfCheck(key, i18n.locale, texts).label}</CheckLink>,
          },
          { label: i18n.t("compare.before"), cell: ({ before }) => (before === null ? absent : <StateLabel state={before} />) },
          { label: i18n.t("compare.after"), cell: ({ after }) => (after === null ? absent : <StateLabel state={after} />) },
        ]}
      />
      <p class="muted">{i18n.count("compare.checksSame", checksUnchanged)}</p>
    </Section>
  );
}
