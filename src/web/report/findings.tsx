/** Findings of a report page: with lines for a chosen server and a filter, in order or grouped by area. */

import { useI18n } from "../../report/context.ts";
import { AllLines, FindingRows, FindingsSection } from "../../report/findings.tsx";
import { areaName, type Report, reportAreas, type ShownFinding } from "../../report/report.ts";
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
  const { findings } = report;
  const isShown = (finding: ShownFinding) => matchesFindingFilter(finding, filter);
  return (
    <FindingsSection report={report}>
      {findings.length > 0 && (
        <>
          <ServerChoice report={report} />
          <AllLines report={report} />
        </>
      )}
      {findings.length >= filteredFindingsMin && (
        <FindingFilterForm report={report} filter={filter} shown={findings.filter(isShown).length} />
      )}
      {filter.byArea ? (
        <ByArea report={report} isShown={isShown} allOpen={filter.allOpen} />
      ) : (
        <FindingRows report={report} findings={findings} isShown={isShown} allOpen={filter.allOpen} />
      )}
    </FindingsSection>
  );
}

interface ByAreaProps {
  readonly report: Report;
  readonly isShown: (finding: ShownFinding) => boolean;
  readonly allOpen: boolean;
}

function ByArea({ report, ...rows }: ByAreaProps) {
  const i18n = useI18n();
  const byArea = Map.groupBy(report.findings, ({ area }) => area);
  return (
    <>
      {reportAreas.map((area) => {
        const ofArea = byArea.get(area) ?? [];
        if (ofArea.length === 0) return null;
        return (
          <div key={area} data-finding-group hidden={!ofArea.some(rows.isShown)}>
            <h3>{areaName(i18n, area)}</h3>
            <FindingRows report={report} findings={ofArea} heading="h4" {...rows} />
          </div>
        );
      })}
    </>
  );
}
