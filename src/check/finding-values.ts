/** Builds values that findings quote. */
import { findingValueCharsMax } from "../evidence/limits.ts";
import type { FindingCode } from "./check.ts";
import type { Found } from "./verdict.ts";

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
