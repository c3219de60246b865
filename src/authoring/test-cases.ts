/** Test cases of a check: the cases of its table, and the cases that every check must pass. Independent of a test runner. */
import { isDeepStrictEqual } from "node:util";
import { type CheckTexts, type Locale, locales } from "../check/check.ts";
import type { AnyCheck } from "../check/registry.ts";
import type { FindingValues } from "../check/verdict.ts";
import { type Evidence, failed, type ReadingName, read } from "../evidence/evidence.ts";
import type { HeaderField } from "../evidence/http-facts.ts";
import { headerValueCharsMax } from "../evidence/limits.ts";
import type { StoredResult } from "../judge/result.ts";
import { type AnyCaseTable, type CaseEvidence, evidenceOf, type ViolationCase } from "./evidence-given.ts";
import { tryCheck } from "./try-check.ts";

/** Place in the source by the property names that lead to it, as in `["violated", "security.own.found", "no header"]`. */
export interface CasePlace {
  readonly file: "check" | "test";
  readonly path: readonly string[];
}

/** A case of which the check, or its table, has not met the expectation. The message is one sentence for the author. */
export class CaseFault extends Error {
  override readonly name = "CaseFault";
  constructor(
    message: string,
    /** Null for the place of the case. */
    readonly place: CasePlace | null = null,
  ) {
    super(message);
  }
}

export interface TestCase {
  /** State, finding code or kind of added cases: one line of the summary. */
  readonly group: string;
  readonly name: string;
  readonly place: CasePlace;
  /** Returns the milliseconds of the slower of two judgements. @throws CaseFault, or what `judge` threw. */
  run(): number;
}

/** Texts of a check, and the file in which an author writes them. */
interface TestedTexts {
  readonly texts: { readonly [L in Locale]?: CheckTexts | undefined };
  readonly fileOf: (locale: Locale) => string;
}

export function testCasesOf(check: AnyCheck, table: AnyCaseTable, tested: TestedTexts): readonly TestCase[] {
  return [...textCases(check, tested), ...tableCases(check, table, tested), ...addedCases(check, table)];
}

/** The scaffolder marks with "Fill in" what it leaves to the author. */
function textCases({ key }: AnyCheck, { texts, fileOf }: TestedTexts): readonly TestCase[] {
  return locales.map((locale) => ({
    group: "texts",
    name: `every text is written: ${locale}`,
    place: { file: "check", path: ["texts", locale] },
    run: () => {
      const { findings, ...own } = texts[locale] ?? { findings: {}, label: "Fill in:" };
      const all = [own, ...Object.values(findings)].flatMap((part) => Object.entries(part));
      const unwritten = all.filter(([, text]) => String(text).includes("Fill in:")).map(([name]) => name);
      const [first] = unwritten;
      if (first === undefined) return 0;
      const place = { file: "check", path: ["texts", locale, first] } as const;
      throw new CaseFault(`write the texts of "${key}" in ${fileOf(locale)}: ${unwritten.join(", ")}`, place);
    },
  }));
}

function tableCases(check: AnyCheck, table: AnyCaseTable, tested: TestedTexts): readonly TestCase[] {
  const stateCases = (["passed", "notApplicable", "notChecked"] as const).flatMap((state) =>
    (table[state] ?? []).map(([words, given]) => ({
      group: state,
      name: `${state}: ${words}`,
      place: inTest(state, words),
      run: () => judged(check, given, state).judgeMs,
    })),
  );
  const violationCases = violationsOf(table).flatMap(([code, cases]) =>
    cases.map((violation) => ({
      group: code,
      name: `${code}: ${violation[0]}`,
      place: inTest("violated", code, violation[0]),
      run: () => runViolation(check, code, violation, tested),
    })),
  );
  return [...stateCases, ...violationCases];
}

function inTest(...path: readonly string[]): CasePlace {
  return { file: "test", path };
}

function violationsOf(table: AnyCaseTable): readonly (readonly [string, readonly ViolationCase<string>[]])[] {
  return Object.entries(table.violated);
}

function runViolation(check: AnyCheck, code: string, [, given, expected]: ViolationCase<string>, tested: TestedTexts): number {
  const { result, judgeMs } = judged(check, given, "violated");
  const found = result.findings.map((finding) => finding.code).sort();
  const wanted = [code, ...(expected?.also ?? [])].sort();
  if (!isDeepStrictEqual(found, wanted)) throw new CaseFault(`expected ${wanted.join(", ")}, but found ${found.join(", ")}`);
  const values = result.findings.find((finding) => finding.code === code)?.values ?? {};
  for (const [name, value] of Object.entries(expected?.values ?? {})) {
    if (values[name] !== value)
      throw new CaseFault(`expected the value ${name} = ${JSON.stringify(value)}, but found ${JSON.stringify(values[name]) ?? "none"}`);
  }
  for (const finding of result.findings) assertTextsFilled(finding.code, finding.values, tested);
  return judgeMs;
}

/** Cases that hold for every check, made from its first case. */
function addedCases(check: AnyCheck, table: AnyCaseTable): readonly TestCase[] {
  const violations = violationsOf(table);
  const given = violations[0]?.[1][0]?.[1] ?? table.passed[0]?.[1] ?? {};
  const withFailed = (name: ReadingName) => ({ ...evidenceOf(given), [name]: failed("timeout") });
  return [
    {
      group: "findings",
      // The type demands it as well, unless a check widens the type of its codes.
      name: "every declared finding has a case",
      place: inTest("violated"),
      run: () => {
        const tested = violations.filter(([, cases]) => cases.length > 0).map(([code]) => code);
        const declared = Object.keys(check.findings);
        const untested = declared.filter((code) => !tested.includes(code));
        if (untested.length > 0) throw new CaseFault(`no case for ${untested.join(", ")}: add one under "violated"`);
        const undeclared = tested.filter((code) => !declared.includes(code));
        if (undeclared.length > 0) throw new CaseFault(`cases for ${undeclared.join(", ")}, which the check does not declare`);
        return 0;
      },
    },
    ...check.reads.map((name) => ({
      group: "failed readings",
      name: `not checked: ${name} could not be read`,
      place: { file: "check", path: ["reads", name] } as const,
      run: () => judged(check, withFailed(name), "notChecked").judgeMs,
    })),
    ...(check.consults ?? []).map((name) => ({
      group: "failed readings",
      name: `judges without ${name}`,
      place: { file: "check", path: ["consults", name] } as const,
      run: () => judged(check, withFailed(name), null).judgeMs,
    })),
    ...(check.headers ?? []).map((name) => ({
      group: "cut headers",
      name: `not checked: ${name} is longer than the limit`,
      place: { file: "check", path: ["headers", name] } as const,
      run: () => judged(check, withCutHeader(evidenceOf(given), name), "notChecked").judgeMs,
    })),
  ];
}

/**
 * Judges frozen evidence twice, to catch checks that change their input or keep state. `state` is the expected one; null allows every state.
 * @throws CaseFault, or what `judge` threw.
 */
function judged(check: AnyCheck, given: CaseEvidence, state: string | null): { readonly result: StoredResult; readonly judgeMs: number } {
  const judgedEvidence = evidenceOf(given);
  const [first, second] = [tryCheck(check, judgedEvidence), tryCheck(check, judgedEvidence)];
  for (const { thrown, fault } of [first, second]) {
    if (thrown !== null) throw thrown.error;
    if (fault !== null) throw new CaseFault(fault);
  }
  if (state !== null && first.result.ledger[0]?.state !== state) throw new CaseFault(`expected ${state}, but ${verdictOf(first.result)}`);
  if (!isDeepStrictEqual(first.result, second.result))
    throw new CaseFault(`two judgements differ: first ${verdictOf(first.result)}, then ${verdictOf(second.result)}`);
  return { result: first.result, judgeMs: Math.max(first.judgeMs, second.judgeMs) };
}

/** The verdict of the only row in words. */
function verdictOf({ ledger: [row], findings }: StoredResult): string {
  const details = [row?.notCheckedBecause ?? "", ...findings.map(({ code, values }) => `${code} ${JSON.stringify(values)}`)];
  return [`the verdict is ${row?.state}`, ...details.filter((detail) => detail !== "")].join(" ");
}

/** Every placeholder of the texts needs a value. */
function assertTextsFilled(code: string, values: FindingValues, { texts, fileOf }: TestedTexts): void {
  for (const locale of locales) {
    const ofFinding = texts[locale]?.findings[code];
    if (ofFinding === undefined) throw new CaseFault(`${fileOf(locale)} has no ${locale} texts for ${code}`);
    const placeholders = Object.values(ofFinding).flatMap((text) =>
      [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = ""]) => name),
    );
    const unknown = placeholders.filter((name) => name !== "host" && name !== "url" && !Object.hasOwn(values, name));
    if (unknown.length > 0)
      throw new CaseFault(`the ${locale} texts of ${code} quote {{${unknown.join("}}, {{")}}}, but the finding has no such value`);
  }
}

/** @throws CaseFault if the first case has no page to which a header could be added. */
function withCutHeader(given: Evidence, name: string): Evidence {
  const cut: HeaderField = { name, value: "x".repeat(headerValueCharsMax), truncated: true };
  const { page, navigation } = given;
  if (page.status === "failed" || navigation.status === "failed") throw new CaseFault("the first case must have been read");
  return {
    ...given,
    page: read({ ...page.facts, headers: [...page.facts.headers, cut] }),
    navigation: read({
      ...navigation.facts,
      hops: navigation.facts.hops.map((hop) => ({ ...hop, headers: [...hop.headers, cut] })),
    }),
  };
}
