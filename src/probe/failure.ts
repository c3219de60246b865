/** Turns what the egress threw into a reading that failed: nothing is thrown out of a probe. */
import { EgressError } from "../egress/egress-error.ts";
import { failed } from "../evidence/evidence.ts";

/** Anything but an `EgressError` is a fault of the probe itself. */
export function failedBy(thrown: unknown): ReturnType<typeof failed> {
  return failed(thrown instanceof EgressError ? thrown.because : "crashed");
}
