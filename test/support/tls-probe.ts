/** Runs the TLS probe against test servers. Test files call `cleanUp` after each test. */
import { openEgress } from "../../src/egress/dial.ts";
import type { Reading } from "../../src/evidence/evidence.ts";
import type { TlsFacts } from "../../src/evidence/tls-facts.ts";
import { probeTls } from "../../src/probe/tls/tls.ts";
import { type ServerIdentity, testAuthority } from "./certificates.ts";
import { keep, onCleanUp } from "./clean-up.ts";
import { egressTo, startHttps, type TlsOptions } from "./servers.ts";

interface ProbeOptions {
  readonly host?: string;
  readonly caPems?: readonly string[];
  readonly deadlineMs?: number;
}

export async function probeServer(
  server: { readonly port: number },
  { host = "site.test", caPems, deadlineMs = 5_000 }: ProbeOptions = {},
): Promise<Reading<TlsFacts>> {
  const egress = openEgress(egressTo({ [`${host}:443`]: server }));
  onCleanUp(() => egress.close());
  const signal = AbortSignal.timeout(deadlineMs);
  return probeTls({ egress, host, port: 443, caPems: caPems ?? [testAuthority().root.pem], signal });
}

export async function tlsFactsOf(server: { readonly port: number }, options?: ProbeOptions): Promise<TlsFacts> {
  const reading = await probeServer(server, options);
  if (reading.status === "failed") throw new Error(`failed: ${reading.because}`);
  return reading.facts;
}

export async function serveTls(identity: ServerIdentity, options?: TlsOptions) {
  return keep(await startHttps(identity, { "*": {} }, options));
}

/** All versions refused, except the ones given. */
export const refusedBut = (accepted: Partial<TlsFacts["versions"]>) => ({
  "1.0": "refused",
  "1.1": "refused",
  "1.2": "refused",
  "1.3": "refused",
  ...accepted,
});
