/** Score of a report: points, meaning, verdict, and how the score comes about. */

import type { ComponentChildren } from "preact";
import { type Severity, severities } from "../check/check.ts";
import { type ResultBasis, type StoredResult, standing } from "../judge/result.ts";
import { chargesOf, heldScore, isHeldBack, notMeasuredBecause } from "../text/ledger-rows.ts";
import type { CheckSummary } from "../text/render.ts";
import { toneOf } from "../text/score-tone.ts";
import { type CountPath, capitalised, type I18n, type TextPath } from "../text/translator.ts";
import { SeverityChip } from "./components/labels.tsx";
import { Details, FactRow, ReportSection } from "./components/layout.tsx";
import { ScoreRing, scoreText } from "./components/score-ring.tsx";
import { ExternalLink, Sentence, UnicodeHostName, UntrustedText } from "./components/untrusted-text.tsx";
import { useDocument } from "./context.ts";
import { whyNotChecked } from "./evidence/blocks.tsx";
import { NotCheckedLink } from "./ledger.tsx";
import { firstToFix, isOpen, type Report, type ShownFinding } from "./report.ts";

interface Points {
  readonly passed: number;
  /** Weight of all checks that ran. */
  readonly ran: number;
  /** Weight of applicable checks that did not run. */
  readonly notChecked: number;
}

/** Sums of weights; null for results of older versions, which store no weights. */
function pointsOf({ ledger }: StoredResult): Points | null {
  if (ledger.some(({ weight }) => weight === undefined)) return null;
  const sum = (...states: readonly string[]) =>
    ledger.filter((row) => states.includes(row.state)).reduce((total, { weight = 0 }) => total + weight, 0);
  return { passed: sum("passed"), ran: sum("passed", "violated"), notChecked: sum("notChecked") };
}

/** Score by weights alone, 0 to 100; null if nothing ran. */
function passedPercent({ passed, ran }: Points): number | null {
  return ran === 0 ? null : Math.round((100 * passed) / ran);
}

/** Share of checks that did not run from which a report says so first. */
const manyNotChecked = 0.2;

export function areManyNotChecked({ notChecked, total }: Pick<CheckSummary, "notChecked" | "total">): boolean {
  return notChecked >= total * manyNotChecked;
}

export function meaningOf({ result, findings, summary }: Pick<Report, "result" | "findings" | "summary">): TextPath {
  const { score, band, rank } = result;
  const unlimited = unlimitedScore(result);
  // The sentence of a rank counts what is missing. This sentence is wrong if only a limit leads to the rank.
  if (score !== null && rank !== "critical" && standing(unlimited).rank !== rank) {
    if (findings.some(({ scoreCap }) => scoreCap === score)) return "report.verdict.capped";
    if (isHeldBack(result)) return "report.verdict.held";
  }
  return band === "good" && areManyNotChecked(summary) ? "report.verdict.partly" : `report.verdict.means.${rank}`;
}

/** Score by points alone, 0 to 100; null without points. */
function unlimitedScore(result: Report["result"]): number | null {
  const charges = chargesOf(result);
  if (charges !== null) return charges.remaining;
  const points = pointsOf(result);
  return points === null ? result.score : passedPercent(points);
}

/** Characters of the page's title; the evidence shows more. */
const titleCharsMax = 200;
/** Element with the whole address. */
export const addressId = "address";

export function ScoreDetails({ report }: { readonly report: Report }) {
  const { i18n, idOf } = useDocument();
  const { counts, summary, result } = report;
  return (
    <Details id={idOf("score")} summary={<h2>{i18n.t("report.score.how")}</h2>}>
      {result.score !== null && <ScoreReasons report={report} score={result.score} />}
      <p>{i18n.t("report.score.coverage", { ...counts, total: summary.total })}</p>
      <ReportFacts report={report} />
    </Details>
  );
}

function ScoreReasons({ report, score }: { readonly report: Report; readonly score: number }) {
  const { i18n, idOf } = useDocument();
  // Until they are fixed, no other fix raises the score.
  const caps = report.findings.filter(({ limitsScore }) => limitsScore);
  const isCapped = caps.length > 0;
  const derivation = derivationOf(report, isCapped, i18n);
  return (
    <>
      {derivation !== null && <p>{derivation}</p>}
      {isCapped && (
        <>
          <p>{i18n.count("report.score.capped", caps.length, { score })}</p>
          <ul>
            {caps.map(({ anchor, texts }) => (
              <li key={anchor}>
                <a href={`#${idOf(anchor)}`}>
                  <Sentence text={texts.title} />
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      <Held report={report} />
      {report.summary.violated === 0 && <p>{i18n.t("report.score.nothingWrong")}</p>}
    </>
  );
}

/** Rows without a verdict that limit the score, with what to do about each. */
function Held({ report: { result, rows } }: { readonly report: Report }) {
  const { i18n, texts, idOf } = useDocument();
  const held = heldScore(result, i18n.locale, texts);
  if (held === null) return null;
  return (
    <>
      <p>{i18n.count("report.score.held", held.rows.length, { score: held.scoreMax })}</p>
      <ul>
        {held.rows.map(({ key, because, remedy }) => (
          <li key={key}>
            <a href={`#${idOf(key)}`}>{rows.find(({ row }) => row.key === key)?.label ?? key}</a>:{" "}
            {whyNotChecked(i18n, because, result.basis)} {remedy}
          </li>
        ))}
      </ul>
    </>
  );
}

/** How the points lead to the score; null for results that store no points. `capped`: a finding decides the score. */
function derivationOf({ result, counts }: Report, capped: boolean, i18n: I18n): string | null {
  const charges = chargesOf(result);
  if (charges === null) return earnedText(result, capped, i18n);
  const { points, remaining } = charges;
  const sentences = [
    points === 0 ? i18n.t("report.score.noCharge") : i18n.count("report.score.charged", points, { remaining }),
    ...(counts.notChecked > 0 ? [i18n.count("report.score.notCharged", counts.notChecked)] : []),
  ];
  return sentences.join(" ");
}

/** Points by the rules of algorithm version 2. */
function earnedText(result: StoredResult, capped: boolean, i18n: I18n): string | null {
  const points = pointsOf(result);
  const share = points === null ? null : passedPercent(points);
  if (points === null || share === null) return null;
  const { passed, ran, notChecked } = points;
  const rounded = result.score !== null && share > result.score && !capped;
  const sentences = [
    i18n.t("report.score.points", { passed, ran, share }),
    ...(rounded ? [i18n.t("report.score.rounding")] : []),
    ...(notChecked > 0 ? [i18n.count("report.score.notCounted", notChecked)] : []),
  ];
  return sentences.join(" ");
}

function ReportFacts({ report: { scan, result, evidence } }: { readonly report: Report }) {
  const { i18n, idOf } = useDocument();
  const navigation = evidence?.navigation.status === "read" ? evidence.navigation.facts : null;
  const title = evidence?.dom.status === "read" ? evidence.dom.facts.title : "";
  const status = evidence?.page.status === "read" ? evidence.page.facts.status : (navigation?.finalStatus ?? null);
  return (
    <dl class="facts">
      <FactRow name={i18n.t("report.facts.url")} id={idOf(addressId)}>
        <Address url={scan.url} />
        <UnicodeHostName url={scan.url} />
      </FactRow>
      {navigation !== null && navigation.finalUrl !== scan.url && (
        <FactRow name={i18n.t("report.facts.finalUrl")}>
          <Address url={navigation.finalUrl} />
        </FactRow>
      )}
      {title !== "" && (
        <FactRow name={i18n.t("report.facts.documentTitle")}>
          <UntrustedText charsMax={titleCharsMax}>{title}</UntrustedText>
        </FactRow>
      )}
      {status !== null && (
        <FactRow name={i18n.t("report.facts.answer")}>
          {i18n.t("report.facts.status", { status })}
          {navigation !== null && navigation.remoteAddress !== null && (
            <>
              {" "}
              {i18n.t("report.facts.from")} <UntrustedText>{navigation.remoteAddress}</UntrustedText>
            </>
          )}
        </FactRow>
      )}
      {scan.startedAt !== null && scan.endedAt !== null && (
        <FactRow name={i18n.t("report.facts.duration")}>
          {i18n.count("report.facts.seconds", secondsBetween(scan.startedAt, scan.endedAt))}
        </FactRow>
      )}
      <FactRow name={i18n.t("report.facts.rules")}>
        {i18n.t("report.facts.versions", { algorithm: result.algorithmVersion, catalog: result.catalogVersion })}
      </FactRow>
      {result.basis !== undefined && <FactRow name={i18n.t("report.facts.basis")}>{basisText(result.basis, i18n)}</FactRow>}
    </dl>
  );
}

/** Data files by name of their reading. */
const dataFiles = ["hstsPreload", "scriptLibraries", "publicSuffixes"] as const;

/** Limit of header values, and the data files with their dates as stored. */
function basisText({ headerValueCharsMax, dataDates }: ResultBasis, i18n: I18n): string {
  const files = dataFiles.flatMap((name) => {
    const date = dataDates[name];
    return date === undefined ? [] : [i18n.t(`report.facts.data.${name}`, { date })];
  });
  return [i18n.t("report.facts.headerLimit", { chars: i18n.number(headerValueCharsMax) }), ...files].join("; ");
}

function Address({ url }: { readonly url: string }) {
  return (
    <ExternalLink href={url}>
      <UntrustedText>{url}</UntrustedText>
    </ExternalLink>
  );
}

/** Rounded to tenths. */
function secondsBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 100) / 10;
}

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
  const { score, rank } = report.result;
  return (
    <ReportSection class="verdict" headingId={headingId}>
      <ScoreRing score={score} rank={rank} {...(change === null ? {} : { label: `${scoreText(i18n, report.result)}, ${change}` })} />
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
  const { score, rank } = result;
  if (score === null) {
    return (
      <>
        <p class="verdict-line">
          <strong class="unknown">{capitalised(i18n.t("components.score.notMeasured"), i18n)}.</strong>
        </p>
        {report.evidence?.page.status === "failed" ? (
          // The notice about the page names the reason and what to do.
          <p>
            {i18n.t("report.notices.notReadMeans")}{" "}
            <NotCheckedLink>{i18n.count("report.verdict.notChecked", summary.notChecked)}</NotCheckedLink>
          </p>
        ) : (
          <p>{notMeasuredBecause(result, i18n.locale, texts)}</p>
        )}
      </>
    );
  }
  return (
    <>
      <p class="verdict-line">
        <strong class={toneOf(rank)}>{capitalised(i18n.rank(rank), i18n)}.</strong> {problemsText(report.findings, i18n)}
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

/** Texts for one, two and three first steps. */
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
