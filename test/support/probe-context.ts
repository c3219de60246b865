/** Probe context for tests: a subject, an egress that reaches the test servers, and a deadline. */
import { afterEach } from "vitest";
import { openEgress } from "../../src/egress/dial.ts";
import type { SubjectContext } from "../../src/probe/context.ts";
import { subjectOf } from "../../src/scan/task.ts";
import { cleanUp, onCleanUp } from "./clean-up.ts";
import { egressTo } from "./servers.ts";

afterEach(cleanUp);

/** `endpoints` as for `egressTo`. */
export function contextOf(
  url: string,
  endpoints: Readonly<Record<string, { readonly port: number }>>,
  deadlineMs = 30_000,
): SubjectContext {
  const egress = openEgress(egressTo(endpoints));
  onCleanUp(() => egress.close());
  return { subject: subjectOf(url, new Date().toISOString()), egress, signal: AbortSignal.timeout(deadlineMs) };
}
