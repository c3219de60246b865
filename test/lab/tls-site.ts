/** Serves the cases for certificates and TLS, with the expected states of a sound site. */

import { expect } from "vitest";
import type { State } from "../../src/check/check.ts";
import { type IssuedCertificate, type ServerIdentity, testAuthority } from "../support/certificates.ts";
import { portWithoutListener } from "../support/ports.ts";
import { egressTo, startHttps, type TlsOptions } from "../support/servers.ts";
import type { FinishedScan, LabSite, States } from "./laboratory.ts";

export const labHost = "site.test";

/** Every TLS row but the two about offers. Two of them do not apply to a private authority. */
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
  const closed = { port: portWithoutListener() };
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

/** The presented chain, leaf first. */
export function chain(leaf: IssuedCertificate, ...others: readonly { readonly pem: string }[]): ServerIdentity {
  return { certificateChainPem: [leaf, ...others].map(({ pem }) => pem).join(""), privateKeyPem: leaf.privateKeyPem };
}

/** Expects a scan without page, whose rows say that browsers refuse the server. */
export function expectRefusalByBrowser({ result }: FinishedScan): void {
  expect(result).toMatchObject({ measured: false, score: null });
  const reasonOf = (key: string) => result.ledger.find((row) => row.key === key)?.notCheckedBecause;
  expect(reasonOf("content-security-policy")).toBe("page: tls-incompatible");
  expect(reasonOf("tls-cipher-negotiated")).toBe("navigation: tls-incompatible");
}
