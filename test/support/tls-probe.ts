/** Runs the TLS probe against test servers. Test files call `cleanUp` after each test. */
import { openEgress } from "../../src/egress/dial.ts";
import type { Reading } from "../../src/evidence/evidence.ts";
import type { TlsFacts, TlsOffersFacts } from "../../src/evidence/tls-facts.ts";
import { probeTls } from "../../src/probe/tls/tls.ts";
import { probeTlsOffers } from "../../src/probe/tls/tls-offers.ts";
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
  { host = "site.test", caPems, deadlineMs = 30_000 }: ProbeOptions = {},
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

const modernVersions: TlsFacts["versions"] = { "1.0": "refused", "1.1": "refused", "1.2": "accepted", "1.3": "accepted" };

/** The offers of a server whose versions are known. */
export async function tlsOffersOf(
  server: { readonly port: number },
  versions: Partial<TlsFacts["versions"]> = {},
): Promise<TlsOffersFacts> {
  const egress = openEgress(egressTo({ "site.test:443": server }));
  onCleanUp(() => egress.close());
  const tls = { host: "site.test", port: 443, versions: { ...modernVersions, ...versions } };
  const reading = await probeTlsOffers({ egress, tls, signal: AbortSignal.timeout(60_000) });
  if (reading.status === "failed") throw new Error(`failed: ${reading.because}`);
  return reading.facts;
}

/** Accepted suites by kind, without the kinds that are refused. */
export function acceptedSuites({ weakSuites }: TlsOffersFacts): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(weakSuites)
      .filter(([, { accepted, others }]) => accepted.length > 0 || others !== "refused")
      .map(([kind, { accepted, others }]) => [kind, others === "unknown" ? [...accepted, "?"] : accepted]),
  );
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
