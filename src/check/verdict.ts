/** Verdicts of checks, the findings of a violation, and the values that findings quote. */
import { findingValueCharsMax } from "../evidence/limits.ts";
import type { FindingCode } from "./check.ts";

/** Values that a finding's texts quote, by placeholder name. The ledger bounds their length. */
export type FindingValues = Readonly<Record<string, string | number>>;

/** Finding of a violation: a declared code, and values for its texts. */
export interface Found<Code extends FindingCode> {
  readonly code: Code;
  readonly values?: FindingValues;
}

export type Verdict<Code extends FindingCode> =
  | { readonly state: "passed" | "notApplicable" | "notChecked" }
  | { readonly state: "violated"; readonly findings: readonly Found<Code>[] };

/** Verdict: the check ran and found no fault. */
export function passed(): { readonly state: "passed" } {
  return { state: "passed" };
}

/** Verdict: the site has nothing that this check covers. Do not use it for a pass. */
export function notApplicable(): { readonly state: "notApplicable" } {
  return { state: "notApplicable" };
}

/** Verdict: the deciding evidence was not read. Failed `reads` and cut `headers` are covered without it. */
export function notChecked(): { readonly state: "notChecked" } {
  return { state: "notChecked" };
}

/** Finding of a declared code, with the values for its texts. */
export function finding<Code extends FindingCode>(code: Code, values?: FindingValues): Found<Code> {
  return values === undefined ? { code } : { code, values };
}

/** The finding as a list of one if the condition holds, else an empty list. */
export function findingIf<Code extends FindingCode>(condition: boolean, code: Code, values?: FindingValues): readonly Found<Code>[] {
  return condition ? [finding(code, values)] : [];
}

/** Verdict with one finding: `violated("security.hsts.disabled")`, optionally with values for its texts. */
export function violated<Code extends FindingCode>(code: Code, values?: FindingValues): Verdict<Code> {
  return violatedBy([finding(code, values)]);
}

/** First finding of each code: the others appear after the first is fixed. */
export function firstOfEachCode<Code extends FindingCode>(findings: readonly Found<Code>[]): readonly Found<Code>[] {
  const firsts = new Map<Code, Found<Code>>();
  for (const found of findings) if (!firsts.has(found.code)) firsts.set(found.code, found);
  return [...firsts.values()];
}

/** Verdict with several findings. Without one, a pass, or `notChecked` if the evidence is not complete. */
export function violatedBy<Code extends FindingCode>(findings: readonly Found<Code>[], complete = true): Verdict<Code> {
  if (findings.length > 0) return { state: "violated", findings };
  return complete ? passed() : notChecked();
}

const separator = ", ";

/**
 * One finding for all addresses that share a fault; no finding without an address. `resources` lists distinct addresses in alphabetical
 * order, as many as one value holds. Sorting makes repeated scans equal, because scripts load in varying order. `total` is the number of
 * distinct addresses.
 */
export function foundAtAddresses<Code extends FindingCode>(code: Code, addresses: readonly string[]): readonly Found<Code>[] {
  const sorted = [...new Set(addresses)].sort();
  const [first, ...others] = sorted;
  if (first === undefined) return [];
  let resources = first;
  for (const address of others) {
    if (resources.length + separator.length + address.length > findingValueCharsMax) break;
    resources += separator + address;
  }
  return [{ code, values: { resources, total: sorted.length } }];
}

/** Distinct words in order, separated by commas. */
export function distinct(words: readonly string[]): string {
  return [...new Set(words)].join(separator);
}

/** Instant such as `2026-12-30 23:59 UTC`, readable in every language; `date` is ISO 8601. */
export function minuteOf(date: string): string {
  return `${new Date(date).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
