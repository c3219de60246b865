/** Findings of a report in the order to fix them. */
import type { ComponentChildren } from "preact";
import { ReportSection } from "./components/report-section.tsx";
import { useDocument } from "./context.ts";
import { FindingRow } from "./finding-row.tsx";
import { firstToFix, type Report, type ShownFinding } from "./report.ts";

/** Element id of the heading. */
export const findingsId = "findings";

interface SectionProps {
  readonly report: Report;
  readonly children: ComponentChildren;
}

/** Heading, and a sentence if there are none. */
export function FindingsSection({ report: { findings, summary }, children }: SectionProps) {
  const { i18n, idOf } = useDocument();
  return (
    <ReportSection class="findings" headingId={findingsId}>
      <h2 id={idOf(findingsId)}>
        {findings.length === 0 ? i18n.t("report.findings.noneHeading") : i18n.count("report.findings.heading", findings.length)}
      </h2>
      {findings.length === 0 && (
        <p>{i18n.t(summary.ran === 0 ? "report.findings.nothingRan" : "report.findings.none", { ran: summary.ran })}</p>
      )}
      {children}
    </ReportSection>
  );
}

interface RowsProps {
  /** What to fix first among all its findings is open. */
  readonly report: Report;
  readonly findings: readonly ShownFinding[];
  /** The others are rendered hidden. */
  readonly isShown?: (finding: ShownFinding) => boolean;
  /** Opens every row. */
  readonly allOpen?: boolean;
  readonly heading?: "h3" | "h4";
}

export function FindingRows({ report, findings, isShown = () => true, allOpen = false, heading = "h3" }: RowsProps) {
  const open = firstToFix(report.findings);
  return (
    <>
      {findings.map((each) => (
        <FindingRow
          key={each.anchor}
          shown={each}
          server={report.server}
          open={allOpen || open.includes(each)}
          hidden={!isShown(each)}
          heading={heading}
        />
      ))}
    </>
  );
}
