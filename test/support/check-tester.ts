/** Tests one check by a table of cases through the real ledger. Adds cases with failed readings and cut headers. */
import { describe, expect, test } from "vitest";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { type Check, type CheckTexts, type FindingCode, locales } from "../../src/check/check.ts";
import type { AnyCheck } from "../../src/check/registry.ts";
import type { FindingValues } from "../../src/check/verdict.ts";
import type { Evidence, ReadingName } from "../../src/evidence/evidence.ts";
import { failed, read } from "../../src/evidence/evidence.ts";
import type { HeaderField } from "../../src/evidence/http-facts.ts";
import { headerValueCharsMax } from "../../src/evidence/limits.ts";
import { judgeEvidence } from "../../src/judge/ledger.ts";
import type { StoredResult } from "../../src/judge/result.ts";
import { type EvidenceGiven, evidence } from "./evidence.ts";

/** Description of a case, and its evidence. */
export type Case = readonly [words: string, given: EvidenceGiven];
/** `also`: other codes of the same evidence. `values`: values that the finding must quote. */
export type ViolationCase<Code> = readonly [
  words: string,
  given: EvidenceGiven,
  expected?: { readonly also?: readonly Code[]; readonly values?: FindingValues },
];

export interface CaseTable<Code extends FindingCode> {
  readonly passed: readonly [Case, ...Case[]];
  /** Empty only for a check that always applies. */
  readonly notApplicable: readonly Case[];
  /** Cases besides failed readings and cut headers, which are added automatically. */
  readonly notChecked?: readonly Case[];
  /** A case for every declared finding. */
  readonly violated: { readonly [C in Code]: readonly [ViolationCase<Code>, ...ViolationCase<Code>[]] };
}

export interface CollectedTable {
  readonly check: AnyCheck;
  readonly passed: readonly EvidenceGiven[];
  readonly others: readonly EvidenceGiven[];
}

let collected: CollectedTable[] | null = null;

/** Reads the tables of these test files without running their tests. The query loads a second instance of each module. */
export async function collectTables(files: readonly string[]): Promise<readonly CollectedTable[]> {
  const tables: CollectedTable[] = [];
  collected = tables;
  try {
    for (const file of files) await import(`${file}?table`);
  } finally {
    collected = null;
  }
  return tables;
}

const builtInTexts = { "en-gb": enGb.checks, "de-de": deDe.checks } as Record<string, Record<string, CheckTexts>>;

export function testCheck<Code extends FindingCode, Reads extends ReadingName, Consults extends ReadingName, Header extends string>(
  typedCheck: Check<Code, Reads, Consults, Header>,
  table: CaseTable<Code>,
): void {
  const check = typedCheck as unknown as AnyCheck;
  const violations = Object.entries(table.violated) as [Code, readonly ViolationCase<Code>[]][];
  if (collected !== null) {
    const others = [table.notApplicable, table.notChecked ?? [], ...violations.map(([, cases]) => cases)].flat();
    collected.push({ check, passed: table.passed.map(([, given]) => given), others: others.map(([, given]) => given) });
    return;
  }

  describe(check.key, () => {
    test("every text is written", () => expectTextsToBeWritten(check));
    for (const [words, given] of table.passed) test(`passed: ${words}`, () => expectState(check, given, "passed"));
    for (const [words, given] of table.notApplicable) test(`not applicable: ${words}`, () => expectState(check, given, "notApplicable"));
    for (const [words, given] of table.notChecked ?? []) test(`not checked: ${words}`, () => expectState(check, given, "notChecked"));
    for (const [code, cases] of violations) {
      for (const [words, given, expected] of cases) {
        test(`${code}: ${words}`, () => {
          const { findings } = expectState(check, given, "violated");
          expect(findings.map((finding) => finding.code).sort()).toEqual([code, ...(expected?.also ?? [])].sort());
          const values = findings.find((finding) => finding.code === code)?.values;
          if (expected?.values !== undefined) expect(values).toMatchObject(expected.values);
          for (const finding of findings) expectTextsToBeFilled(check, finding.code, finding.values);
        });
      }
    }

    // The type demands it as well, unless a check widens the type of its codes.
    test("every declared finding has a case", () => {
      expect(violations.map(([code]) => code).sort()).toEqual(Object.keys(check.findings).sort() as Code[]);
    });

    const judged = evidence(violations[0]?.[1][0]?.[1] ?? table.passed[0][1]);
    for (const name of check.reads) {
      test(`not checked: ${name} could not be read`, () => expectState(check, { ...judged, [name]: failed("timeout") }, "notChecked"));
    }
    for (const name of check.headers ?? []) {
      test(`not checked: ${name} is longer than the limit`, () => expectState(check, withCutHeader(judged, name), "notChecked"));
    }
  });
}

/** `npm run new-check` marks what it leaves to the author with "Fill in". */
function expectTextsToBeWritten({ key, texts }: AnyCheck): void {
  for (const locale of locales) {
    const { findings, ...own } = texts?.[locale] ?? builtInTexts[locale]?.[key] ?? { findings: {}, label: "Fill in:" };
    const all = [own, ...Object.values(findings)].flatMap((part) => Object.entries(part));
    const unwritten = all.filter(([, text]) => text.includes("Fill in:")).map(([name]) => name);
    if (unwritten.length > 0) throw new Error(`write the texts of "${key}" in locales/${locale}.json: ${unwritten.join(", ")}`);
  }
}

function isEvidence(given: EvidenceGiven | Evidence): given is Evidence {
  return "subject" in given;
}

/** Judges frozen evidence twice, to catch checks that change their input or keep state. */
function expectState(check: AnyCheck, given: EvidenceGiven | Evidence, state: string): StoredResult {
  const frozen = deepFreeze(isEvidence(given) ? given : evidence(given));
  const faults: string[] = [];
  const [first, second] = [0, 1].map(() =>
    judgeEvidence(frozen, { checks: [check], version: "test" }, (_key, fault) => faults.push(fault)),
  );
  expect(faults).toEqual([]);
  expect(first?.ledger[0]?.state).toBe(state as never);
  expect(second).toEqual(first as StoredResult);
  return first as StoredResult;
}

/** Every placeholder of the texts needs a value. */
function expectTextsToBeFilled(check: AnyCheck, code: string, values: FindingValues): void {
  for (const locale of locales) {
    const texts = (check.texts?.[locale] ?? builtInTexts[locale]?.[check.key])?.findings[code];
    expect(texts, `${locale} texts of ${code}`).toBeDefined();
    const placeholders = Object.values(texts ?? {}).flatMap((text) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]));
    const known = ["host", "url", ...Object.keys(values)];
    expect(
      placeholders.filter((name) => !known.includes(name as string)),
      `${locale} placeholders of ${code}`,
    ).toEqual([]);
  }
}

function withCutHeader(judged: Evidence, name: string): Evidence {
  const cut: HeaderField = { name, value: "x".repeat(headerValueCharsMax), truncated: true };
  const { page, navigation } = judged;
  if (page.status === "failed" || navigation.status === "failed") throw new Error("the first case must have been read");
  return {
    ...judged,
    page: read({ ...page.facts, headers: [...page.facts.headers, cut] }),
    navigation: read({
      ...navigation.facts,
      hops: navigation.facts.hops.map((hop) => ({ ...hop, headers: [...hop.headers, cut] })),
    }),
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
