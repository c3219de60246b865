/** Properties of the score, for any ledger. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { states } from "../../../src/check/check.ts";
import { standing } from "../../../src/judge/result.ts";
import { type ScoredRow, scoreOf } from "../../../src/judge/score.ts";

const row = fc.record({
  state: fc.constantFrom(...states),
  weight: fc.integer({ min: 0, max: 10 }),
  charged: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
});
const rows: fc.Arbitrary<readonly ScoredRow[]> = fc
  .array(row, { minLength: 1, maxLength: 70 })
  .map((given) => given.map(({ charged, ...one }) => (charged === undefined ? one : { ...one, charged })));
const caps = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 3 });

/** Rows by state, weight and charge. */
type Given = readonly (readonly [ScoredRow["state"], number, number?])[];

describe("score", () => {
  test.each<[string, Given, readonly number[], number | null]>([
    ["everything passed", [["passed", 10]], [], 100],
    [
      "one point of violated weight",
      [
        ["passed", 10],
        ["violated", 1],
      ],
      [],
      99,
    ],
    [
      "ten points",
      [
        ["passed", 10],
        ["violated", 10],
      ],
      [],
      90,
    ],
    [
      "a finding charges more than its check weighs",
      [
        ["passed", 10],
        ["violated", 8, 30],
      ],
      [],
      74,
    ],
    [
      "a finding charges less",
      [
        ["passed", 10],
        ["violated", 6, 1],
      ],
      [],
      99,
    ],
    [
      "a violated row that charges nothing",
      [
        ["passed", 10],
        ["violated", 6, 0],
      ],
      [],
      100,
    ],
    [
      "a note",
      [
        ["passed", 10],
        ["violated", 0],
      ],
      [],
      100,
    ],
    [
      "passed weight makes up for nothing",
      [
        ["passed", 1],
        ["violated", 10],
      ],
      [],
      90,
    ],
    [
      "a cap below the rest",
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
      "a cap above the rest changes nothing",
      [
        ["passed", 1],
        ["violated", 8, 30],
        ["violated", 6, 30],
      ],
      [60],
      55,
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
    ["only a note ran", [["passed", 0]], [], null],
    [
      "a main defence was not read",
      [
        ["passed", 30],
        ["notChecked", 8],
      ],
      [],
      79,
    ],
    [
      "a check of less weight was not read",
      [
        ["passed", 30],
        ["notChecked", 7],
      ],
      [],
      100,
    ],
    [
      "a main defence does not apply",
      [
        ["passed", 30],
        ["notApplicable", 10],
      ],
      [],
      100,
    ],
    [
      "a main defence was not read, and a lower cap",
      [
        ["passed", 30],
        ["notChecked", 8],
      ],
      [60],
      60,
    ],
  ])("%s", (_words, given, scoreCaps, expected) => {
    const rowsGiven = given.map(([state, weight, charged]) => ({ state, weight, ...(charged !== undefined && { charged }) }));
    expect(scoreOf(rowsGiven, scoreCaps, true)).toBe(expected);
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

  test("property: fixing a finding never lowers it, wholly or in part", () => {
    fc.assert(
      fc.property(rows, fc.nat(), fc.nat(), (given, at, part) => {
        const before = scoreOf(given, [], true);
        const index = at % given.length;
        const row = given[index];
        if (before === null || row?.state !== "violated") return;
        const charged = (row.charged ?? row.weight) === 0 ? 0 : part % (row.charged ?? row.weight);
        for (const fixed of [{ ...row, state: "passed" } as const, { ...row, charged }])
          expect(scoreOf(given.with(index, fixed), [], true) ?? -1).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  test("property: a row that does not apply never changes it", () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 10 }), (given, weight) => {
        expect(scoreOf([...given, { state: "notApplicable", weight }], [], true)).toBe(scoreOf(given, [], true));
      }),
    );
  });

  test("property: an unread row never raises it, and a main defence that is unread keeps it below good", () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 10 }), (given, weight) => {
        const before = scoreOf(given, [], true);
        const after = scoreOf([...given, { state: "notChecked", weight }], [], true);
        if (before === null) expect(after).toBeNull();
        else expect(after ?? 0).toBeLessThanOrEqual(before);
        if (weight >= 8) expect(after ?? 0).toBeLessThanOrEqual(79);
      }),
    );
  });

  test("property: 100 only if nothing is charged", () => {
    fc.assert(
      fc.property(rows, (given) => {
        const charged = given.some((one) => one.state === "violated" && (one.charged ?? one.weight) > 0);
        if (charged) expect(scoreOf(given, [], true)).not.toBe(100);
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
