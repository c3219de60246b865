/** What a printed report holds: the summary and the serious findings, or everything. A choice without script: the style sheet reads it. */
import { useI18n } from "../../report/context.ts";

/** The print style sheet names this id. */
const choiceId = "print-all";
export function PrintChoice() {
  const i18n = useI18n();
  return (
    <label class="print-choice">
      <input type="checkbox" id={choiceId} /> {i18n.t("report.print.all")}
    </label>
  );
}

/** Says on paper what is not printed. */
export function NotPrinted() {
  const i18n = useI18n();
  return <p class="print-only not-printed">{i18n.t("report.print.leftOut")}</p>;
}
