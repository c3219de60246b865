/** Registry of checks: each check file registers itself on import. The threads that load or judge plugins read which checks a file registered. */
import type { ReadingName } from "../evidence/evidence.ts";
import type { Check, FindingCode } from "./check.ts";

/** Check without its type parameters, as registry, ledger and catalog hold it. */
// biome-ignore lint/suspicious/noExplicitAny: judge's parameter is contravariant; the ledger narrows evidence to what the check declared.
export type AnyCheck = Omit<Check, "judge"> & { judge(evidence: any): ReturnType<Check["judge"]> };

/** A check as reports, pages and exports need it: everything but its code. Plain data that can cross a thread. */
export type CheckDefinition = Omit<Check, "judge">;

const registered = new Map<string, AnyCheck>();
let closed = false;

/**
 * Registers a check and returns it, so that tests can import the file directly.
 * @throws Error on a duplicate key, and after the registry is closed: both would change scores silently.
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

/** Checks in registration order; the loader uses it to find the checks of a file. */
export function registeredChecks(): readonly AnyCheck[] {
  return [...registered.values()];
}

/** All checks by key. Later registrations throw. */
export function closeRegistry(): readonly AnyCheck[] {
  closed = true;
  return [...registered.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}
