/** "How the score comes about": points, caps, what was asked, and rules. Folded, since most readers need only the verdict. */
import type { ComponentChildren } from "preact";
import type { ResultBasis, StoredResult } from "../judge/result.ts";
import { chargesOf, heldScore } from "../text/ledger-rows.ts";
import type { I18n } from "../text/translator.ts";
import { Details } from "./components/details.tsx";
import { ExternalLink } from "./components/external-link.tsx";
import { UnicodeHostName } from "./components/host-url.tsx";
import { Sentence, UntrustedText } from "./components/untrusted-text.tsx";
import { useDocument } from "./context.ts";
import { whyNotChecked } from "./evidence/reading-texts.ts";
import { passedPercent, pointsOf } from "./points.ts";
import type { Report, ShownFinding } from "./report.ts";

/** Characters of the page's title; the evidence shows more. */
const titleCharsMax = 200;
/** Element with the whole address. */
export const addressId = "address";

export function ScoreDetails({ report }: { readonly report: Report }) {
  const { i18n, idOf } = useDocument();
  const { score } = report.result;
  return (
    <Details id={idOf("score")} summary={<h2>{i18n.t("report.score.how")}</h2>}>
      {score !== null && <ScoreReasons report={report} score={score} />}
      <p>{coverageText(report, i18n)}</p>
      <ReportFacts report={report} />
    </Details>
  );
}

function coverageText({ counts, summary }: Report, i18n: I18n): string {
  const { total } = summary;
  return i18n.t("report.score.coverage", { ...counts, total });
}

function ScoreReasons({ report, score }: { readonly report: Report; readonly score: number }) {
  const { i18n, idOf } = useDocument();
  const caps = lowestCaps(report.findings);
  const cap = caps[0]?.scoreCap ?? null;
  const derivation = derivationOf(report, cap === score, i18n);
  return (
    <>
      {derivation !== null && <p>{derivation}</p>}
      {cap !== null && (
        <>
          <p>{i18n.count("report.score.capped", caps.length, { score: cap })}</p>
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

/** By the rules of algorithm version 2. */
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

/** Findings with the lowest cap: until they are fixed, no other fix raises the score. */
function lowestCaps(findings: readonly ShownFinding[]): readonly ShownFinding[] {
  const lowest = Math.min(...findings.map(({ scoreCap }) => scoreCap ?? Number.POSITIVE_INFINITY));
  return findings.filter(({ scoreCap }) => scoreCap !== null && scoreCap === lowest);
}

function ReportFacts({ report: { scan, result, evidence } }: { readonly report: Report }) {
  const { i18n, idOf } = useDocument();
  const navigation = evidence?.navigation.status === "read" ? evidence.navigation.facts : null;
  const title = evidence?.dom.status === "read" ? evidence.dom.facts.title : "";
  const status = evidence?.page.status === "read" ? evidence.page.facts.status : (navigation?.finalStatus ?? null);
  return (
    <dl class="facts">
      <Fact name={i18n.t("report.facts.url")} id={idOf(addressId)}>
        <Address url={scan.url} />
        <UnicodeHostName url={scan.url} />
      </Fact>
      {navigation !== null && navigation.finalUrl !== scan.url && (
        <Fact name={i18n.t("report.facts.finalUrl")}>
          <Address url={navigation.finalUrl} />
        </Fact>
      )}
      {title !== "" && (
        <Fact name={i18n.t("report.facts.documentTitle")}>
          <UntrustedText charsMax={titleCharsMax}>{title}</UntrustedText>
        </Fact>
      )}
      {status !== null && (
        <Fact name={i18n.t("report.facts.answer")}>
          {i18n.t("report.facts.status", { status })}
          {navigation !== null && navigation.remoteAddress !== null && (
            <>
              {" "}
              {i18n.t("report.facts.from")} <UntrustedText>{navigation.remoteAddress}</UntrustedText>
            </>
          )}
        </Fact>
      )}
      {scan.startedAt !== null && scan.endedAt !== null && (
        <Fact name={i18n.t("report.facts.duration")}>
          {i18n.count("report.facts.seconds", secondsBetween(scan.startedAt, scan.endedAt))}
        </Fact>
      )}
      <Fact name={i18n.t("report.facts.rules")}>
        {i18n.t("report.facts.versions", { algorithm: result.algorithmVersion, catalog: result.catalogVersion })}
      </Fact>
      {result.basis !== undefined && <Fact name={i18n.t("report.facts.basis")}>{basisText(result.basis, i18n)}</Fact>}
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

function Fact({ name, id, children }: { readonly name: string; readonly id?: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd {...(id === undefined ? {} : { id })}>{children}</dd>
    </>
  );
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
