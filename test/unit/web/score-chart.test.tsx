/** Chart and sparkline of scores: lines, gaps, marks, and links that a finger can hit. */
import fc from "fast-check";
import type { VNode } from "preact";
import { describe, expect, test } from "vitest";
import { dayMs } from "../../../src/base/units.ts";
import { ScoreChart, type ScorePoint, Sparkline } from "../../../src/web/components/score-chart.tsx";
import { pageIn, partHtml } from "../../support/part-html.tsx";

/** Width of the plot on a phone of 320 px, rounded down. */
const phonePlotPx = 190;
const start = Date.UTC(2026, 10, 1);

function htmlOf(part: VNode): string {
  return partHtml(part, pageIn());
}

const point = (day: number, score: number | null, more: Partial<ScorePoint> = {}): ScorePoint => ({
  atMs: start + day * dayMs,
  score,
  href: `/scans/${day}-${score}`,
  label: `day ${day}: ${score}`,
  ...more,
});
const chartOf = (points: readonly ScorePoint[], changes: readonly number[] = []) =>
  htmlOf(<ScoreChart label="Scores" series={[{ key: "one", sign: null, points }]} changes={changes} />);
const linesIn = (html: string) =>
  [...html.matchAll(/<polyline[^>]* points="([^"]+)"/g)].map(([, points = ""]) =>
    points.split(" ").map((pair) => pair.split(",").map(Number)),
  );

describe("the chart", () => {
  test("places points by time, not by number", () => {
    const [line] = linesIn(chartOf([point(0, 90), point(1, 90), point(10, 90)]));
    const [first, second, third] = (line ?? []).map(([x = 0]) => x);
    expect((third ?? 0) - (second ?? 0)).toBeCloseTo(9 * ((second ?? 0) - (first ?? 0)), 0);
  });

  test("leaves a gap where a scan has no score", () => {
    const html = chartOf([point(0, 90), point(1, 80), point(2, null), point(3, 70)]);
    expect(linesIn(html).map((line) => line.length)).toEqual([2, 1]);
    expect(html.match(/class="chart-dot"/g)).toHaveLength(3);
  });

  test("marks changed rules within its range", () => {
    const html = chartOf([point(0, 90), point(4, 80)], [start + dayMs, start + 9 * dayMs]);
    expect(html.match(/class="chart-change"/g)).toHaveLength(1);
  });

  test("has labels of times that do not touch on a phone, whatever the range", () => {
    const shares = { start: 0, middle: 0.5, end: 1 } as const;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_000 }), fc.integer({ min: 0, max: 400 }), (days, shift) => {
        const html = chartOf([point(shift, 90), point(shift + days, 80)]);
        const boxes = [...html.matchAll(/<text x="([\d.]+)%" y="230" text-anchor="(start|middle|end)">([^<]+)</g)].map(
          ([, x, anchor, text = ""]) => {
            const width = 7 * text.length;
            const from = (Number(x) / 100) * phonePlotPx - shares[anchor as keyof typeof shares] * width;
            return [from, from + width] as const;
          },
        );
        expect(boxes.length).toBeGreaterThan(0);
        for (const [at, [from]] of boxes.entries()) expect(from).toBeGreaterThan(boxes[at - 1]?.[1] ?? Number.NEGATIVE_INFINITY);
      }),
      { numRuns: 200 },
    );
  });

  test("links each point with a name, except the current one", () => {
    const html = chartOf([point(0, 90), point(4, 80), point(8, 70, { current: true })]);
    expect([...html.matchAll(/<a href="([^"]+)" aria-label="([^"]+)"/g)].map(([, href, label]) => [href, label])).toEqual([
      ["/scans/0-90", "day 0: 90"],
      ["/scans/4-80", "day 4: 80"],
    ]);
    expect(html).toContain('class="chart-current"');
    expect(html).not.toContain("style=");
  });

  test("links no two points that are nearer than a finger, and keeps the newest", () => {
    const html = chartOf(Array.from({ length: 100 }, (_none, day) => point(day, 90)));
    const links = [
      ...html.matchAll(/<a href="\/scans\/(\d+)-90"[^>]*?( class="chart-wide")?><circle class="chart-target" cx="([\d.]+)%"/g),
    ];
    const xs = (wide: boolean) => links.filter(([, , hidden]) => wide || hidden === undefined).map(([, , , x]) => Number(x));
    const nearest = (places: readonly number[]) => Math.min(...places.slice(1).map((x, at) => x - (places[at] ?? 0)));
    expect(links.at(-1)?.[1]).toBe("99");
    expect(xs(true).length).toBeGreaterThan(xs(false).length);
    expect((nearest(xs(true)) * 480) / 100).toBeGreaterThanOrEqual(24);
    expect((nearest(xs(false)) * 190) / 100).toBeGreaterThanOrEqual(24);
    expect(html.match(/class="chart-dot"/g)).toHaveLength(100);
  });

  test("moves the signs of equal scores apart", () => {
    const series = ["A", "B", "C"].map((sign) => ({ key: sign, sign, points: [point(0, 90), point(1, 50)] }));
    const html = htmlOf(<ScoreChart label="Scores" series={series} changes={[]} />);
    const ends = [...html.matchAll(/<text x="6" y="([\d.]+)">([A-C])</g)].map(([, y]) => Number(y));
    expect(ends).toHaveLength(3);
    expect(ends.slice(1).every((y, at) => y - (ends[at] ?? 0) >= 16)).toBe(true);
  });

  test.each([[[]], [[point(0, null)]], [[point(0, 50)]], [[point(0, 50), point(0, 60)]]])("draws %j", (points) => {
    expect(chartOf(points)).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe("the sparkline", () => {
  test("leaves a gap where a scan has no score, and ends in a dot", () => {
    const html = htmlOf(<Sparkline scores={[90, 80, null, 70]} />);
    expect(linesIn(html).map((line) => line.length)).toEqual([2, 1]);
    expect(html.match(/<circle/g)).toHaveLength(1);
  });

  test.each([[[]], [[50]]])("is absent for %j", (scores) => expect(htmlOf(<Sparkline scores={scores} />)).toBe(""));
  test("of scans without a score has no line", () => expect(linesIn(htmlOf(<Sparkline scores={[null, null]} />))).toEqual([]));
});
