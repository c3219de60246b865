/** Findings of a report as rows, in the order to fix them or grouped by area. */

import { AllLines } from "../../report/all-lines.tsx";
import { useI18n } from "../../report/context.ts";
import { FindingRow } from "../../report/finding-row.tsx";
import { areaName, type Report, reportAreas, type ShownFinding } from "../../report/report.ts";
import { fixFirst } from "../../text/fix-order.ts";
import { type FindingFilter, FindingFilterForm, matchesFindingFilter } from "./finding-filter.tsx";
import { ServerChoice } from "./server-choice.tsx";

/** Shorter lists need no filter. */
const filteredFindingsMin = 6;

interface FindingsProps {
  readonly report: Report;
  /** Rows outside the filter are rendered hidden, so that the script can show them. */
  readonly filter: FindingFilter;
}

export function Findings({ report, filter }: FindingsProps) {
  const i18n = useI18n();
  const { findings, summary } = report;
  const shown = findings.filter((finding) => matchesFindingFilter(finding, filter));
  return (
    <section class="findings" aria-labelledby="findings">
      <h2 id="findings">
        {findings.length === 0 ? i18n.t("report.findings.noneHeading") : i18n.count("report.findings.heading", findings.length)}
      </h2>
      {findings.length === 0 && (
        <p>{i18n.t(summary.ran === 0 ? "report.findings.nothingRan" : "report.findings.none", { ran: summary.ran })}</p>
      )}
      {findings.length > 0 && (
        <>
          <ServerChoice report={report} />
          <AllLines report={report} />
        </>
      )}
      {findings.length >= filteredFindingsMin && <FindingFilterForm report={report} filter={filter} shown={shown.length} />}
      {filter.byArea ? (
        <ByArea report={report} shown={shown} filter={filter} />
      ) : (
        <Rows report={report} findings={findings} shown={shown} filter={filter} />
      )}
    </section>
  );
}

interface RowsProps {
  /** The first three of all its findings are open. */
  readonly report: Report;
  readonly findings: readonly ShownFinding[];
  readonly shown: readonly ShownFinding[];
  readonly filter: FindingFilter;
  readonly heading?: "h3" | "h4";
}

function Rows({ report, findings, shown, filter, heading = "h3" }: RowsProps) {
  const open = fixFirst(report.findings);
  return (
    <>
      {findings.map((each) => (
        <FindingRow
          key={each.anchor}
          shown={each}
          server={report.server}
          open={filter.allOpen || open.includes(each)}
          hidden={!shown.includes(each)}
          heading={heading}
        />
      ))}
    </>
  );
}

function ByArea({ report, shown, filter }: Omit<RowsProps, "findings">) {
  const i18n = useI18n();
  const byArea = Map.groupBy(report.findings, ({ area }) => area);
  return (
    <>
      {reportAreas.map((area) => {
        const ofArea = byArea.get(area) ?? [];
        if (ofArea.length === 0) return null;
        return (
          <div key={area} data-finding-group hidden={!ofArea.some((each) => shown.includes(each))}>
            <h3>{areaName(i18n, area)}</h3>
            <Rows report={report} findings={ofArea} shown={shown} filter={filter} heading="h4" />
          </div>
        );
      })}
    </>
  );
}
