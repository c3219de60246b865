/** Properties of ledger and score, for ledgers of any shape and for the complete catalog on random evidence. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FindingCode, type State, states } from "../../../src/check/check.ts";
import type { AnyCheck } from "../../../src/check/registry.ts";
import type { Verdict } from "../../../src/check/verdict.ts";
import { type Evidence, failed, type ProbeFailure, type ReadingName, read, readingNames } from "../../../src/evidence/evidence.ts";
import type { HeaderField } from "../../../src/evidence/http-facts.ts";
import { headerValueCharsMax } from "../../../src/evidence/limits.ts";
import { judgeEvidence } from "../../../src/judge/ledger.ts";
import { standing } from "../../../src/judge/rank.ts";
import type { StoredResult } from "../../../src/judge/result.ts";
import { firstHttpsAnswer } from "../../../src/parse/header-fields.ts";
import { createTexts } from "../../../src/text/i18n.ts";
import { renderSecurityResult } from "../../../src/text/render.ts";
import { builtInChecks } from "../../support/built-in-checks.ts";
import { evidence } from "../../support/evidence.ts";
import { anyEvidence } from "./any-evidence.ts";
import { soundSite, tableCases } from "./sound-site.ts";

function judged(given: Evidence, checks: readonly AnyCheck[] = builtInChecks): StoredResult {
  const faults: string[] = [];
  const result = judgeEvidence(given, { checks, version: "test" }, (key, fault) => faults.push(`${key}: ${fault}`));
  expect(faults).toEqual([]);
  return result;
}

const statesOf = ({ ledger }: StoredResult): ReadonlyMap<string, State> => new Map(ledger.map(({ key, state }) => [key, state]));
const countOf = ({ ledger }: StoredResult, state: State): number => ledger.filter((row) => row.state === state).length;

/** Check that returns a given verdict; its finding has an optional score cap. */
const anyCheck = fc.record({
  state: fc.constantFrom(...states),
  weight: fc.integer({ min: 1, max: 10 }),
  scoreCap: fc.option(fc.constantFrom(20, 60), { nil: undefined }),
});
type CheckSpec = typeof anyCheck extends fc.Arbitrary<infer T> ? T : never;

function checkFromSpec({ state, weight, scoreCap }: CheckSpec, at: number): AnyCheck {
  const code: FindingCode = `security.law.${at}`;
  const verdict: Verdict<FindingCode> = state === "violated" ? { state, findings: [{ code }] } : { state };
  const definition = { severity: "low", riskLevel: "low", effort: "low" } as const;
  return {
    key: `check-${at}`,
    weight,
    reads: [],
    findings: { [code]: scoreCap === undefined ? definition : { ...definition, scoreCap } },
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
        const caps = specs.flatMap(({ state, scoreCap }) => (state === "violated" && scoreCap !== undefined ? [scoreCap] : []));
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

  test("a check that did not run never lowers the score, and is neither passed nor violated", () => {
    fc.assert(
      fc.property(anyCatalog, anyCheck, (specs, more) => {
        const before = resultOf(specs);
        const after = resultOf([...specs, { ...more, state: "notChecked" }]);
        expect([before.score, null]).toContain(after.score);
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

  test("the score is 100 only without a violation", () => {
    fc.assert(
      fc.property(anyCatalog, (specs) => {
        const result = resultOf(specs);
        if (result.score === 100) expect(countOf(result, "violated")).toBe(0);
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

function expectSameButForOrder(one: StoredResult, other: StoredResult): void {
  const sorted = ({ ledger, findings, ...rest }: StoredResult) => ({
    ...rest,
    ledger: ledger.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    findings: findings.toSorted((a, b) => (a.checkKey + a.code < b.checkKey + b.code ? -1 : 1)),
  });
  expect(sorted(one)).toEqual(sorted(other));
}

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

describe("properties of the complete catalog", () => {
  test("any evidence is judged without a fault and with equal results twice", () => {
    fc.assert(
      fc.property(anyEvidence, (given) => {
        const result = judged(given);
        expect(result.ledger.map(({ key }) => key)).toEqual(builtInChecks.map(({ key }) => key));
        expect(judged(given)).toEqual(result);
        expect(structuredClone(result)).toEqual(result);
      }),
    );
  });

  test("the order of keys in evidence, and of checks, changes nothing", () => {
    fc.assert(
      fc.property(anyEvidence, (given) => {
        expectSameButForOrder(judged(withKeysReversed(given), builtInChecks.toReversed()), judged(given));
      }),
    );
  });

  test("readings are not modified", () => {
    fc.assert(
      fc.property(anyEvidence, (given) => {
        const before = structuredClone(given);
        judged(given);
        expect(given).toEqual(before);
      }),
    );
  });

  const failures: readonly ProbeFailure[] = ["timeout", "refused", "challenged", "unsupported", "crashed", "not-asked"];

  /** The only exception, by decision: the missing header was read, and the preload list could only have excused it. */
  const excusedByList: readonly string[] = ["strict-transport-security", "hsts-preload-eligible"];

  describe.each(readingNames.map((name) => [name]))("when %s was not read", (name) => {
    test("a check that reads it returns notChecked or notApplicable", () => {
      fc.assert(
        fc.property(anyEvidence, fc.constantFrom(...failures), (given, because) => {
          const states = statesOf(judged({ ...given, [name]: failed(because) }));
          const sure = builtInChecks.filter(({ reads }) => reads.includes(name)).map(({ key }) => [key, states.get(key)]);
          expect(sure.filter(([, state]) => state === "passed" || state === "violated")).toEqual([]);
        }),
        { numRuns: 25 },
      );
    });

    test("no check changes from passed to violated", () => {
      fc.assert(
        fc.property(anyEvidence, fc.constantFrom(...failures), (given, because) => {
          const before = judged(given);
          const after = judged({ ...given, [name]: failed(because) });
          const statesBefore = statesOf(before);
          const turned = after.ledger.filter(({ key, state }) => state === "violated" && statesBefore.get(key) === "passed");
          expect(turned.map(({ key }) => key).filter((key) => name !== "hstsPreload" || !excusedByList.includes(key))).toEqual([]);
        }),
        { numRuns: 40 },
      );
    });
  });

  /** Optional readings: the header or the first load is judged without them. */
  const extras: Partial<Record<ReadingName, readonly string[]>> = { crossOrigin: ["csp-syntax"], dom: ["referrer-policy"] };

  test.each(readingNames.map((name) => [name]))("no violation becomes a pass when %s was not read", (name) => {
    fc.assert(
      fc.property(anyEvidence, fc.constantFrom(...failures), (given, because) => {
        const statesBefore = statesOf(judged(given));
        const { ledger } = judged({ ...given, [name]: failed(because) });
        const turned = ledger.filter(({ key, state }) => state === "passed" && statesBefore.get(key) === "violated");
        expect(turned.map(({ key }) => key).filter((key) => !extras[name]?.includes(key))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test("when every reading failed, no check is violated or passed", () => {
    fc.assert(
      fc.property(anyEvidence, fc.constantFrom(...failures), (given, because) => {
        const nothing = Object.fromEntries(readingNames.map((name) => [name, failed(because)])) as unknown as Evidence;
        const result = judged({ ...nothing, subject: given.subject });
        expect(result.ledger.filter(({ state }) => state === "passed" || state === "violated")).toEqual([]);
        expect([result.measured, result.score, result.band, result.rank]).toEqual([false, null, "unknown", "unknown"]);
      }),
    );
  });

  test("when only one reading succeeded, only that one causes violations", () => {
    for (const name of readingNames) {
      const alone = Object.fromEntries(
        readingNames.map((other) => [other, other === name ? soundSite[name] : failed("timeout")]),
      ) as unknown as Evidence;
      const result = judged({ ...alone, subject: soundSite.subject });
      const read = builtInChecks.filter(({ reads }) => reads.every((one) => one === name)).map(({ key }) => key);
      const ran = result.ledger.filter(({ state }) => state === "passed" || state === "violated").map(({ key }) => key);
      expect(ran.filter((key) => !read.includes(key))).toEqual([]);
      expect(result.ledger.filter(({ state }) => state === "violated")).toEqual([]);
    }
  });

  const declaring = builtInChecks.flatMap((check) => (check.headers ?? []).map((header) => [check.key, header, check] as const));
  test.each(declaring)("%s: notChecked when %s is longer than the limit", (_key, header, check) => {
    fc.assert(
      fc.property(anyEvidence, fc.boolean(), (given, isSecond) => {
        fc.pre(check.headersFrom !== "first-https" || hasHttpsAnswer(given));
        const [row] = judged(withCutHeader(given, header, isSecond), [check]).ledger;
        expect(["notChecked", "notApplicable"]).toContain(row?.state as string);
        // The kind of the page alone decides whether the check applies, before its headers are read.
        if (row?.state === "notApplicable") expect(check.appliesTo?.length ?? 0).toBeGreaterThan(0);
      }),
      { numRuns: 10 },
    );
  });

  test("the random evidence makes every check pass and every check fail", () => {
    const samples = [...fc.sample(anyEvidence, { numRuns: 800, seed: 1 }), ...tableCases.map(evidence)];
    const seen = new Set(samples.flatMap((given) => judged(given).ledger.map(({ key, state }) => `${key} ${state}`)));
    const expected = builtInChecks.flatMap(({ key }) => [`${key} passed`, `${key} violated`, `${key} notChecked`]);
    expect(expected.filter((row) => !seen.has(row))).toEqual([]);
  });

  test("a site without a fault scores 100", () => {
    const result = judged(soundSite);
    expect(result.findings).toEqual([]);
    expect(result.score).toBe(100);
  });
});

function withKeysReversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withKeysReversed) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, withKeysReversed(part)]),
  ) as T;
}

/** Without an https answer, a check of the first https answer has no header to cut. */
function hasHttpsAnswer({ subject, navigation, page }: Evidence): boolean {
  if (navigation.status === "failed") return true;
  const last = page.status === "read" ? page.facts : navigation.facts.errorAnswer;
  return last === undefined || firstHttpsAnswer(subject, navigation.facts, last) !== null;
}

/** The cut header in every answer, as the first or the second field of its name. */
function withCutHeader(given: Evidence, name: string, isSecond: boolean): Evidence {
  const cut: HeaderField = { name, value: "x".repeat(headerValueCharsMax), truncated: true };
  const added = (headers: readonly HeaderField[]) => (isSecond ? [...headers, cut] : [cut, ...headers]);
  const { page, navigation } = given;
  const errorAnswer = navigation.status === "read" ? navigation.facts.errorAnswer : undefined;
  return {
    ...given,
    page: page.status === "read" ? read({ ...page.facts, headers: added(page.facts.headers) }) : page,
    navigation:
      navigation.status === "read"
        ? read({
            ...navigation.facts,
            hops: navigation.facts.hops.map((hop) => ({ ...hop, headers: added(hop.headers) })),
            ...(errorAnswer === undefined ? {} : { errorAnswer: { ...errorAnswer, headers: added(errorAnswer.headers) } }),
          })
        : navigation,
  };
}

test("these tests cover every reading", () => {
  expect([...readingNames].sort()).toEqual(
    Object.keys(evidence())
      .filter((name) => name !== "subject")
      .sort() as ReadingName[],
  );
});
