/** Where checks announce themselves on import, and from where the catalog reads them back once. */
import type { ReadingName } from "../evidence/evidence.ts";
import type { Check, FindingCode } from "./check.ts";

/** A check with its type parameters forgotten: how the registry, the ledger and the catalog hold it. */
// biome-ignore lint/suspicious/noExplicitAny: judge's parameter is contravariant; the ledger narrows evidence to what the check declared.
export type AnyCheck = Omit<Check, "judge"> & { judge(evidence: any): ReturnType<Check["judge"]> };

const registered = new Map<string, AnyCheck>();
let closed = false;

/**
 * Announces a check and returns it, so that a file can be tested by importing it.
 * @throws Error on a key that is taken, and on any registration after the catalog was read: both would change scores silently.
 */
export function registerCheck<
  const Code extends FindingCode,
  const Reads extends ReadingName,
  const Consults extends ReadingName = never,
  const Header extends string = never,
>(check: Check<Code, Reads, Consults, Header>): Check<Code, Reads, Consults, Header> {
  if (closed) throw new Error(`check "${check.key}" registered after the catalog was closed`);
  if (registered.has(check.key)) throw new Error(`two checks have the key "${check.key}"`);
  registered.set(check.key, check as unknown as AnyCheck);
  return check;
}

/** Keys registered so far, in order of registration: lets the loader see what one file announced. */
export function registeredKeys(): readonly string[] {
  return [...registered.keys()];
}

/** All checks sorted by key; no check can register afterwards. */
export function closeRegistry(): readonly AnyCheck[] {
  closed = true;
  return [...registered.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}
