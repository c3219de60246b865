/** Probe context for tests: a subject, an egress that reaches the test servers, and a deadline. */
import { afterEach } from "vitest";
import { openEgress } from "../../src/egress/dial.ts";
import { subjectOf } from "../../src/evidence/subject.ts";
import type { SubjectContext } from "../../src/probe/context.ts";
import { egressTo } from "./servers.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** Stops the server after the test. */
export function keep<T extends { stop(): unknown }>(server: T): T {
  cleanUp.push(() => server.stop());
  return server;
}

/** `endpoints` as for `egressTo`. */
export function contextOf(url: string, endpoints: Readonly<Record<string, { readonly port: number }>>, deadlineMs = 5_000): SubjectContext {
  const egress = openEgress(egressTo(endpoints));
  cleanUp.push(() => egress.close());
  return { subject: subjectOf(url, new Date().toISOString()), egress, signal: AbortSignal.timeout(deadlineMs) };
}
