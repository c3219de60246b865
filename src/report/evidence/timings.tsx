/** Table of scan durations by stage. */
import type { Timings } from "../../evidence/scan.ts";
import type { I18n } from "../../text/translator.ts";
import { DataTable } from "../components/table.tsx";
import { useI18n } from "../context.ts";
import { readingName } from "./reading-texts.ts";

export function TimingTable({ timings }: { readonly timings: Timings }) {
  const i18n = useI18n();
  return (
    <>
      <p class="muted">{i18n.t("evidence.timings.lead")}</p>
      <DataTable
        caption={i18n.t("evidence.parts.timings")}
        captionUnseen
        rows={Object.entries(timings).toSorted(([, one], [, other]) => other - one)}
        columns={[
          { label: i18n.t("evidence.timings.part"), cell: ([name]) => timingName(i18n, name) },
          { label: i18n.t("evidence.timings.time"), numeric: true, cell: ([, ms]) => `${i18n.number(Math.round(ms))} ms` },
        ]}
      />
    </>
  );
}

/** Other timings carry the name of a reading. */
function timingName(i18n: I18n, name: string): string {
  switch (name) {
    case "page":
    case "favicon":
    case "judge":
    case "total":
      return i18n.t(`evidence.timings.${name}`);
    default:
      return readingName(i18n, name);
  }
}
