/** Verdict of a report page, with the change since the last scan. */
import { useI18n } from "../../report/context.ts";
import { ReportVerdict } from "../../report/score.tsx";
import { scoreChange } from "../scans/score-change.ts";
import type { StoredReport } from "./stored-report.ts";

export function StoredVerdict({ report }: { readonly report: StoredReport }) {
  const i18n = useI18n();
  const change = report.previous === null ? null : scoreChange(i18n, report.result, report.previous);
  return (
    <ReportVerdict report={report} change={change}>
      <p class="small">
        {change !== null && <span>{change}</span>}
        {report.comparable !== null && (
          <>
            {" "}
            <a href={`/scans/${report.scan.token}/compare?with=previous`}>{i18n.t("report.actions.compare")}</a>
          </>
        )}
      </p>
    </ReportVerdict>
  );
}
