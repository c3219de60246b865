/** Score ring: score of 100. */
import type { ComponentProps } from "preact";
import { type Rank, standing } from "../../judge/result.ts";
import { type ScoreTone, toneOf } from "../../text/score-tone.ts";
import type { I18n } from "../../text/translator.ts";
import { useI18n } from "../context.ts";

interface ScoreRingProps {
  /** 0 to 100; null if not measured, which is never drawn as zero. */
  readonly score: number | null;
  readonly rank: Rank;
  /** Text for screen readers; by default score and rank. */
  readonly label?: string;
}

const middle = 60;
const ringRadius = 53;

export function ScoreRing({ score, rank, label }: ScoreRingProps) {
  const i18n = useI18n();
  return (
    <svg class="ring" viewBox="0 0 120 120" role="img" aria-label={label ?? scoreText(i18n, { score, rank })}>
      <g transform={`rotate(-90 ${middle} ${middle})`}>
        <Arcs score={score} tone={toneOf(rank)} circle={{ cx: middle, cy: middle, r: ringRadius, "stroke-width": "8" }} />
      </g>
      {score === null ? (
        <text class="ring-of" x={middle} y={middle + 3}>
          {i18n.t("components.score.notMeasured")}
        </text>
      ) : (
        <>
          <text class="ring-number" x={middle} y={middle + 8}>
            {i18n.number(score)}
          </text>
          <text class="ring-of" x={middle} y={middle + 22}>
            {i18n.t("components.score.of")}
          </text>
        </>
      )}
    </svg>
  );
}

/** Attributes of the ring without a score. */
const empty = { class: "ring-none", "stroke-dasharray": "1 2.125", pathLength: 100 } as const;

interface ArcsProps extends Pick<ScoreRingProps, "score"> {
  readonly tone: ScoreTone;
  readonly circle: ComponentProps<"circle">;
  readonly transform?: string;
}

/** The whole circle, and the part of it that the score fills. */
function Arcs({ score, tone, circle, ...turned }: ArcsProps) {
  return (
    <>
      <circle class="ring-track" {...circle} {...(score === null ? empty : {})} />
      {score !== null && score > 0 && (
        <circle class={`ring-arc ${tone}`} {...circle} pathLength={100} stroke-dasharray={`${score} 100`} {...turned} />
      )}
    </>
  );
}

/** Inline variant for lists. */
export function SmallScore({ score }: Pick<ScoreRingProps, "score">) {
  const i18n = useI18n();
  const { rank } = standing(score);
  const tone = toneOf(rank);
  return (
    <span class="score-small">
      <svg class="ring" viewBox="0 0 20 20" aria-hidden="true">
        <Arcs score={score} tone={tone} circle={{ cx: "10", cy: "10", r: "8", "stroke-width": "3" }} transform="rotate(-90 10 10)" />
      </svg>
      {score === null ? (
        <span class="muted">{i18n.t("components.score.notMeasured")}</span>
      ) : (
        <>
          <strong>{i18n.number(score)}</strong>
          <span class={tone}>{i18n.rank(rank)}</span>
        </>
      )}
    </span>
  );
}

/** Score and rank as one text. */
export function scoreText(i18n: I18n, { score, rank }: Pick<ScoreRingProps, "score" | "rank">): string {
  if (score === null) return i18n.t("components.score.notMeasured");
  return i18n.t("components.score.ring", { score: i18n.number(score), rank: i18n.rank(rank) });
}
