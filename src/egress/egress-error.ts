/** The one error that leaves this room: why something could not be reached, in the words of evidence. */
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

/** The session came about, but the certificate is not good for the host: no link that broke, but the server's own doing. */
export class CertificateRefused extends EgressError {
  constructor(message: string) {
    super("tls", message);
  }
}

/** Anything thrown, as an `EgressError`: what this room does not know broke the connection off. */
export function toEgressError(thrown: unknown): EgressError {
  if (thrown instanceof EgressError) return thrown;
  return new EgressError("unreachable", thrown instanceof Error ? thrown.message : String(thrown));
}
