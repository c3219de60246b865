/** Tells of a fault that many addresses may share. */
import { findingValueCharsMax } from "../evidence/limits.ts";
import type { FindingCode } from "./check.ts";
import type { Found } from "./verdict.ts";

/**
 * One finding about all of the addresses: `resources` has the first of them in alphabetical order, since scripts add to a document as they
 * arrive, as many as a value has room for, each once, and `total` says how many there are. None when there is no address.
 */
export function foundAtAddresses<Code extends FindingCode>(code: Code, addresses: readonly string[]): readonly Found<Code>[] {
  const distinct = [...new Set(addresses)].sort();
  const [first, ...others] = distinct;
  if (first === undefined) return [];
  let resources = first;
  for (const address of others) {
    if (resources.length + separator.length + address.length > findingValueCharsMax) break;
    resources += separator + address;
  }
  return [{ code, values: { resources, total: distinct.length } }];
}

const separator = ", ";
