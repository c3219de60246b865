/** Charts of scores over time: one line a series, tinted bands, points that are links, ticks at round times in UTC; and the small line of cards. A table beside the chart has the same data. */
import { dayMs, minuteMs } from "../../base/units.ts";
import { standing } from "../../judge/result.ts";
import { useI18n } from "../../report/context.ts";
import { scoreTones, toneOf } from "../../text/score-tone.ts";
import type { TickUnit } from "../../text/translator.ts";

export interface ScorePoint {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** 0 to 100; null leaves a gap. */
  readonly score: number | null;
  readonly href: string;
  /** Name of the link: time and score. */
  readonly label: string;
  /** The scan of this page: marked, and no link. */
  readonly current?: boolean;
}

export interface ScoreSeries {
  readonly key: string;
  /** Sign at the end of the line, as in the legend. Null for a single series, which ends in its score. */
  readonly sign: string | null;
  /** Oldest first. */
  readonly points: readonly ScorePoint[];
}

interface ScoreChartProps {
  readonly series: readonly ScoreSeries[];
  /** Times in milliseconds since 1970 from which other rules apply. */
  readonly changes: readonly number[];
  /** Text for screen readers. */
  readonly label: string;
}

/** Heights in CSS pixels. Widths are percentages, so that text and points keep their size at every width. */
const plotHeight = 208;
const axisHeight = 28;
const yPadding = 12;
/** Free share of the width beside the first and the last point. */
const xPaddingPercent = 4;
const ticksMax = 6;
/** Width of a character of a label, rounded up, and the least distance of two labels, in CSS pixels. */
const tickCharPx = 7;
const tickGapPx = 8;
/** Ticks nearer to an edge, in percent, are aligned with it. */
const tickEdgePercent = 8;
/** Scores of each tone, best first, as the table of ranks has them. */
const chartBands = scoreTones
  .filter((tone) => tone !== "unknown")
  .map((tone) => {
    const scores = Array.from({ length: 101 }, (_none, score) => score).filter((score) => toneOf(standing(score).rank) === tone);
    return { tone, from: Math.min(...scores), to: Math.min(Math.max(...scores) + 1, 100) };
  });
/** Smallest distance of two links in CSS pixels: WCAG 2.2, 2.5.8. */
const targetPx = 24;
/** Width of the plot for which links are chosen, in CSS pixels: on a phone, and from `.chart-wide` on. */
const narrowPlotPx = 190;
const widePlotPx = 480;
/** Distance from the middle of a text to its base line. */
const textShift = 4;
/** Smallest distance of two signs at the ends of lines, in CSS pixels. */
const signPx = 16;

interface Scale {
  readonly x: (atMs: number) => number;
  readonly fromMs: number;
  readonly toMs: number;
}

export function ScoreChart({ series, changes, label }: ScoreChartProps) {
  const scale = scaleOf(series);
  return (
    <div class="chart">
      <ScoreAxis />
      <svg class="chart-plot" height={plotHeight + axisHeight} aria-hidden="true">
        <Bands />
        <TimeAxis scale={scale} />
        {changes
          .filter((atMs) => atMs > scale.fromMs && atMs <= scale.toMs)
          .map((atMs) => (
            <line key={atMs} class="chart-change" x1={percent(scale.x(atMs))} x2={percent(scale.x(atMs))} y1="0" y2={plotHeight} />
          ))}
        <Lines series={series} scale={scale} />
        {series.map(({ key, points }) => (
          <Dots key={key} points={points} scale={scale} />
        ))}
      </svg>
      <Links series={series} scale={scale} label={label} />
      <LineEnds series={series} />
    </div>
  );
}

function scaleOf(series: readonly ScoreSeries[]): Scale {
  const times = series.flatMap(({ points }) => points.map(({ atMs }) => atMs));
  const fromMs = times.reduce((least, atMs) => Math.min(least, atMs), Number.POSITIVE_INFINITY);
  const toMs = times.reduce((most, atMs) => Math.max(most, atMs), Number.NEGATIVE_INFINITY);
  const x = (atMs: number) => (fromMs < toMs ? xPaddingPercent + ((atMs - fromMs) / (toMs - fromMs)) * (100 - 2 * xPaddingPercent) : 50);
  return { fromMs, toMs, x };
}

function yOf(score: number): number {
  return rounded(yPadding + ((100 - score) / 100) * (plotHeight - 2 * yPadding));
}

function rounded(number: number): number {
  return Math.round(10 * number) / 10;
}

function percent(number: number): string {
  return `${rounded(number)}%`;
}

function ScoreAxis() {
  return (
    <svg class="chart-scores" height={plotHeight} aria-hidden="true">
      {[100, ...chartBands.map(({ from }) => from)].map((score) => (
        <text key={score} x="100%" y={yOf(score) + textShift} text-anchor="end">
          {score}
        </text>
      ))}
    </svg>
  );
}

function Bands() {
  return (
    <>
      {chartBands.map(({ tone, from, to }) => {
        const top = to === 100 ? 0 : yOf(to);
        const bottom = from === 0 ? plotHeight : yOf(from);
        return (
          <g key={tone} class={tone}>
            <rect class="chart-band" x="0" y={top} width="100%" height={rounded(bottom - top)} />
          </g>
        );
      })}
    </>
  );
}

function TimeAxis({ scale: { x, fromMs, toMs } }: { readonly scale: Scale }) {
  const i18n = useI18n();
  const labels = timeTicks(fromMs, toMs, ticksMax).map(({ atMs, unit }): TickLabel => {
    const position = x(atMs);
    const anchor = position < tickEdgePercent ? "start" : position > 100 - tickEdgePercent ? "end" : "middle";
    return { text: i18n.tick(new Date(atMs).toISOString(), unit), position, anchor };
  });
  const narrow = apartOnPhones(labels);
  return (
    <>
      {labels.map((label) => {
        const { text, position, anchor } = label;
        return (
          <g key={position}>
            <line class="chart-tick" x1={percent(position)} x2={percent(position)} y1={plotHeight} y2={plotHeight + 6} />
            <text {...(narrow.has(label) ? {} : { class: "chart-wide" })} x={percent(position)} y={plotHeight + 22} text-anchor={anchor}>
              {text}
            </text>
          </g>
        );
      })}
    </>
  );
}

interface TickLabel {
  readonly text: string;
  /** Percent of the width. */
  readonly position: number;
  readonly anchor: "start" | "middle" | "end";
}

const anchorShares = { start: 0, middle: 0.5, end: 1 } as const;

/** Labels that do not touch each other on a narrow plot, from the first one on. */
function apartOnPhones(labels: readonly TickLabel[]): ReadonlySet<TickLabel> {
  const kept = new Set<TickLabel>();
  let freePx = 0;
  for (const label of labels) {
    const width = label.text.length * tickCharPx;
    const fromPx = (label.position / 100) * narrowPlotPx - anchorShares[label.anchor] * width;
    if (kept.size > 0 && fromPx < freePx) continue;
    kept.add(label);
    freePx = fromPx + width + tickGapPx;
  }
  return kept;
}

interface PlotProps {
  readonly series: readonly ScoreSeries[];
  readonly scale: Scale;
}

/** The box is stretched to the width; strokes keep theirs. */
function Lines({ series, scale }: PlotProps) {
  return (
    <svg viewBox={`0 0 100 ${plotHeight}`} width="100%" height={plotHeight} preserveAspectRatio="none" aria-hidden="true">
      {series.flatMap(({ key, points }, at) =>
        scoreRuns(points).map((run) => (
          <polyline
            key={`${key} ${run[0]?.atMs}`}
            class="chart-line"
            data-line={at}
            vector-effect="non-scaling-stroke"
            points={run.map(({ atMs, score }) => `${rounded(scale.x(atMs))},${yOf(score)}`).join(" ")}
          />
        )),
      )}
    </svg>
  );
}

function Dots({ points, scale }: { readonly points: readonly ScorePoint[]; readonly scale: Scale }) {
  const last = points.findLast(({ score }) => score !== null);
  return (
    <>
      {points.map((point) => {
        if (point.score === null) return null;
        const [cx, cy] = [percent(scale.x(point.atMs)), yOf(point.score)];
        return (
          <g key={point.href}>
            {point.current === true && <circle class="chart-current" cx={cx} cy={cy} r="8" />}
            <circle class="chart-dot" cx={cx} cy={cy} r={point === last ? 4 : 3} />
          </g>
        );
      })}
    </>
  );
}

interface PlacedLink {
  readonly point: ScorePoint;
  readonly x: number;
  readonly y: number;
  readonly narrow: boolean;
}

/** Links in the order of time. Where points are too near for a finger, the newest has the link; the table has all. */
function Links({ series, scale, label }: PlotProps & Pick<ScoreChartProps, "label">) {
  const links = placedLinks(series, scale).toSorted((one, other) => one.point.atMs - other.point.atMs);
  if (links.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML has no element for a group within SVG.
    <svg class="chart-plot" height={plotHeight} role="group" aria-label={label}>
      {links.map(({ point, x, y, narrow }) => (
        <a key={point.href} href={point.href} aria-label={point.label} {...(narrow ? {} : { class: "chart-wide" })}>
          <circle class="chart-target" cx={percent(x)} cy={y} r={targetPx / 2}>
            <title>{point.label}</title>
          </circle>
        </a>
      ))}
    </svg>
  );
}

function placedLinks(series: readonly ScoreSeries[], scale: Scale): readonly PlacedLink[] {
  const placed: PlacedLink[] = [];
  const newestFirst = series.flatMap(({ points }) => points).toSorted((one, other) => other.atMs - one.atMs);
  for (const point of newestFirst) {
    if (point.score === null || point.current === true) continue;
    const [x, y] = [rounded(scale.x(point.atMs)), yOf(point.score)];
    const hasRoom = (others: readonly PlacedLink[], plotPx: number) =>
      others.every((other) => Math.hypot(((other.x - x) / 100) * plotPx, other.y - y) >= targetPx);
    if (!hasRoom(placed, widePlotPx)) continue;
    const narrow = hasRoom(
      placed.filter((other) => other.narrow),
      narrowPlotPx,
    );
    placed.push({ point, x, y, narrow });
  }
  return placed;
}

/** Signs of the series, or the latest score, at the height of the last points; moved apart where they would overlap. */
function LineEnds({ series }: Pick<ScoreChartProps, "series">) {
  const ends = series
    .flatMap(({ key, sign, points }) => {
      const score = points.findLast((point) => point.score !== null)?.score ?? null;
      return score === null ? [] : [{ key, text: sign ?? String(score), y: yOf(score) }];
    })
    .toSorted((one, other) => one.y - other.y);
  let least = 0;
  return (
    <svg class="chart-ends" height={plotHeight} aria-hidden="true">
      {ends.map(({ key, text, y }) => {
        const placed = Math.max(y, least);
        least = placed + signPx;
        return (
          <text key={key} x="6" y={placed + 5}>
            {text}
          </text>
        );
      })}
    </svg>
  );
}

const spark = { width: 120, height: 32, margin: 4 };

interface SparklineProps {
  /** Oldest first; null leaves a gap. */
  readonly scores: readonly (number | null)[];
  /** Places of the scores from 0 to 1; by default, all have the same distance. */
  readonly places?: readonly number[];
}

/** Small line of scores for cards and rows. Decorative: the figures are beside it as text. Null below two points, which make no line. */
export function Sparkline({ scores, places }: SparklineProps) {
  const { width, height, margin } = spark;
  const yOf = (score: number) => rounded(margin + ((100 - score) / 100) * (height - 2 * margin));
  if (scores.length < 2) return null;
  const placeOf = (at: number) => places?.[at] ?? at / (scores.length - 1);
  const points = scores.map((score, at) => ({ score, x: margin + placeOf(at) * (width - 2 * margin) }));
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

/** Points between gaps, in their order: one line each. */
function scoreRuns<P extends { readonly score: number | null }>(points: readonly P[]): readonly (P & { readonly score: number })[][] {
  const runs: (P & { readonly score: number })[][] = [[]];
  for (const point of points) {
    const { score } = point;
    if (score === null) runs.push([]);
    else runs.at(-1)?.push({ ...point, score });
  }
  return runs.filter((run) => run.length > 0);
}

export interface TimeTick {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly unit: TickUnit;
}

const minuteSteps = [1, 5, 15, 30, 60, 180, 360, 720];
const daySteps = [1, 2, 7, 14];
const monthSteps = [1, 3, 6];
const yearSteps = [1, 2, 5, 10, 20, 50, 100];

/** At most `ticksMax` ticks from `fromMs` to `toMs`, both included; the finest step that keeps the limit. Empty for an invalid range. */
export function timeTicks(fromMs: number, toMs: number, ticksMax: number): readonly TimeTick[] {
  if (!(fromMs <= toMs)) return [];
  for (const step of steps) {
    const ticks = step(fromMs, toMs, ticksMax);
    if (ticks.length <= ticksMax) return ticks;
  }
  return [];
}

/** May return one tick more than the limit, which rejects the step. */
type Step = (fromMs: number, toMs: number, ticksMax: number) => readonly TimeTick[];

const steps: readonly Step[] = [
  ...minuteSteps.map((minutes) => fixedStep(minutes * minuteMs)),
  ...daySteps.map((days) => fixedStep(days * dayMs)),
  ...monthSteps.map((months) => calendarStep(months, "month")),
  ...yearSteps.map((years) => calendarStep(12 * years, "year")),
];

function fixedStep(stepMs: number): Step {
  return (fromMs, toMs, ticksMax) => {
    const ticks: TimeTick[] = [];
    for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs <= toMs && ticks.length <= ticksMax; atMs += stepMs)
      ticks.push({ atMs, unit: atMs % dayMs === 0 ? "day" : "minute" });
    return ticks;
  };
}

function calendarStep(months: number, unit: TickUnit): Step {
  return (fromMs, toMs, ticksMax) => {
    const from = new Date(fromMs);
    const ticks: TimeTick[] = [];
    // Counted from the year 0, so that the same months are chosen in every range.
    let month = Math.floor((12 * from.getUTCFullYear() + from.getUTCMonth()) / months) * months;
    for (; ticks.length <= ticksMax; month += months) {
      const atMs = Date.UTC(Math.floor(month / 12), month % 12);
      if (atMs > toMs) break;
      if (atMs >= fromMs) ticks.push({ atMs, unit });
    }
    return ticks;
  };
}
