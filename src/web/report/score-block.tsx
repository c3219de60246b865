/** The score: how much, how good that is, how it moved, and why it is not more. */

import { sameRules } from "../../text/comparison.ts";
import { BandChip } from "../components/chips.tsx";
import { Sentence } from "../components/foreign.tsx";
import { ScoreRing, scoreWords } from "../components/score-ring.tsx";
import { useWords } from "../context.ts";
import { endOf } from "../scans/scan-end.ts";
import type { Words } from "../words.ts";
import { failureText } from "./evidence/reading-words.ts";
import type { Report, ShownFinding } from "./report.ts";
import { type Points, pointsOf, shareOf } from "./standing.ts";

export function ScoreBlock({ report }: { readonly report: Report }) {
  const words = useWords();
  const { score, band, rank } = report.result;
  const { ran, total } = report.summary;
  const movement = movementOf(report, words);
  return (
    <section class="score-block" aria-labelledby="report-score">
      <ScoreRing
        score={score}
        band={band}
        rank={rank}
        coverage={{ ran, total }}
        {...(movement === null ? {} : { label: `${scoreWords(words, report.result)}, ${movement}` })}
      />
      <div>
        <h2 id="report-score" class="unseen">
          {words.say("report.score.heading")}
        </h2>
        <p class="chips">
          <BandChip band={band} />
          {score !== null && <span>{words.say("report.score.rank", { rank: words.rank(rank) })}</span>}
        </p>
        {movement !== null && (
          <p>{report.previous === null ? movement : <a href={`/scans/${report.scan.token}/compare?with=previous`}>{movement}</a>}</p>
        )}
        <Reasons report={report} />
      </div>
    </section>
  );
}

/** How the score moved since the scan of the same URL before; null where there is none to set it beside. */
function movementOf({ previous, result }: Report, words: Words): string | null {
  if (previous === null || previous.summary === null) return null;
  const { score } = previous.summary;
  const since = words.day(endOf(previous));
  if (score === null || result.score === null) return null;
  if (!sameRules(previous.summary, result)) return words.say("report.score.otherRules", { score, since });
  const delta = result.score - score;
  if (delta === 0) return words.say("report.score.same", { since });
  return words.count(delta > 0 ? "report.score.up" : "report.score.down", Math.abs(delta), { since });
}

/** Why the score is what it is. */
function Reasons({ report }: { readonly report: Report }) {
  const words = useWords();
  return report.result.score === null ? (
    <p>{whyNotMeasured(report, words)}</p>
  ) : (
    <WhyThisMuch report={report} score={report.result.score} />
  );
}

function whyNotMeasured({ evidence }: Report, words: Words): string {
  const page = evidence?.page;
  return page?.status === "failed"
    ? words.say("report.score.pageNotRead", { because: failureText(words, page.because) })
    : words.say("report.score.tooLittle");
}

function WhyThisMuch({ report, score }: { readonly report: Report; readonly score: number }) {
  const words = useWords();
  const points = pointsOf(report.result);
  const share = points === null ? null : shareOf(points);
  const caps = lowestCaps(report.findings);
  const cap = caps[0]?.scoreCap ?? null;
  return (
    <>
      {points !== null && share !== null && <p>{pointsTold(points, share, share > score && cap !== score, words)}</p>}
      {cap !== null && (
        <>
          <p>{words.count("report.score.capped", caps.length, { score: cap })}</p>
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
      {report.summary.violated === 0 && <p>{words.say("report.score.nothingWrong")}</p>}
    </>
  );
}

function pointsTold({ passed, ran, notChecked }: Points, share: number, rounded: boolean, words: Words): string {
  const sentences = [
    words.say("report.score.points", { passed, ran, share }),
    ...(rounded ? [words.say("report.score.rounding")] : []),
    ...(notChecked > 0 ? [words.count("report.score.notCounted", notChecked)] : []),
  ];
  return sentences.join(" ");
}

/** The findings with the lowest cap of all: until they are fixed, no other one matters. */
function lowestCaps(findings: readonly ShownFinding[]): readonly ShownFinding[] {
  const lowest = Math.min(...findings.map(({ scoreCap }) => scoreCap ?? Number.POSITIVE_INFINITY));
  return findings.filter(({ scoreCap }) => scoreCap !== null && scoreCap === lowest);
}
