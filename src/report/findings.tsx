/** Findings of a report: what to fix first, rows in the order to fix them, one configuration for all. */

import type { ComponentChildren } from "preact";
import type { Severity } from "../check/check.ts";
import type { FindingMark } from "../policy/finding-mark.ts";
import { unmarked } from "../text/display.ts";
import type { Texts } from "../text/i18n.ts";
import { draftSentences, fixedFinding } from "../text/render.ts";
import type { PolicyStage } from "../text/servers/drafted.ts";
import { configurationFor, isTestedForReal, serverLabel } from "../text/servers/server-lines.ts";
import { EffortMeter, Instant, SeverityChip } from "./components/labels.tsx";
import { ReportSection } from "./components/layout.tsx";
import { ConfigLines, Remediation } from "./components/remediation.tsx";
import { CheckLink, plainUntrustedLines, Sentence, UntrustedText, untranslated } from "./components/untrusted-text.tsx";
import { useDocument, useI18n } from "./context.ts";
import { EvidenceLinks } from "./evidence/sections.tsx";
import { type ChosenServer, type FirstSeen, firstToFix, isOpen, type Report, type ShownFinding } from "./report.ts";

interface OfMark {
  readonly mark: FindingMark;
}

/** Labels beside the title of a finding. */
function MarkChips({ mark: { accepted, inBaseline } }: OfMark) {
  const i18n = useI18n();
  return (
    <>
      {accepted !== null && <Mark class="chip unknown outlined" text={i18n.t("report.marks.accepted")} />}
      {inBaseline === true && <Mark class="muted small" text={i18n.t("report.marks.known")} />}
      {inBaseline === false && <Mark class="chip warn" text={i18n.t("report.marks.new")} />}
    </>
  );
}

function Mark({ text, ...rest }: { readonly text: string; readonly class: string }) {
  return (
    <>
      {" "}
      <span {...rest}>{text}</span>
    </>
  );
}

/** Reason and last day of an accepted finding; null for others. */
function AcceptedBecause({ mark: { accepted } }: OfMark) {
  const i18n = useI18n();
  if (accepted === null) return null;
  const { reason, until } = accepted;
  return (
    <p>
      <strong>
        {until === null ? i18n.t("report.marks.acceptedBecause") : i18n.t("report.marks.acceptedUntil", { date: i18n.date(until) })}
      </strong>{" "}
      <UntrustedText>{reason}</UntrustedText>
    </p>
  );
}

/** A longer code of a check that left the catalog is cut. */
const titleCharsMax = 200;

export interface CodedFinding {
  readonly code: string;
  readonly checkKey: string;
  readonly severity: Severity;
}

export function FindingTitle(finding: CodedFinding) {
  const { i18n, texts, checks } = useDocument();
  const { code, checkKey, severity } = finding;
  const title = <UntrustedText charsMax={titleCharsMax}>{findingTitle(texts, i18n.locale, finding)}</UntrustedText>;
  const hasPage = checks.some(({ key }) => key === checkKey);
  return (
    <>
      <SeverityChip severity={severity} />{" "}
      {hasPage ? (
        <CheckLink checkKey={checkKey} fragment={code}>
          {title}
        </CheckLink>
      ) : (
        title
      )}
    </>
  );
}

/** The code itself for findings that left the catalog. */
export function findingTitle(texts: Texts, locale: string, { code, checkKey }: Pick<CodedFinding, "code" | "checkKey">): string {
  return texts.ofCheck(locale, checkKey)?.findings[code]?.title ?? code;
}

interface FindingRowProps {
  readonly shown: ShownFinding;
  readonly server: ChosenServer;
  readonly open: boolean;
  /** Whether the filter leaves the finding out. */
  readonly hidden: boolean;
  /** `h4` below the heading of an area. */
  readonly heading: "h3" | "h4";
  /** What can be done with the finding, below its remediation. */
  readonly action: (finding: ShownFinding) => ComponentChildren;
}

/** The anchor is inside the row: browsers open a collapsed row when the fragment of the URL names an element in it. */
function FindingRow({ shown, server, open, hidden, heading: Heading, action }: FindingRowProps) {
  const { idOf } = useDocument();
  const { anchor, area, texts, finding } = shown;
  const { severity, effort } = finding;
  return (
    <details class="finding-row" data-severity={severity} data-area={area} data-effort={effort} open={open} hidden={hidden}>
      <summary>
        <SeverityChip severity={severity} />
        <Heading>
          <Sentence text={texts.title} />
          {shown.mark !== null && <MarkChips mark={shown.mark} />}
        </Heading>
        <span class="seen">
          <Sentence text={texts.detail} />
        </span>
        <Cost shown={shown} />
        <EffortMeter effort={effort} />
      </summary>
      <div class="finding-body" id={idOf(anchor)}>
        <Body shown={shown} server={server} heading={Heading === "h3" ? "h4" : "h5"} action={action} />
      </div>
    </details>
  );
}

function Cost({ shown: { points } }: Pick<FindingRowProps, "shown">) {
  const i18n = useI18n();
  if (points === null) return <span class="cost" />;
  return <span class="cost">{points === 0 ? i18n.t("report.findings.note") : i18n.count("report.points", points)}</span>;
}

/** Facts and risk, then what to do. */
function Body({
  shown,
  server,
  heading: Heading,
  action,
}: Pick<FindingRowProps, "shown" | "server" | "action"> & { readonly heading: "h4" | "h5" }) {
  const i18n = useI18n();
  const { texts, lines } = shown;
  return (
    <>
      <div>
        {shown.mark !== null && <AcceptedBecause mark={shown.mark} />}
        <p>
          <Sentence text={texts.detail} />
        </p>
        <Heading>{i18n.t("report.findings.risk")}</Heading>
        <p>
          <Sentence text={texts.riskStatement} />
        </p>
        {shown.limitsScore && shown.scoreCap !== null && <p>{i18n.t("report.findings.cap", { score: shown.scoreCap })}</p>}
      </div>
      <div>
        <Heading>{i18n.t("report.findings.remediation")}</Heading>
        <Remediation
          text={texts.remediation}
          server={server.name}
          serverLines={lines}
          otherLines={shown.otherLines}
          advice={(text) => <Sentence text={text} />}
          lines={(text) => plainUntrustedLines(unmarked(text))}
        />
        {action(shown)}
      </div>
      <Footer shown={shown} />
    </>
  );
}

function Footer({ shown }: { readonly shown: ShownFinding }) {
  const { i18n, live, idOf } = useDocument();
  const { anchor, finding, evidence, area } = shown;
  const codeId = idOf(`${anchor}-code`);
  return (
    <footer class="finding-footer small muted">
      <p>
        <code id={codeId} {...untranslated}>
          {finding.code}
        </code>{" "}
        {live && (
          <>
            <button
              type="button"
              class="compact"
              data-copy={`[id="${codeId}"]`}
              data-copied={i18n.t("lines.copied")}
              aria-label={i18n.t("report.findings.copyCode", { code: finding.code })}
              hidden
            >
              {i18n.t("report.findings.copy")}
            </button>{" "}
            <a href={`#${idOf(anchor)}`} aria-label={i18n.t("report.findings.permalinkOf", { code: finding.code })}>
              {i18n.t("report.findings.permalink")}
            </a>
          </>
        )}
      </p>
      <p>
        {i18n.t("report.findings.check")}{" "}
        <CheckLink checkKey={finding.checkKey} fragment={finding.code}>
          {finding.checkKey}
        </CheckLink>
        {" \u00b7 "}
        <EvidenceLinks names={evidence} area={area} />
        {shown.firstSeen !== null && <Since firstSeen={shown.firstSeen} />}
      </p>
    </footer>
  );
}

/** Continues the line of facts with a separator. */
function Since({ firstSeen }: { readonly firstSeen: FirstSeen }) {
  const i18n = useI18n();
  if (firstSeen.seen === "now") return ` \u00b7 ${i18n.t("report.findings.firstSeenNow")}`;
  return (
    <>
      {" \u00b7 "}
      {i18n.t(firstSeen.orEarlier ? "report.findings.firstSeenOrEarlier" : "report.findings.firstSeen")}{" "}
      <a href={`/scans/${firstSeen.token}`}>
        <Instant at={firstSeen.at} day relative={false} />
      </a>
    </>
  );
}

/** Element id of the heading. */
export const findingsId = "findings";

interface SectionProps {
  readonly report: Report;
  readonly children: ComponentChildren;
}

/** Heading, and a sentence if the report has no finding. */
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
  /** Report whose findings to fix first are open. */
  readonly report: Report;
  readonly findings: readonly ShownFinding[];
  /** Filter of the reader; other findings are rendered hidden. */
  readonly isShown?: (finding: ShownFinding) => boolean;
  /** Opens every row. */
  readonly allOpen?: boolean;
  readonly heading?: "h3" | "h4";
  readonly action?: FindingRowProps["action"];
}

export function FindingRows({ report, findings, isShown = () => true, allOpen = false, heading = "h3", action = () => null }: RowsProps) {
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
          action={action}
        />
      ))}
    </>
  );
}

/** Element id of the heading. */
const firstStepsId = "first-steps";

interface FirstStepsProps {
  /** Findings in the order of the report. */
  readonly findings: readonly ShownFinding[];
  /** Element with the lines for a server. */
  readonly linesId: string;
  /** Shown below the links. */
  readonly children?: ComponentChildren;
}

export function FirstSteps({ findings, linesId, children }: FirstStepsProps) {
  const { i18n, idOf } = useDocument();
  const first = firstToFix(findings);
  if (first.length === 0) return null;
  return (
    <ReportSection class="first-steps" headingId={firstStepsId}>
      <h2 id={idOf(firstStepsId)}>{i18n.t("report.firstSteps.heading")}</h2>
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
      {children}
    </ReportSection>
  );
}

/** Findings that the reader ticked, for which alone the lines are shown. */
export interface TickedLines {
  readonly codes: readonly string[];
  /** Null if the judge gave none. */
  readonly lines: ResultLines | null;
}

type ResultLines = Required<Report["result"]>["lines"];

interface LinesScoreProps {
  readonly report: Report;
  readonly ticked: TickedLines | null;
  /** Codes of the findings that the shown lines repair. */
  readonly codes: readonly string[];
  /** True if a policy among the lines only reports. */
  readonly reportsFirst: boolean;
}

/** Score with the lines. Nothing if the judged lines are not among the shown ones, as for a server that cannot express them. */
function LinesScore({ report: { scan, result }, ticked, codes, reportsFirst }: LinesScoreProps) {
  const i18n = useI18n();
  const { score } = result;
  const lines = ticked === null ? (result.lines ?? null) : ticked.lines;
  if (score === null || lines === null || !lines.codes.every((code) => codes.includes(code)))
    return ticked === null ? null : (
      <p data-lines-score role="status">
        {i18n.t("report.server.scoreUnknown")}
      </p>
    );
  return (
    <p data-lines-score role="status">
      <strong>{i18n.t("report.server.score", { before: score, after: lines.score })}</strong>{" "}
      {scan.endedAt !== null && i18n.t("report.server.scoreMeans", { date: i18n.date(scan.endedAt) })}
      {reportsFirst && ` ${i18n.t("report.server.scoreEnforced")}`}
    </p>
  );
}

interface EnforcedLinesProps {
  readonly label: string;
  readonly text: string;
  readonly draft: Required<Report["result"]>["draft"];
}

/** What the drafted policy would block, and the lines that enforce it. */
function EnforcedLines({ label, text, draft }: EnforcedLinesProps) {
  const { i18n, texts } = useDocument();
  return (
    <>
      <p data-draft>{draftSentences(draft, i18n.locale, texts).join(" ")}</p>
      <details class="paste">
        <summary>{i18n.t("report.server.enforced")}</summary>
        <ConfigLines label={label}>{text}</ConfigLines>
      </details>
    </>
  );
}

/** Element id of the section. */
export const allLinesId = "all-lines";

interface AllLinesProps {
  readonly report: Report;
  readonly ticked?: TickedLines | null;
  /** Form that ticks findings, of those that the lines can repair. */
  readonly ticks?: (repairable: readonly ShownFinding[]) => ComponentChildren;
}

/**
 * One configuration for all findings that the chosen server can repair; nothing if it can repair none. Notes and accepted findings are left
 * out.
 */
export function AllLines({ report, ticked = null, ticks = () => null }: AllLinesProps) {
  const { i18n, texts, idOf } = useDocument();
  const { server, findings } = report;
  const { name } = server;
  if (name === "explain") return null;
  const problems = findings.filter((shown) => shown.points !== 0 && isOpen(shown));
  const write = (note: string) => texts.translate(i18n.locale, ["serverNotes", ...note.split(".")]) ?? note;
  const { draft } = report.result;
  const linesOf = (shown: readonly ShownFinding[], stage: PolicyStage) =>
    configurationFor(
      name,
      shown.map(({ finding }) => fixedFinding(finding, { url: report.scan.url, draft }, texts)),
      write,
      stage,
    );
  const whole = linesOf(problems, "enforced");
  if (whole.text === "") return null;
  const { codes: repairable, left } = whole;
  const chosen = ticked === null ? problems : problems.filter(({ finding }) => ticked.codes.includes(finding.code));
  const { text, codes } = linesOf(chosen, "enforced");
  const reporting = linesOf(chosen, "reported").text;
  const reportsFirst = reporting !== text;
  const repaired = problems.filter(({ finding }) => codes.includes(finding.code)).length;
  const label = serverLabel(name);
  return (
    <details class="paste all-lines" id={idOf(allLinesId)} open={ticked !== null}>
      <summary>{i18n.t("report.server.all", { server: label })}</summary>
      <p>
        {i18n.count("report.server.repairs", repaired, { total: i18n.number(findings.length) })}{" "}
        {i18n.t(isTestedForReal(name) ? "report.server.testedForReal" : "report.server.testedByForm")}
      </p>
      {ticks(problems.filter(({ finding }) => repairable.includes(finding.code)))}
      <LinesScore report={report} ticked={ticked} codes={codes} reportsFirst={reportsFirst} />
      <ConfigLines label={label}>{reporting}</ConfigLines>
      {reportsFirst && draft !== undefined && <EnforcedLines label={label} text={text} draft={draft} />}
      {left.length > 0 && (
        <>
          <p>{i18n.t("report.server.left")}</p>
          <ul class="small">
            {problems
              .filter(({ finding }) => left.includes(finding.code))
              .map(({ anchor, texts: { title } }) => (
                <li key={anchor}>
                  <a href={`#${idOf(anchor)}`}>
                    <Sentence text={title} />
                  </a>
                </li>
              ))}
          </ul>
        </>
      )}
    </details>
  );
}
