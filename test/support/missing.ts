/** Names what a test needs and this machine lacks. `build/test.ts` sums it up after the last test. */
import { appendFileSync } from "node:fs";

/** Environment variable with the path of the file that collects the names. */
export const missingFileVariable = "TESTS_MISSING_FILE";

/** Whether the machine lacks something, for `skipIf`. `what` names it and says how to get it: "nats-server (Debian: nats-server)". */
export function isMissing(present: boolean, what: string): boolean {
  const file = process.env[missingFileVariable];
  if (!present && file !== undefined) appendFileSync(file, `${what}\n`);
  return !present;
}
