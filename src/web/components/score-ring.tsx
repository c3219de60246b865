/** Score ring: score of 100, coverage of checks and rank thresholds. */
import { type Band, type Rank, rankFloors } from "../../judge/rank.ts";
import { useI18n } from "../context.ts";
import type { I18n } from "../i18n.ts";

interface ScoreRingProps {
  /** 0 to 100; null if not measured, which is never drawn as zero. */
  readonly score: number | null;
  readonly band: Band;
  readonly rank: Rank;
  /** Thin inner ring: checks that ran out of all applicable ones. */
  readonly coverage?: { readonly ran: number; readonly total: number };
  /** Text for screen readers; by default score, band and rank. */
  readonly label?: string;
}

const middle = 60;
const ringRadius = 47;
const coverageRadius = 39;

export function ScoreRing({ score, band, rank, coverage, label }: ScoreRingProps) {
  const i18n = useI18n();
  return (
    <svg class="ring" viewBox="0 0 120 120" role="img" aria-label={label ?? scoreText(i18n, { score, rank })}>
      <g transform={`rotate(-90 ${middle} ${middle})`}>
        {rankFloors.map((floor) => (
          <RankTick key={floor} floor={floor} reached={score !== null && score >= floor} />
        ))}
        <circle class="ring-track" cx={middle} cy={middle} r={ringRadius} stroke-width="8" {...(score === null ? empty : {})} />
        {score !== null && score > 0 && <Arc class={`ring-arc ${band}`} radius={ringRadius} width={8} percent={score} />}
        {coverage !== undefined && coverage.total > 0 && (
          <Arc class="ring-coverage" radius={coverageRadius} width={1.5} percent={(100 * coverage.ran) / coverage.total} />
        )}
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

interface ArcProps {
  readonly class: string;
  readonly radius: number;
  readonly width: number;
  readonly percent: number;
}

function Arc({ radius, width, percent, ...rest }: ArcProps) {
  return (
    <circle
      {...rest}
      cx={middle}
      cy={middle}
      r={radius}
      stroke-width={width}
      pathLength={100}
      stroke-dasharray={`${Math.round(10 * percent) / 10} 100`}
    />
  );
}

function RankTick({ floor, reached }: { readonly floor: number; readonly reached: boolean }) {
  const from = middle + ringRadius + 7;
  return (
    <line
      class={reached ? "ring-tick reached" : "ring-tick"}
      x1={from}
      x2={from + 4}
      y1={middle}
      y2={middle}
      stroke-width={reached ? 2 : 1}
      transform={`rotate(${3.6 * floor} ${middle} ${middle})`}
    />
  );
}

/** Inline variant for lists. */
export function SmallScore({ score, band }: Pick<ScoreRingProps, "score" | "band">) {
  const i18n = useI18n();
  return (
    <span class="score-small">
      <svg class="ring" viewBox="0 0 20 20" aria-hidden="true">
        <circle class="ring-track" cx="10" cy="10" r="8" stroke-width="3" {...(score === null ? empty : {})} />
        {score !== null && score > 0 && (
          <circle
            class={`ring-arc ${band}`}
            cx="10"
            cy="10"
            r="8"
            stroke-width="3"
            pathLength={100}
            stroke-dasharray={`${score} 100`}
            transform="rotate(-90 10 10)"
          />
        )}
      </svg>
      {score === null ? (
        <span class="muted">{i18n.t("components.score.notMeasured")}</span>
      ) : (
        <>
          <strong>{i18n.number(score)}</strong>
          <span class={band}>{i18n.band(band)}</span>
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
