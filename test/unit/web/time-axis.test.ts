/** Ticks of a time axis: round, few, within the range. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timeTicks } from "../../../src/web/components/score-chart.tsx";

const ticksOf = (from: string, to: string, ticksMax = 6) =>
  timeTicks(Date.parse(from), Date.parse(to), ticksMax).map(({ atMs, unit }) => `${new Date(atMs).toISOString().slice(0, 16)} ${unit}`);

describe("the ticks of a time axis", () => {
  test("are hours within a day, and the day at midnight", () => {
    expect(ticksOf("2026-11-19T20:10Z", "2026-11-20T04:00Z")).toEqual([
      "2026-11-19T21:00 minute",
      "2026-11-20T00:00 day",
      "2026-11-20T03:00 minute",
    ]);
  });

  test("are whole days within weeks", () => {
    const ticks = ticksOf("2026-11-01T12:00Z", "2026-11-11T12:00Z");
    expect(ticks.every((tick) => tick.endsWith("T00:00 day"))).toBe(true);
    expect(ticks).toHaveLength(5);
  });

  test("are first days of months within a year, and the same ones in every range", () => {
    expect(ticksOf("2025-12-15T00:00Z", "2026-11-22T00:00Z")).toEqual([
      "2026-01-01T00:00 month",
      "2026-04-01T00:00 month",
      "2026-07-01T00:00 month",
      "2026-10-01T00:00 month",
    ]);
    expect(ticksOf("2026-02-02T00:00Z", "2026-11-22T00:00Z")).toEqual([
      "2026-04-01T00:00 month",
      "2026-07-01T00:00 month",
      "2026-10-01T00:00 month",
    ]);
  });

  test("are years beyond", () => {
    expect(ticksOf("2020-05-01T00:00Z", "2026-11-22T00:00Z")).toEqual(
      [2021, 2022, 2023, 2024, 2025, 2026].map((year) => `${year}-01-01T00:00 year`),
    );
  });

  test("of a single time are at most one, and of an invalid range none", () => {
    expect(timeTicks(5, 5, 6)).toEqual([]);
    expect(timeTicks(7, 5, 6)).toEqual([]);
    expect(timeTicks(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 6)).toEqual([]);
  });

  test("are few, in order and within every range from two minutes to a century", () => {
    const from = fc.integer({ min: Date.UTC(2020), max: Date.UTC(2060) });
    const length = fc.integer({ min: 120_000, max: 36_500 * 86_400_000 });
    fc.assert(
      fc.property(from, length, (fromMs, lengthMs) => {
        const times = timeTicks(fromMs, fromMs + lengthMs, 6).map(({ atMs }) => atMs);
        expect(times.length).toBeGreaterThanOrEqual(1);
        expect(times.length).toBeLessThanOrEqual(6);
        expect(times.every((atMs, at) => atMs >= (times[at - 1] ?? fromMs) && atMs <= fromMs + lengthMs)).toBe(true);
      }),
    );
  });
});
