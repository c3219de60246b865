/** Properties of ledger and score, for catalogs of any shape. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FindingCode, states } from "../../../src/check/check.ts";
import type { AnyCheck } from "../../../src/check/registry.ts";
import type { Verdict } from "../../../src/check/verdict.ts";
import { type StoredResult, standing } from "../../../src/judge/result.ts";
import { createTexts } from "../../../src/text/i18n.ts";
import { renderSecurityResult } from "../../../src/text/render.ts";
import { evidence } from "../../support/evidence.ts";
import { countOf, expectSameButForOrder, judged } from "./judged.ts";

/** Check that returns a given verdict; its finding has an optional score cap, and may charge another weight than the check. */
const anyCheck = fc.record({
  state: fc.constantFrom(...states),
  weight: fc.integer({ min: 0, max: 10 }),
  scoreCap: fc.option(fc.constantFrom(20, 60, 79, 87), { nil: undefined }),
  findingWeight: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
});
type CheckSpec = typeof anyCheck extends fc.Arbitrary<infer T> ? T : never;

function checkFromSpec({ state, weight, scoreCap, findingWeight }: CheckSpec, at: number): AnyCheck {
  const code: FindingCode = `security.law.${at}`;
  const verdict: Verdict<FindingCode> = state === "violated" ? { state, findings: [{ code }] } : { state };
  const definition = {
    severity: weight === 0 ? "info" : "low",
    riskLevel: "low",
    effort: "low",
    // A note has neither.
    ...(weight > 0 && scoreCap !== undefined && { scoreCap }),
    ...(weight > 0 && findingWeight !== undefined && { weight: findingWeight }),
  } as const;
  return {
    key: `check-${at}`,
    weight,
    reads: [],
    findings: { [code]: definition },
    judge: () => verdict,
  };
}

const anyCatalog = fc.array(anyCheck, { minLength: 1, maxLength: 70 });
const resultOf = (specs: readonly CheckSpec[]): StoredResult => judged(evidence(), specs.map(checkFromSpec));

describe("properties of any catalog", () => {
  test("the score is null, or an integer from 0 to 100 within all caps", () => {
    fc.assert(
      fc.property(anyCatalog, (specs) => {
        const { score, measured } = resultOf(specs);
        expect(measured).toBe(score !== null);
        if (score === null) return;
        const caps = specs.flatMap(({ state, weight, scoreCap }) =>
          state === "violated" && weight > 0 && scoreCap !== undefined ? [scoreCap] : [],
        );
        expect(Number.isInteger(score) && score >= 0 && score <= Math.min(100, ...caps)).toBe(true);
      }),
    );
  });

  test("fixing a finding never lowers the score", () => {
    fc.assert(
      fc.property(anyCatalog, fc.nat(), (specs, at) => {
        const broken = specs.flatMap(({ state }, index) => (state === "violated" ? [index] : []));
        const fixed = broken[at % Math.max(1, broken.length)];
        if (fixed === undefined) return;
        const after = resultOf(specs.map((one, index) => (index === fixed ? { ...one, state: "passed" as const } : one)));
        expect(after.score ?? -1).toBeGreaterThanOrEqual(resultOf(specs).score ?? -1);
      }),
    );
  });

  test("a check that does not apply never moves the score", () => {
    fc.assert(
      fc.property(anyCatalog, anyCheck, (specs, more) => {
        const { score, band, rank } = resultOf([...specs, { ...more, state: "notApplicable" }]);
        expect({ score, band, rank }).toEqual((({ score, band, rank }) => ({ score, band, rank }))(resultOf(specs)));
      }),
    );
  });

  test("a note never moves the score, in any state", () => {
    fc.assert(
      fc.property(anyCatalog, anyCheck, (specs, more) => {
        const { score } = resultOf(specs);
        expect(resultOf([...specs, { ...more, weight: 0 }]).score).toBe(score);
      }),
    );
  });

  test("a check that did not run holds the score below good if it is a main defence, and is neither passed nor violated", () => {
    fc.assert(
      fc.property(anyCatalog, anyCheck, (specs, more) => {
        const before = resultOf(specs);
        const after = resultOf([...specs, { ...more, state: "notChecked" }]);
        const held = before.score === null || more.weight < 8 ? before.score : Math.min(before.score, 79);
        expect([held, null]).toContain(after.score);
        for (const state of ["passed", "violated"] as const) expect(countOf(after, state)).toBe(countOf(before, state));
      }),
    );
  });

  test("every check has one row, and the four states sum to the total", () => {
    fc.assert(
      fc.property(anyCatalog, (specs) => {
        const result = resultOf(specs);
        expect(result.ledger.map(({ key }) => key)).toEqual(specs.map((_, at) => `check-${at}`));
        expect(states.reduce((sum, state) => sum + countOf(result, state), 0)).toBe(specs.length);
        for (const state of states) expect(countOf(result, state)).toBe(specs.filter((one) => one.state === state).length);
        expect(new Set(result.findings.map(({ checkKey }) => checkKey)).size).toBe(countOf(result, "violated"));
      }),
    );
  });

  test("the summary counts the ledger: ran is passed plus violated, total is all four states", () => {
    const scan = {
      token: "t",
      url: "https://site.example/",
      status: "finished",
      progressStage: null,
      progressPercent: 100,
      errorCode: null,
    } as const;
    const texts = createTexts({ "en-gb": {}, "de-de": {} });
    fc.assert(
      fc.property(anyCatalog, (specs) => {
        const result = resultOf(specs);
        const { checkSummary, checks } = renderSecurityResult(scan, result, "en-gb", texts).security ?? {};
        const [passed = 0, violated = 0, notChecked = 0, notApplicable = 0] = states.map((state) => countOf(result, state));
        const ran = passed + violated;
        expect(checkSummary).toEqual({ passed, violated, notChecked, notApplicable, ran, total: ran + notChecked + notApplicable });
        expect(checks).toHaveLength(specs.length);
      }),
    );
  });

  test("the score is 100 only without a charge", () => {
    fc.assert(
      fc.property(anyCatalog, (specs) => {
        const { score, ledger } = resultOf(specs);
        if (score === 100) expect(ledger.filter(({ charged = 0 }) => charged > 0)).toEqual([]);
      }),
    );
  });

  test("the order of the checks changes only the order of the rows", () => {
    fc.assert(
      fc.property(anyCatalog, fc.nat(), (specs, turn) => {
        const checks = specs.map(checkFromSpec);
        const turned = [...checks.slice(turn % checks.length), ...checks.slice(0, turn % checks.length)].reverse();
        expectSameButForOrder(judged(evidence(), turned), judged(evidence(), checks));
      }),
    );
  });
});

test("rank and band never contradict each other", () => {
  const scores = Array.from({ length: 101 }, (_, score) => score);
  const bandsByRank = new Map<string, Set<string>>();
  for (const score of scores) {
    const { rank, band } = standing(score);
    bandsByRank.set(rank, (bandsByRank.get(rank) ?? new Set()).add(band));
    expect(band).toBe(score >= 80 ? "good" : score >= 50 ? "warn" : "poor");
  }
  expect([...bandsByRank.values()].every((bands) => bands.size === 1)).toBe(true);
  expect(bandsByRank.size).toBe(7);
  const places = scores.map((score) => [...bandsByRank.keys()].indexOf(standing(score).rank));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(standing(null)).toEqual({ rank: "unknown", band: "unknown" });
});
