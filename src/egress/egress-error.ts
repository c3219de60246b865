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

/** Value of the promise that `start` returns. @throws EgressError `timeout` with the message if the signal aborts earlier */
export async function orTimeout<T>(signal: AbortSignal, message: string, start: () => Promise<T>): Promise<T> {
  const end = Promise.withResolvers<never>();
  const onAbort = () => end.reject(new EgressError("timeout", message));
  if (signal.aborted) throw new EgressError("timeout", message);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([start(), end.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
