/** Why tests are skipped: programs that this machine lacks, and cases for root. `build/test.ts` sums it up after the last test. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** Environment variable with the path of the file that collects the reasons, one in a line. */
export const skipReasonsVariable = "TESTS_SKIP_REASONS_FILE";

export interface SkipReasons {
  /** Programs. Fails in CI. */
  readonly missing: readonly string[];
  /** Does not fail in CI, which may run as another user. */
  readonly needsRoot: boolean;
}

const rootLine = "root";
const missingPrefix = "missing: ";

/** Whether the machine lacks something, for `skipIf`. `what` names it and says how to get it: "nats-server (Debian: nats-server)". */
export function isMissing(present: boolean, what: string): boolean {
  if (!present) note(`${missingPrefix}${what}`);
  return !present;
}

/** Whether cases that only root can run are skipped, for `skipIf`. */
export function rootIsMissing(): boolean {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) note(rootLine);
  return !isRoot;
}

function note(line: string): void {
  const file = process.env[skipReasonsVariable];
  if (file !== undefined) appendFileSync(file, `${line}\n`);
}

/** Reasons of all test files, each once. */
export function skipReasonsIn(file: string): SkipReasons {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const missing = lines.flatMap((line) => (line.startsWith(missingPrefix) ? [line.slice(missingPrefix.length)] : []));
  return { missing: [...new Set(missing)], needsRoot: lines.includes(rootLine) };
}
