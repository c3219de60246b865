/** Small line of scores for cards. Decorative: the card has the figures as text. */

interface SparklineProps {
  /** Oldest first; null leaves a gap. */
  readonly scores: readonly (number | null)[];
}

const width = 120;
const height = 32;
const margin = 4;

/** Null below two points, which make no line. */
export function Sparkline({ scores }: SparklineProps) {
  if (scores.length < 2) return null;
  const points = scores.map((score, at) => ({ score, x: margin + (at * (width - 2 * margin)) / (scores.length - 1) }));
  const last = points.findLast(({ score }) => score !== null);
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {scoreRuns(points).map((run) => (
        <polyline key={run[0]?.x} class="chart-line" points={run.map(({ x, score }) => `${rounded(x)},${yOf(score)}`).join(" ")} />
      ))}
      {last !== undefined && last.score !== null && <circle class="chart-dot" cx={rounded(last.x)} cy={yOf(last.score)} r="3" />}
    </svg>
  );
}

function yOf(score: number): number {
  return rounded(margin + ((100 - score) / 100) * (height - 2 * margin));
}

function rounded(number: number): number {
  return Math.round(10 * number) / 10;
}

/** Points between gaps, in their order: one line each. */
export function scoreRuns<P extends { readonly score: number | null }>(
  points: readonly P[],
): readonly (P & { readonly score: number })[][] {
  const runs: (P & { readonly score: number })[][] = [[]];
  for (const point of points) {
    if (hasScore(point)) runs.at(-1)?.push(point);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

function hasScore<P extends { readonly score: number | null }>(point: P): point is P & { readonly score: number } {
  return point.score !== null;
}
