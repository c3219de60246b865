/** The only error that egress throws: why a host could not be reached, as a probe failure. */
import type { ProbeFailure } from "../evidence/evidence.ts";

export type EgressFailure = Extract<ProbeFailure, "blocked" | "unresolved" | "refused" | "timeout" | "unreachable" | "tls" | "invalid">;

export class EgressError extends Error {
  override readonly name = "EgressError";
  readonly because: EgressFailure;

  constructor(because: EgressFailure, message: string) {
    super(message);
    this.because = because;
  }
}

/** The TLS session was established, but the certificate is not valid for the host: a fault of the server, not of the network. */
export class CertificateRefused extends EgressError {
  constructor(message: string) {
    super("tls", message);
  }
}

/** Converts anything thrown to an `EgressError`; unknown errors count as `unreachable`. */
export function toEgressError(thrown: unknown): EgressError {
  if (thrown instanceof EgressError) return thrown;
  return new EgressError("unreachable", thrown instanceof Error ? thrown.message : String(thrown));
}
