/** Tells of a fault that many addresses may share. */
import type { FindingCode } from "./check.ts";
import type { Found } from "./verdict.ts";

/** One finding about all of the addresses: `resource` is the first, `total` how many there are. None when there is no address. */
export function foundAtAddresses<Code extends FindingCode>(code: Code, addresses: readonly string[]): readonly Found<Code>[] {
  const [resource] = addresses;
  return resource === undefined ? [] : [{ code, values: { resource, total: new Set(addresses).size } }];
}
