/** First screen of a report: ring, one plain sentence, and counts by severity. */
import type { ComponentChildren } from "preact";
import { type Severity, severities } from "../check/check.ts";
import { notMeasuredBecause } from "../text/ledger-rows.ts";
import { type CountPath, capitalised, type I18n } from "../text/translator.ts";
import { SeverityChip } from "./components/chips.tsx";
import { ReportSection } from "./components/report-section.tsx";
import { ScoreRing, scoreText } from "./components/score-ring.tsx";
import { useDocument } from "./context.ts";
import { NotCheckedLink } from "./ledger.tsx";
import { meaningOf } from "./meaning.ts";
import { firstToFix, isOpen, type Report, type ShownFinding } from "./report.ts";

/** Severities that the sentence calls serious. */
const serious: readonly Severity[] = ["critical", "high"];

/** Element id of the heading. */
const headingId = "report-score";

interface VerdictProps {
  readonly report: Report;
  /** Change of the score since the last scan, in one sentence. */
  readonly change?: string | null;
  /** Shown below the counts. */
  readonly children?: ComponentChildren;
}

export function ReportVerdict({ report, change = null, children }: VerdictProps) {
  const { i18n, idOf } = useDocument();
  const { score, band, rank } = report.result;
  return (
    <ReportSection class="verdict" headingId={headingId}>
      <ScoreRing
        score={score}
        band={band}
        rank={rank}
        {...(change === null ? {} : { label: `${scoreText(i18n, report.result)}, ${change}` })}
      />
      <div>
        <h2 id={idOf(headingId)} class="unseen">
          {i18n.t("report.score.heading")}
        </h2>
        <Sentences report={report} />
        <SeverityCounts findings={report.findings} />
        {children}
      </div>
    </ReportSection>
  );
}

/** The rank, how many problems there are, and what the score means for a visitor of the site. */
function Sentences({ report }: { readonly report: Report }) {
  const { i18n, texts } = useDocument();
  const { result, summary } = report;
  const { score, band, rank } = result;
  if (score === null) {
    return (
      <>
        <p class="verdict-line">
          <strong class="unknown">{capitalised(i18n.t("components.score.notMeasured"), i18n)}.</strong>
        </p>
        <p>{notMeasuredBecause(result, i18n.locale, texts)}</p>
      </>
    );
  }
  return (
    <>
      <p class="verdict-line">
        <strong class={band}>{capitalised(i18n.rank(rank), i18n)}.</strong> {problemsText(report.findings, i18n)}
      </p>
      <p>
        {i18n.t(meaningOf(report))}
        {summary.notChecked > 0 && (
          <>
            {" "}
            <NotCheckedLink>{i18n.count("report.verdict.notChecked", summary.notChecked)}</NotCheckedLink>
          </>
        )}
      </p>
    </>
  );
}

/** `9 serious problems; start with these three.` Neither notes nor accepted findings are problems. */
function problemsText(findings: readonly ShownFinding[], i18n: I18n): string {
  const problems = findings.filter((shown) => shown.points !== 0 && isOpen(shown));
  const grave = problems.filter(({ finding }) => serious.includes(finding.severity)).length;
  if (problems.length === 0) return i18n.t("report.verdict.none");
  const [path, count]: [CountPath, number] = grave > 0 ? ["report.verdict.serious", grave] : ["report.verdict.minor", problems.length];
  const start = startTexts[firstToFix(findings).length - 1] ?? startTexts[0];
  return i18n.t("report.verdict.start", { problems: i18n.count(path, count), start: i18n.t(start) });
}

/** For one, two and three first steps. */
const startTexts = ["report.verdict.startWith.one", "report.verdict.startWith.two", "report.verdict.startWith.three"] as const;

/** Each count is a link to the first finding of that severity. */
function SeverityCounts({ findings }: { readonly findings: readonly ShownFinding[] }) {
  const { i18n, alone, idOf } = useDocument();
  const bySeverity = Map.groupBy(findings, ({ finding }) => finding.severity);
  if (findings.length === 0) return null;
  const list = (
    <ul class="severity-counts">
      {severities.map((severity) => {
        const [first, ...others] = bySeverity.get(severity) ?? [];
        return first === undefined ? null : (
          <li key={severity}>
            <a href={`#${idOf(first.anchor)}`}>
              <SeverityChip severity={severity} count={others.length + 1} />
            </a>
          </li>
        );
      })}
    </ul>
  );
  return alone ? <nav aria-label={i18n.t("report.findings.jumps")}>{list}</nav> : list;
}
