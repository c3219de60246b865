/** What a check may answer: a state, and the findings behind a violation. */
import type { FindingCode } from "./check.ts";

/** Values that a finding's texts quote, by placeholder name. Bounded by the ledger before they are stored. */
export type FindingValues = Readonly<Record<string, string | number>>;

export interface Found<Code extends FindingCode> {
  readonly code: Code;
  readonly values?: FindingValues;
}

export type Verdict<Code extends FindingCode> =
  | { readonly state: "passed" | "notApplicable" | "notChecked" }
  | { readonly state: "violated"; readonly findings: readonly Found<Code>[] };

/** The check ran and found nothing wrong. */
export function passed(): { readonly state: "passed" } {
  return { state: "passed" };
}

/** There is nothing here that this check speaks about. A pass is never `notApplicable`. */
export function notApplicable(): { readonly state: "notApplicable" } {
  return { state: "notApplicable" };
}

/** What would decide it could not be read. Needed only beyond the cases that `reads` and `headers` already settle. */
export function notChecked(): { readonly state: "notChecked" } {
  return { state: "notChecked" };
}

/** One finding: `violated("security.hsts.disabled")`, with the values that its texts quote. */
export function violated<Code extends FindingCode>(code: Code, values?: FindingValues): Verdict<Code> {
  return violatedBy([values === undefined ? { code } : { code, values }]);
}

/** Of findings with the same code the first: the others show when that one is mended. */
export function firstOfEachCode<Code extends FindingCode>(findings: readonly Found<Code>[]): readonly Found<Code>[] {
  const firsts = new Map<Code, Found<Code>>();
  for (const found of findings) if (!firsts.has(found.code)) firsts.set(found.code, found);
  return [...firsts.values()];
}

/** Several findings at once; an empty list is a pass, so that a check can collect and hand over. */
export function violatedBy<Code extends FindingCode>(findings: readonly Found<Code>[]): Verdict<Code> {
  return findings.length === 0 ? passed() : { state: "violated", findings };
}
