/** Comparison of two results: new, fixed, changed and unknown findings. */
import { describe, expect, test } from "vitest";
import type { State } from "../../../src/check/check.ts";
import type { FindingValues } from "../../../src/check/verdict.ts";
import type { StoredFinding, StoredResult } from "../../../src/judge/result.ts";
import { compareResults } from "../../../src/text/comparison.ts";

function finding(checkKey: string, values: FindingValues = {}, code = `security.sample.${checkKey}`): StoredFinding {
  return { code, checkKey, severity: "low", riskLevel: "low", effort: "low", values };
}

function result(
  states: Readonly<Record<string, State>>,
  findings: readonly StoredFinding[] = [],
  given: Partial<StoredResult> = {},
): StoredResult {
  const ledger = Object.entries(states).map(([key, state]) => ({ key, state, evidence: [] }));
  return { algorithmVersion: 2, catalogVersion: "one", measured: true, score: 50, band: "warn", rank: "weak", ledger, findings, ...given };
}

test("a finding that was not there before is new", () => {
  const { appeared, fixed, checks } = compareResults(result({ one: "passed" }), result({ one: "violated" }, [finding("one")]));
  expect(appeared).toEqual([finding("one")]);
  expect(fixed).toEqual([]);
  expect(checks).toEqual([{ key: "one", before: "passed", after: "violated" }]);
});

test("a finding whose check now passes, or no longer applies, is fixed", () => {
  const before = result({ one: "violated", two: "violated" }, [finding("one"), finding("two")]);
  const { fixed } = compareResults(before, result({ one: "passed", two: "notApplicable" }));
  expect(fixed.map(({ checkKey }) => checkKey)).toEqual(["one", "two"]);
});

test("a finding whose check did not run is neither fixed nor new", () => {
  const seen = result({ one: "violated" }, [finding("one")]);
  const unread = result({ one: "notChecked" });
  const without = result({});
  for (const blind of [unread, without]) {
    expect(compareResults(seen, blind)).toMatchObject({ fixed: [], noLongerChecked: [finding("one")] });
    expect(compareResults(blind, seen)).toMatchObject({ appeared: [], newlyChecked: [finding("one")] });
  }
  expect(compareResults(seen, without).checks).toEqual([{ key: "one", before: "violated", after: null }]);
});

test("a finding with other values has changed", () => {
  const [before, after] = [finding("one", { value: "a" }), finding("one", { value: "b" })];
  const compared = compareResults(result({ one: "violated" }, [before]), result({ one: "violated" }, [after]));
  expect(compared).toMatchObject({ changed: [{ before, after }], unchanged: [], appeared: [], fixed: [], checks: [], checksUnchanged: 1 });
});

test("the caller decides which findings are the same", () => {
  const [before, after] = [finding("one", { value: "a" }), finding("one", { value: "b" })];
  const compared = compareResults(result({ one: "violated" }, [before]), result({ one: "violated" }, [after]), () => true);
  expect(compared).toMatchObject({ changed: [], unchanged: [after] });
});

test("of several findings with one code, equal ones are paired", () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => finding("one", { name }, "security.sample.weak")) as [
    StoredFinding,
    StoredFinding,
    StoredFinding,
  ];
  const compared = compareResults(result({ one: "violated" }, [a, b]), result({ one: "violated" }, [c, b]));
  expect(compared).toMatchObject({ unchanged: [b], changed: [{ before: a, after: c }] });
  expect(compareResults(result({ one: "violated" }, [a]), result({ one: "violated" }, [a, b]))).toMatchObject({
    unchanged: [a],
    appeared: [b],
  });
  expect(compareResults(result({ one: "violated" }, [a, b]), result({ one: "violated" }, [b]))).toMatchObject({
    unchanged: [b],
    fixed: [a],
  });
});

test("every finding is listed exactly once", () => {
  const before = result({ one: "violated", two: "violated", three: "violated" }, [
    finding("one"),
    finding("two"),
    finding("three", { n: 1 }),
  ]);
  const after = result({ one: "violated", two: "notChecked", three: "violated", four: "violated" }, [
    finding("one"),
    finding("three", { n: 2 }),
    finding("four"),
  ]);
  const { appeared, newlyChecked, fixed, noLongerChecked, changed, unchanged } = compareResults(before, after);
  expect(fixed.length + noLongerChecked.length + changed.length + unchanged.length).toBe(before.findings.length);
  expect(appeared.length + newlyChecked.length + changed.length + unchanged.length).toBe(after.findings.length);
});

test.each([
  [50, 62, 12],
  [50, 50, 0],
  [50, null, null],
  [null, 50, null],
])("scores %s and %s differ by %s", (before, after, delta) => {
  expect(compareResults(result({}, [], { score: before }), result({}, [], { score: after })).scoreDelta).toBe(delta);
});

test("other versions are reported", () => {
  expect(compareResults(result({}), result({})).sameRules).toBe(true);
  expect(compareResults(result({}), result({}, [], { catalogVersion: "two" })).sameRules).toBe(false);
  expect(compareResults(result({}), result({}, [], { algorithmVersion: 3 })).sameRules).toBe(false);
});

describe("limits and data files", () => {
  const basis = (dataDates: Readonly<Record<string, string>>, headerValueCharsMax = 512) =>
    result({}, [], { basis: { headerValueCharsMax, dataDates } });
  const listed = basis({ hstsPreload: "2026-06-01", other: "2026-08-22" });

  test.each([
    ["equal ones", basis({ other: "2026-08-22", hstsPreload: "2026-06-01" }), true],
    ["a file that one scan did not use", basis({ hstsPreload: "2026-06-01" }), true],
    ["a newer file", basis({ hstsPreload: "2026-09-01", other: "2026-08-22" }), false],
    ["a public suffix list of the operator", basis({ hstsPreload: "2026-06-01", publicSuffixes: "2026-11-01" }), false],
    ["another limit of header values", basis({ hstsPreload: "2026-06-01", other: "2026-08-22" }, 4_096), false],
    ["a result without them", result({}), false],
  ])("%s", (_words, other, same) => {
    expect(compareResults(listed, other).sameRules).toBe(same);
    expect(compareResults(other, listed).sameRules).toBe(same);
  });

  test("other code of a plugin check is reported, and no code of an older result", () => {
    const coded = (plugins?: Readonly<Record<string, string>>) =>
      result({}, [], { basis: { headerValueCharsMax: 512, dataDates: {}, ...(plugins && { plugins }) } });
    expect(compareResults(coded({ own: "1" }), coded({ own: "1" })).sameRules).toBe(true);
    expect(compareResults(coded({ own: "1" }), coded({ own: "2" })).sameRules).toBe(false);
    expect(compareResults(coded(), coded({ own: "2" })).sameRules).toBe(true);
  });

  test("older results compare with each other as before", () => {
    expect(compareResults(result({}), result({})).sameRules).toBe(true);
  });
});

test("a violated row of weight 0 is a note", () => {
  const note = result({ one: "violated", two: "passed" });
  const ledger = note.ledger.map((row) => ({ ...row, weight: 0 }));
  expect(compareResults(result({ one: "violated", two: "passed" }), { ...note, ledger }).checks).toEqual([
    { key: "one", before: "violated", after: "note" },
  ]);
});
