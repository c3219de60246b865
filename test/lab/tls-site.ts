/** Serves the cases for certificates and TLS, with the expected states of a sound site. */
import type { State } from "../../src/check/check.ts";
import { type ServerIdentity, testAuthority } from "../support/certificates.ts";
import { closedPort, egressTo, startHttps, type TlsOptions } from "../support/servers.ts";
import type { LabSite, States } from "./laboratory.ts";

export const labHost = "site.test";

/** Every TLS row. Two of them do not apply to a private authority. */
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

/** States of a sound site with changes; keys are without `tls-`. */
export function tlsStates(changes: Readonly<Record<string, State>> = {}): States {
  return { ...sound, ...Object.fromEntries(Object.entries(changes).map(([key, state]) => [`tls-${key}`, state])) };
}

/** These pages load nothing, so that a short settle time is enough. */
const deadlines = { settleMs: 50, settleMaxMs: 500 };

export interface RunningServer {
  readonly port: number;
  stop(): void | Promise<void>;
}

/** A site at that host with its port 80 closed. */
export async function tlsSite(server: RunningServer, host = labHost): Promise<LabSite> {
  const closed = { port: await closedPort() };
  return {
    url: `https://${host}/`,
    egress: egressTo({ [`${host}:443`]: server, [`${host}:80`]: closed }),
    caPems: [testAuthority().root.pem],
    deadlines,
    stop: () => server.stop(),
  };
}

/** A page on the runtime's TLS server. */
export async function startPage(identity: ServerIdentity, options: TlsOptions = {}): Promise<RunningServer> {
  return startHttps(identity, { "/": { body: "<!doctype html><title>A page</title>" } }, options);
}
