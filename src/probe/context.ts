/** What every probe of our own is given, besides the place that it asks about. */
import type { Egress } from "../egress/dial.ts";
import type { Subject } from "../evidence/evidence.ts";

export interface ProbeContext {
  readonly egress: Egress;
  /** Carries the probe's deadline. A probe that is told to stop answers with a failed reading at once. */
  readonly signal: AbortSignal;
}

export interface SubjectContext extends ProbeContext {
  readonly subject: Subject;
}

/** One request and its answer; shorter than a probe's deadline, so that one slow step leaves the facts of those before it. */
export const exchangeMs = 6_000;
