/** "Fix these first": at most three findings, one line each. */
import { EffortMeter, SeverityChip } from "./components/chips.tsx";
import { ReportSection } from "./components/report-section.tsx";
import { Sentence } from "./components/untrusted-text.tsx";
import { useDocument } from "./context.ts";
import { firstToFix, type ShownFinding } from "./report.ts";

/** Element id of the heading. */
const headingId = "first-steps";

interface FirstStepsProps {
  /** In the order of the report. */
  readonly findings: readonly ShownFinding[];
  /** Element with the lines for a server. */
  readonly linesId: string;
}

export function FirstSteps({ findings, linesId }: FirstStepsProps) {
  const { i18n, idOf } = useDocument();
  const first = firstToFix(findings);
  if (first.length === 0) return null;
  return (
    <ReportSection class="first-steps" headingId={headingId}>
      <h2 id={idOf(headingId)}>{i18n.t("report.firstSteps.heading")}</h2>
      <ol>
        {first.map(({ anchor, texts, finding }) => (
          <li key={anchor}>
            <SeverityChip severity={finding.severity} />
            <a href={`#${idOf(anchor)}`}>
              <Sentence text={texts.title} />
            </a>
            <EffortMeter effort={finding.effort} />
          </li>
        ))}
      </ol>
      <p class="small">
        <a href={`#${idOf(linesId)}`}>{i18n.t("report.firstSteps.lines")}</a>
      </p>
    </ReportSection>
  );
}
