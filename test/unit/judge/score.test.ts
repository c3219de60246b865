/** Properties of the score, for any ledger. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { states } from "../../../src/check/check.ts";
import { standing } from "../../../src/judge/rank.ts";
import { type ScoredRow, scoreOf } from "../../../src/judge/score.ts";

const row = fc.record({ state: fc.constantFrom(...states), weight: fc.integer({ min: 1, max: 10 }) });
const rows = fc.array(row, { minLength: 1, maxLength: 70 });
const caps = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 3 });

describe("score", () => {
  test.each([
    ["everything passed", [["passed", 10]], [], 100],
    [
      "a third of the weight violated",
      [
        ["passed", 2],
        ["violated", 1],
      ],
      [],
      67,
    ],
    [
      "a cap below the share",
      [
        ["passed", 9],
        ["violated", 1],
      ],
      [20],
      20,
    ],
    [
      "the lowest of several caps",
      [
        ["passed", 9],
        ["violated", 1],
      ],
      [60, 20],
      20,
    ],
    [
      "a cap above the share changes nothing",
      [
        ["passed", 1],
        ["violated", 9],
      ],
      [60],
      10,
    ],
    [
      "rounding never reaches 100",
      [
        ["passed", 300],
        ["violated", 1],
      ],
      [],
      99,
    ],
    [
      "half of the applicable weight ran",
      [
        ["passed", 5],
        ["notChecked", 5],
      ],
      [],
      100,
    ],
    [
      "less than half ran",
      [
        ["passed", 4],
        ["notChecked", 5],
      ],
      [],
      null,
    ],
    ["nothing ran", [["notApplicable", 5]], [], null],
  ] as [string, [ScoredRow["state"], number][], number[], number | null][])("%s", (_words, given, scoreCaps, expected) => {
    expect(
      scoreOf(
        given.map(([state, weight]) => ({ state, weight })),
        scoreCaps,
        true,
      ),
    ).toBe(expected);
  });

  test("no score without the main document", () => {
    expect(scoreOf([{ state: "passed", weight: 10 }], [], false)).toBeNull();
  });

  test("property: null, or an integer from 0 to 100 within all caps", () => {
    fc.assert(
      fc.property(rows, caps, (given, scoreCaps) => {
        const score = scoreOf(given, scoreCaps, true);
        if (score === null) return;
        expect(Number.isInteger(score) && score >= 0 && score <= Math.min(100, ...scoreCaps)).toBe(true);
      }),
    );
  });

  test("property: fixing a finding never lowers it", () => {
    fc.assert(
      fc.property(rows, fc.nat(), (given, at) => {
        const before = scoreOf(given, [], true);
        const index = at % given.length;
        if (before === null || given[index]?.state !== "violated") return;
        const fixed = given.map((one, i): ScoredRow => (i === index ? { ...one, state: "passed" } : one));
        expect(scoreOf(fixed, [], true) ?? -1).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  test("property: a row that does not apply never changes it", () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 10 }), (given, weight) => {
        expect(scoreOf([...given, { state: "notApplicable", weight }], [], true)).toBe(scoreOf(given, [], true));
      }),
    );
  });

  test("property: 100 only without a violation", () => {
    fc.assert(
      fc.property(rows, (given) => {
        if (given.some((one) => one.state === "violated")) expect(scoreOf(given, [], true)).not.toBe(100);
      }),
    );
  });
});

describe("standing", () => {
  test.each([
    [100, "excellent", "good"],
    [95, "excellent", "good"],
    [94, "strong", "good"],
    [88, "strong", "good"],
    [87, "solid", "good"],
    [80, "solid", "good"],
    [79, "fair", "warn"],
    [65, "fair", "warn"],
    [64, "weak", "warn"],
    [50, "weak", "warn"],
    [49, "bad", "poor"],
    [25, "bad", "poor"],
    [24, "critical", "poor"],
    [0, "critical", "poor"],
    [null, "unknown", "unknown"],
  ] as const)("%p is %s, %s", (score, rank, band) => {
    expect(standing(score)).toEqual({ rank, band });
  });
});
