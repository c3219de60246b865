/** Input that all probes share, and the conversion of their errors into readings. */
import type { Egress } from "../egress/dial.ts";
import { EgressError } from "../egress/egress-error.ts";
import { failed, type Subject } from "../evidence/evidence.ts";

export interface ProbeContext {
  readonly egress: Egress;
  /** Carries the probe's deadline. An aborted probe returns a failed reading at once. */
  readonly signal: AbortSignal;
}

export interface SubjectContext extends ProbeContext {
  readonly subject: Subject;
}

/** Deadline of one request. Shorter than a probe's deadline, so that a slow request does not lose earlier facts. */
export const exchangeMs = 6_000;

/** Reading for an error of a probe. Anything but an `EgressError` is a bug in the probe itself. */
export function failedBy(thrown: unknown): ReturnType<typeof failed> {
  return failed(thrown instanceof EgressError ? thrown.because : "crashed");
}
