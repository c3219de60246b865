/** Score section: score ring, band, rank, change since the previous scan, and reasons. */
import type { StoredResult } from "../../judge/result.ts";
import { chargesOf } from "../../text/charges.ts";
import { sameRules } from "../../text/comparison.ts";
import { heldScore, notMeasuredBecause } from "../../text/unread.ts";
import { BandChip } from "../components/chips.tsx";
import { ScoreRing, scoreText } from "../components/score-ring.tsx";
import { Sentence } from "../components/untrusted-text.tsx";
import { useI18n, useVisit } from "../context.ts";
import type { I18n } from "../i18n.ts";
import { endOf } from "../scans/scan-end.ts";
import { whyNotChecked } from "./evidence/reading-texts.ts";
import { passedPercent, pointsOf } from "./points.ts";
import type { Report, ShownFinding } from "./report.ts";

export function ScoreBlock({ report }: { readonly report: Report }) {
  const i18n = useI18n();
  const { score, band, rank } = report.result;
  const { ran, total } = report.summary;
  const movement = movementOf(report, i18n);
  return (
    <section class="score-block" aria-labelledby="report-score">
      <ScoreRing
        score={score}
        band={band}
        rank={rank}
        coverage={{ ran, total }}
        {...(movement === null ? {} : { label: `${scoreText(i18n, report.result)}, ${movement}` })}
      />
      <div>
        <h2 id="report-score" class="unseen">
          {i18n.t("report.score.heading")}
        </h2>
        <p class="chips">
          <BandChip band={band} />
          {score !== null && <span>{i18n.t("report.score.rank", { rank: i18n.rank(rank) })}</span>}
        </p>
        {movement !== null && (
          <p>{report.previous === null ? movement : <a href={`/scans/${report.scan.token}/compare?with=previous`}>{movement}</a>}</p>
        )}
        <Reasons report={report} />
      </div>
    </section>
  );
}

/** Change since the previous scan of the same URL; null if nothing is comparable. */
function movementOf({ previous, result }: Report, i18n: I18n): string | null {
  if (previous === null || previous.summary === null) return null;
  const { score } = previous.summary;
  const since = i18n.date(endOf(previous));
  if (score === null || result.score === null) return null;
  if (!sameRules(previous.summary, result)) return i18n.t("report.score.otherRules", { score, since });
  const delta = result.score - score;
  if (delta === 0) return i18n.t("report.score.same", { since });
  return i18n.count(delta > 0 ? "report.score.up" : "report.score.down", Math.abs(delta), { since });
}

function Reasons({ report }: { readonly report: Report }) {
  const { i18n, settings } = useVisit();
  const because = notMeasuredBecause(report.result, i18n.locale, settings.texts);
  return report.result.score === null ? <p>{because}</p> : <ScoreReasons report={report} score={report.result.score} />;
}

function ScoreReasons({ report, score }: { readonly report: Report; readonly score: number }) {
  const i18n = useI18n();
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
                <a href={`#${anchor}`}>
                  <Sentence text={texts.title} />
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      <Held report={report} />
      {report.counts.violated === 0 && <p>{i18n.t("report.score.nothingWrong")}</p>}
    </>
  );
}

/** Rows without a verdict that limit the score, with what to do about each. */
function Held({ report: { result, rows } }: { readonly report: Report }) {
  const { i18n, settings } = useVisit();
  const held = heldScore(result, i18n.locale, settings.texts);
  if (held === null) return null;
  return (
    <>
      <p>{i18n.count("report.score.held", held.rows.length, { score: held.scoreMax })}</p>
      <ul>
        {held.rows.map(({ key, because, remedy }) => (
          <li key={key}>
            <a href={`#${key}`}>{rows.find(({ row }) => row.key === key)?.label ?? key}</a>: {whyNotChecked(i18n, because, result.basis)}{" "}
            {remedy}
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
