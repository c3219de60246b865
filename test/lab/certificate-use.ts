/** Laboratory cases for the dates of issuers, and for certificates that are not meant for servers. */
import { dayMs } from "../../src/base/units.ts";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import type { LabCase, States } from "./laboratory.ts";
import { chain, expectRefusalByBrowser, labHost, startPage, tlsSite, tlsStates } from "./tls-site.ts";

const period = (from: number, to: number) => ({
  validFrom: new Date(Date.now() + from * dayMs),
  validTo: new Date(Date.now() + to * dayMs),
});

/** Cross-signed twins: issuers with one name and one key, with these days from now as their ends. */
function twins(...periods: readonly (readonly [from: number, to: number])[]) {
  const { root, intermediate } = testAuthority();
  const { privateKeyPem } = intermediate;
  const issuers = periods.map(([from, to]) =>
    root.issue({ commonName: "Assay test issuing CA", authority: true, privateKeyPem, ...period(from, to) }),
  );
  return chain(intermediate.issue({ commonName: labHost, names: [labHost] }), ...issuers);
}

function issuerDateCase(
  name: string,
  periods: readonly (readonly [from: number, to: number])[],
  expected: States = tlsStates(),
  ...codes: readonly string[]
): LabCase {
  return { name: `issuer: ${name}`, expected, codes, serve: async () => tlsSite(await startPage(twins(...periods))) };
}

const refused = tlsStates({ "certificate-validity": "violated" });

export const issuerDateCases: readonly LabCase[] = [
  issuerDateCase("expired", [[-100, -1]], refused, "security.tls.issuer-expired"),
  issuerDateCase("not yet valid", [[1, 1_000]], refused, "security.tls.issuer-not-yet-valid"),
  issuerDateCase("expired, with a valid twin after it", [
    [-100, -1],
    [-1, 1_000],
  ]),
  issuerDateCase("expired, with a valid twin before it", [
    [-1, 1_000],
    [-100, -1],
  ]),
  issuerDateCase("ends in ten days", [[-1, 10]], tlsStates({ "certificate-expiry": "violated" }), "security.tls.issuer-expires-soon"),
  issuerDateCase("ends in twenty days", [[-1, 20]]),
];

const unsuitable = tlsStates({ "trust-chain": "violated" });
const clientAuth = "1.3.6.1.5.5.7.3.2";
/** The bits keyEncipherment and dataEncipherment. */
const encipherment = Buffer.from([0x03, 0x02, 0x04, 0x30]);

export const usageCases: readonly LabCase[] = [
  {
    name: "a certificate of an authority on the server",
    expected: unsuitable,
    codes: ["security.tls.certificate-is-authority"],
    serve: async () => tlsSite(await startPage(siteIdentity(labHost, { authority: true }))),
  },
  {
    name: "a certificate for clients on the server",
    expected: unsuitable,
    codes: ["security.tls.certificate-not-for-servers"],
    serve: async () => tlsSite(await startPage(siteIdentity(labHost, { extendedKeyUsage: [clientAuth] }))),
  },
  {
    name: "a key that must not sign, which browsers refuse",
    expected: { ...unsuitable, "tls-cipher-negotiated": "notChecked" },
    codes: ["security.tls.certificate-not-for-servers"],
    serve: async () => tlsSite(await startPage(siteIdentity(labHost, { keyUsage: encipherment, key: "rsa-2048" }))),
    verify: expectRefusalByBrowser,
  },
];
