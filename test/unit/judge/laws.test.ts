/** The laws of ledger and score, held for ledgers of any shape and for the whole catalog on evidence of any kind. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FindingCode, type State, states } from "../../../src/check/check.ts";
import type { AnyCheck } from "../../../src/check/registry.ts";
import type { Verdict } from "../../../src/check/verdict.ts";
import { type Evidence, failed, type ProbeFailure, type ReadingName, read, readingNames } from "../../../src/evidence/evidence.ts";
import type { HeaderField } from "../../../src/evidence/facts.ts";
import { headerValueCharsMax } from "../../../src/evidence/limits.ts";
import { judgeEvidence } from "../../../src/judge/ledger.ts";
import { standing } from "../../../src/judge/rank.ts";
import type { StoredResult } from "../../../src/judge/result.ts";
import { firstHttpsAnswer } from "../../../src/parse/header-fields.ts";
import { createTexts } from "../../../src/text/i18n.ts";
import { renderSecurityResult } from "../../../src/text/render.ts";
import { builtInChecks } from "../../support/built-in-checks.ts";
import { evidence } from "../../support/evidence.ts";
import { anyEvidence, soundSite } from "./any-evidence.ts";

function judged(given: Evidence, checks: readonly AnyCheck[] = builtInChecks): StoredResult {
  const faults: string[] = [];
  const result = judgeEvidence(given, { checks, version: "test" }, (key, fault) => faults.push(`${key}: ${fault}`));
  expect(faults).toEqual([]);
  return result;
}

const statesOf = ({ ledger }: StoredResult): ReadonlyMap<string, State> => new Map(ledger.map(({ key, state }) => [key, state]));
const countOf = ({ ledger }: StoredResult, state: State): number => ledger.filter((row) => row.state === state).length;

/** A check that answers what it is told to, with a cap on its finding or without. */
const anyCheck = fc.record({
  state: fc.constantFrom(...states),
  weight: fc.integer({ min: 1, max: 10 }),
  scoreCap: fc.option(fc.constantFrom(20, 60), { nil: undefined }),
});
type ToldCheck = typeof anyCheck extends fc.Arbitrary<infer T> ? T : never;

function checkThatSays({ state, weight, scoreCap }: ToldCheck, at: number): AnyCheck {
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
const resultOf = (told: readonly ToldCheck[]): StoredResult => judged(evidence(), told.map(checkThatSays));

describe("of any catalog", () => {
  test("the score is null, or a whole number from 0 to 100 that no cap is below", () => {
    fc.assert(
      fc.property(anyCatalog, (told) => {
        const { score, measured } = resultOf(told);
        expect(measured).toBe(score !== null);
        if (score === null) return;
        const caps = told.flatMap(({ state, scoreCap }) => (state === "violated" && scoreCap !== undefined ? [scoreCap] : []));
        expect(Number.isInteger(score) && score >= 0 && score <= Math.min(100, ...caps)).toBe(true);
      }),
    );
  });

  test("fixing a finding never lowers the score", () => {
    fc.assert(
      fc.property(anyCatalog, fc.nat(), (told, at) => {
        const broken = told.flatMap(({ state }, index) => (state === "violated" ? [index] : []));
        const fixed = broken[at % Math.max(1, broken.length)];
        if (fixed === undefined) return;
        const after = resultOf(told.map((one, index) => (index === fixed ? { ...one, state: "passed" as const } : one)));
        expect(after.score ?? -1).toBeGreaterThanOrEqual(resultOf(told).score ?? -1);
      }),
    );
  });

  test("a check that does not apply never moves the score", () => {
    fc.assert(
      fc.property(anyCatalog, anyCheck, (told, more) => {
        const { score, band, rank } = resultOf([...told, { ...more, state: "notApplicable" }]);
        expect({ score, band, rank }).toEqual((({ score, band, rank }) => ({ score, band, rank }))(resultOf(told)));
      }),
    );
  });

  test("a check that could not be run never lowers the score, and counts as neither passed nor violated", () => {
    fc.assert(
      fc.property(anyCatalog, anyCheck, (told, more) => {
        const before = resultOf(told);
        const after = resultOf([...told, { ...more, state: "notChecked" }]);
        expect([before.score, null]).toContain(after.score);
        for (const state of ["passed", "violated"] as const) expect(countOf(after, state)).toBe(countOf(before, state));
      }),
    );
  });

  test("every check has one row, and the four states make up the total", () => {
    fc.assert(
      fc.property(anyCatalog, (told) => {
        const result = resultOf(told);
        expect(result.ledger.map(({ key }) => key)).toEqual(told.map((_, at) => `check-${at}`));
        expect(states.reduce((sum, state) => sum + countOf(result, state), 0)).toBe(told.length);
        for (const state of states) expect(countOf(result, state)).toBe(told.filter((one) => one.state === state).length);
        expect(new Set(result.findings.map(({ checkKey }) => checkKey)).size).toBe(countOf(result, "violated"));
      }),
    );
  });

  test("the summary that readers get counts what the ledger holds: ran is passed and violated, total all four", () => {
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
      fc.property(anyCatalog, (told) => {
        const result = resultOf(told);
        const { checkSummary, checks } = renderSecurityResult(scan, result, "en-gb", texts).security ?? {};
        const [passed = 0, violated = 0, notChecked = 0, notApplicable = 0] = states.map((state) => countOf(result, state));
        const ran = passed + violated;
        expect(checkSummary).toEqual({ passed, violated, notChecked, notApplicable, ran, total: ran + notChecked + notApplicable });
        expect(checks).toHaveLength(told.length);
      }),
    );
  });

  test("100 only without a violation", () => {
    fc.assert(
      fc.property(anyCatalog, (told) => {
        const result = resultOf(told);
        if (result.score === 100) expect(countOf(result, "violated")).toBe(0);
      }),
    );
  });

  test("the order of the checks changes nothing but the order of the rows", () => {
    fc.assert(
      fc.property(anyCatalog, fc.nat(), (told, turn) => {
        const checks = told.map(checkThatSays);
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

describe("of the whole catalog", () => {
  test("evidence of any kind is judged, twice alike, and never by a fault", () => {
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

  test("readings are left as they are", () => {
    fc.assert(
      fc.property(anyEvidence, (given) => {
        const before = structuredClone(given);
        judged(given);
        expect(given).toEqual(before);
      }),
    );
  });

  const failures: readonly ProbeFailure[] = ["timeout", "refused", "challenged", "unsupported", "crashed", "not-asked"];

  /** The one exception, decided: the absence of the header was read, and the browsers' list could only have excused it. */
  const excusedByList: readonly string[] = ["strict-transport-security", "hsts-preload-eligible"];

  describe.each(readingNames.map((name) => [name]))("where %s could not be read", (name) => {
    test("a check that reads it says notChecked or notApplicable", () => {
      fc.assert(
        fc.property(anyEvidence, fc.constantFrom(...failures), (given, because) => {
          const states = statesOf(judged({ ...given, [name]: failed(because) }));
          const sure = builtInChecks.filter(({ reads }) => reads.includes(name)).map(({ key }) => [key, states.get(key)]);
          expect(sure.filter(([, state]) => state === "passed" || state === "violated")).toEqual([]);
        }),
        { numRuns: 25 },
      );
    });

    test("no check turns from passed to violated by it", () => {
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

  /** What these readings tell is an extra: a header or a first load that was read is judged without it. */
  const extras: Partial<Record<ReadingName, readonly string[]>> = { crossOrigin: ["csp-syntax"], dom: ["referrer-policy"] };

  test.each(readingNames.map((name) => [name]))("no violation turns into a pass where %s could not be read", (name) => {
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

  test("where every reading failed, no check is violated or passed", () => {
    fc.assert(
      fc.property(anyEvidence, fc.constantFrom(...failures), (given, because) => {
        const nothing = Object.fromEntries(readingNames.map((name) => [name, failed(because)])) as unknown as Evidence;
        const result = judged({ ...nothing, subject: given.subject });
        expect(result.ledger.filter(({ state }) => state === "passed" || state === "violated")).toEqual([]);
        expect([result.measured, result.score, result.band, result.rank]).toEqual([false, null, "unknown", "unknown"]);
      }),
    );
  });

  test("where only one reading was read, nothing is violated but by that one", () => {
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
        // Not to apply is decided by the kind of the page alone, before its headers are looked at.
        if (row?.state === "notApplicable") expect(check.appliesTo?.length ?? 0).toBeGreaterThan(0);
      }),
      { numRuns: 10 },
    );
  });

  test("the evidence of these laws has every check pass, and every check violated", () => {
    const seen = new Set(
      fc.sample(anyEvidence, { numRuns: 800, seed: 1 }).flatMap((given) => judged(given).ledger.map(({ key, state }) => `${key} ${state}`)),
    );
    const expected = builtInChecks.flatMap(({ key }) => [`${key} passed`, `${key} violated`, `${key} notChecked`]);
    expect(expected.filter((row) => !seen.has(row))).toEqual([]);
  });

  test("a site without a fault has 100 points", () => {
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

/** Where nothing answered over https, a check that asks the first such answer has no header to miss. */
function hasHttpsAnswer({ subject, navigation, page }: Evidence): boolean {
  if (navigation.status === "failed" || page.status === "failed") return true;
  return firstHttpsAnswer(subject, navigation.facts, page.facts) !== null;
}

/** The header, cut, in every answer: as the first field of its name or as the second. */
function withCutHeader(given: Evidence, name: string, isSecond: boolean): Evidence {
  const cut: HeaderField = { name, value: "x".repeat(headerValueCharsMax), truncated: true };
  const added = (headers: readonly HeaderField[]) => (isSecond ? [...headers, cut] : [cut, ...headers]);
  const { page, navigation } = given;
  return {
    ...given,
    page: page.status === "read" ? read({ ...page.facts, headers: added(page.facts.headers) }) : page,
    navigation:
      navigation.status === "read"
        ? read({ ...navigation.facts, hops: navigation.facts.hops.map((hop) => ({ ...hop, headers: added(hop.headers) })) })
        : navigation,
  };
}

test("every reading is known to the laws", () => {
  expect([...readingNames].sort()).toEqual(
    Object.keys(evidence())
      .filter((name) => name !== "subject")
      .sort() as ReadingName[],
  );
});
