/** The kinds of weak suites as a list. */
import type { WeakSuiteKind } from "./tls-facts.ts";

/** Worst first. A record, so that the compiler reports missing kinds. */
const kinds: Readonly<Record<WeakSuiteKind, true>> = {
  null: true,
  anonymous: true,
  export: true,
  rc4: true,
  smallBlock: true,
  staticKey: true,
  cbc: true,
};

export const weakSuiteKinds = Object.keys(kinds) as readonly WeakSuiteKind[];
