/** How the cases about certificates and TLS are served, and what a sound site of theirs is expected to show. */
import type { State } from "../../src/check/check.ts";
import { type ServerIdentity, testAuthority } from "../support/certificates.ts";
import { closedPort, egressTo, startHttps, type TlsWish } from "../support/servers.ts";
import type { LabSite, States } from "./laboratory.ts";

export const labHost = "site.test";

/** Every row that speaks of TLS. A private authority makes two of them not applicable. */
const sound: States = {
  "tls-certificate-validity": "passed",
  "tls-certificate-expiry": "passed",
  "tls-certificate-lifetime": "notApplicable",
  "tls-certificate-transparency": "notApplicable",
  "tls-hostname-match": "passed",
  "tls-trust-chain": "passed",
  "tls-key-strength": "passed",
  "tls-signature-algorithm": "passed",
  "tls-modern-protocol": "passed",
  "tls-legacy-protocols": "passed",
  "tls-cipher-negotiated": "passed",
};

/** The states of a sound site, but for these; keys without their `tls-`. */
export function tlsStates(given: Readonly<Record<string, State>> = {}): States {
  return { ...sound, ...Object.fromEntries(Object.entries(given).map(([key, state]) => [`tls-${key}`, state])) };
}

/** Pages here load nothing: there is no use in waiting long for quiet. */
const deadlines = { settleMs: 50, settleMaxMs: 500 };

export interface ServedBy {
  readonly port: number;
  stop(): void | Promise<void>;
}

/** Where a case is served: at that host, whose port 80 is shut. */
export async function tlsSite(server: ServedBy, host = labHost): Promise<LabSite> {
  const shut = { port: await closedPort() };
  return {
    url: `https://${host}/`,
    egress: egressTo({ [`${host}:443`]: server, [`${host}:80`]: shut }),
    caPems: [testAuthority().root.pem],
    deadlines,
    stop: () => server.stop(),
  };
}

/** The runtime's own server, with a page. */
export async function pageOver(identity: ServerIdentity, wish: TlsWish = {}): Promise<ServedBy> {
  return startHttps(identity, { "/": { body: "<!doctype html><title>A page</title>" } }, wish);
}
