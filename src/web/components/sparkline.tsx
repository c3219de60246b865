/** Line chart of scores, one step per scan; a table beside it has the same data. */

interface SparklinePoint {
  /** Null leaves a gap. */
  readonly score: number | null;
  /** True if checks or rules changed, so that the score is not comparable with the one before. */
  readonly changed?: boolean;
}

interface SparklineProps {
  /** Oldest first. */
  readonly points: readonly SparklinePoint[];
  /** Text for screen readers. */
  readonly label: string;
}

const width = 640;
const height = 150;
const margin = { top: 18, right: 48, bottom: 14, left: 48 };
/** Scores with a horizontal grid line. */
const lines = [0, 50, 100];

export function Sparkline({ points, label }: SparklineProps) {
  const last = points.findLastIndex(({ score }) => score !== null);
  const lastScore = points[last]?.score ?? null;
  const stepWidth = (width - margin.left - margin.right) / Math.max(points.length - 1, 1);
  const xOf = (at: number) => rounded(points.length === 1 ? width / 2 : margin.left + at * stepWidth);
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {lines.map((score) => (
        <g key={score}>
          <line class="spark-rule" x1={margin.left} x2={width - margin.right} y1={yOf(score)} y2={yOf(score)} />
          <text x={margin.left - 8} y={yOf(score) + 4} text-anchor="end">
            {score}
          </text>
        </g>
      ))}
      {points.map(({ changed }, at) =>
        changed === true ? (
          <line
            class="spark-change"
            key={String(at)}
            x1={xOf(at) - stepWidth / 2}
            x2={xOf(at) - stepWidth / 2}
            y1={margin.top - 12}
            y2={height - margin.bottom}
            stroke-dasharray="2 3"
          />
        ) : null,
      )}
      {runsOf(points).map((run) => (
        <polyline class="spark-line" key={run[0]} points={run.map((at) => `${xOf(at)},${yOf(points[at]?.score ?? 0)}`).join(" ")} />
      ))}
      {points.map(({ score }, at) =>
        score === null ? null : <circle class="spark-dot" key={String(at)} cx={xOf(at)} cy={yOf(score)} r={at === last ? 4 : 2.5} />,
      )}
      {lastScore !== null && (
        <text class="spark-last" x={xOf(last) + 9} y={yOf(lastScore) + 5}>
          {lastScore}
        </text>
      )}
    </svg>
  );
}

function yOf(score: number): number {
  return rounded(margin.top + ((100 - score) / 100) * (height - margin.top - margin.bottom));
}

function rounded(number: number): number {
  return Math.round(10 * number) / 10;
}

/** Indexes of consecutive points without a gap. */
function runsOf(points: readonly SparklinePoint[]): readonly (readonly number[])[] {
  const runs: number[][] = [[]];
  points.forEach(({ score }, at) => {
    if (score === null) runs.push([]);
    else runs.at(-1)?.push(at);
  });
  return runs.filter((run) => run.length > 0);
}
