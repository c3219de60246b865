/** Laboratory cases for certificates: every flaw, served by a real server. */
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { expect } from "vitest";
import { dayMs } from "../../src/base/units.ts";
import { certificateNamesMax, certificatesMax } from "../../src/evidence/limits.ts";
import {
  type CertificateOptions,
  type Flaw,
  type IssuedCertificate,
  type ServerIdentity,
  selfSigned,
  siteIdentity,
  testAuthority,
  untrustedAuthority,
} from "../support/certificates.ts";
import { startFlight } from "../support/flight-server.ts";
import { type OpensslKey, opensslDsaKey, opensslKey } from "../support/openssl-keys.ts";
import { opensslIsMissing, startOpenssl } from "../support/openssl-server.ts";
import { issuerDateCases, usageCases } from "./certificate-use.ts";
import type { FinishedScan, LabCase, LabSite, States } from "./laboratory.ts";
import { chain, expectRefusalByBrowser, labHost, startPage, tlsSite, tlsStates } from "./tls-site.ts";

const daysFromNow = (days: number) => new Date(Date.now() + days * dayMs);

interface CertificateCase {
  readonly name: string;
  readonly expected?: States;
  readonly codes?: readonly string[];
  readonly host?: string;
  readonly identity: () => ServerIdentity;
  readonly verify?: (scan: FinishedScan) => void;
}

/** A certificate that the runtime's TLS server can present. */
function certificateCase({ name, expected = tlsStates(), host = labHost, identity, ...rest }: CertificateCase): LabCase {
  return { name, expected, ...rest, serve: async () => tlsSite(await startPage(identity()), host) };
}

function flawed(flaw: Flaw, expected: States, code: string): LabCase {
  return certificateCase({ name: `certificate: ${flaw}`, expected, codes: [code], identity: () => siteIdentity(labHost, { flaw }) });
}

/** `count` names; the last one is the host. */
function manyNames(count: number): readonly string[] {
  return [...Array.from({ length: count - 1 }, (_, at) => `h${at}.test`), labHost];
}

const goodLeaf = () => testAuthority().intermediate.issue({ commonName: labHost, names: [labHost] });

/** An RSA authority below the trusted root: SHA-1 and RSASSA-PSS signatures are made with RSA keys here. */
function rsaIntermediate(options: CertificateOptions = {}): IssuedCertificate {
  return testAuthority().root.issue({ commonName: "RSA issuing CA", authority: true, key: "rsa-2048", ...options });
}

/** A leaf issued by an RSA authority. */
function signedLeaf(options: CertificateOptions): ServerIdentity {
  const issuer = rsaIntermediate();
  return chain(issuer.issue({ commonName: labHost, names: [labHost], ...options }), issuer);
}

/** Site like `tlsSite`, with another root that the scan trusts. */
async function siteBelow(root: IssuedCertificate, identity: ServerIdentity): Promise<LabSite> {
  return { ...(await tlsSite(await startPage(identity))), caPems: [root.pem] };
}

const dates: readonly LabCase[] = [
  flawed(
    "expired",
    tlsStates({ "certificate-validity": "violated", "certificate-expiry": "notApplicable" }),
    "security.tls.certificate-expired",
  ),
  flawed("not-yet-valid", tlsStates({ "certificate-validity": "violated" }), "security.tls.certificate-not-yet-valid"),
  certificateCase({
    name: "certificate: ten of ninety days left",
    expected: tlsStates({ "certificate-expiry": "violated" }),
    codes: ["security.tls.certificate-expires-soon"],
    identity: () => siteIdentity(labHost, { validFrom: daysFromNow(-80), validTo: daysFromNow(10) }),
  }),
  certificateCase({
    name: "certificate: three of six days left",
    identity: () => siteIdentity(labHost, { validFrom: daysFromNow(-3), validTo: daysFromNow(3) }),
  }),
  certificateCase({
    name: "certificate: valid for ten years, from a private authority",
    identity: () => siteIdentity(labHost, { validTo: daysFromNow(3_650) }),
  }),
];

const mismatch = tlsStates({ "hostname-match": "violated" });

const names: readonly LabCase[] = [
  flawed("wrong-host", mismatch, "security.tls.certificate-name-mismatch"),
  flawed("no-names", mismatch, "security.tls.certificate-without-names"),
  certificateCase({
    name: "wildcard: one level",
    host: "www.site.test",
    identity: () => siteIdentity("www.site.test", { names: ["*.site.test"] }),
  }),
  certificateCase({
    name: "wildcard: does not match two levels",
    expected: mismatch,
    host: "a.b.site.test",
    identity: () => siteIdentity("a.b.site.test", { names: ["*.site.test"] }),
  }),
  certificateCase({
    name: "wildcard: does not match the parent name",
    expected: mismatch,
    identity: () => siteIdentity(labHost, { names: ["*.site.test"] }),
  }),
  certificateCase({ name: "an address in the certificate", host: "127.0.0.1", identity: () => siteIdentity("127.0.0.1") }),
  certificateCase({
    name: "another address in the certificate",
    host: "127.0.0.1",
    expected: mismatch,
    identity: () => siteIdentity("127.0.0.2"),
  }),
  certificateCase({ name: "an international name", host: "xn--bcher-kva.test", identity: () => siteIdentity("xn--bcher-kva.test") }),
  certificateCase({
    name: "a thousand names, of which the last matches",
    identity: () => siteIdentity(labHost, { names: manyNames(1_000) }),
  }),
  certificateCase({
    name: "ten thousand names, more than browsers accept",
    expected: tlsStates({ "cipher-negotiated": "notChecked" }),
    identity: () => siteIdentity(labHost, { names: manyNames(10_000) }),
    verify: ({ evidence: { tls } }) => {
      const leaf = tls.status === "read" ? tls.facts.chain[0] : undefined;
      expect(leaf?.names.length).toBe(certificateNamesMax);
      expect(leaf?.namesDropped).toBe(10_000 - certificateNamesMax);
    },
  }),
];

const untrusted = tlsStates({ "trust-chain": "violated" });

const chains: readonly LabCase[] = [
  flawed("self-signed", untrusted, "security.tls.certificate-self-signed"),
  flawed("unknown-root", untrusted, "security.tls.chain-incomplete"),
  flawed("missing-intermediate", untrusted, "security.tls.chain-incomplete"),
  certificateCase({
    name: "a chain with an unknown root",
    expected: untrusted,
    codes: ["security.tls.root-not-trusted"],
    identity: () => {
      const { root, intermediate } = untrustedAuthority();
      return chain(intermediate.issue({ commonName: labHost, names: [labHost] }), intermediate, root);
    },
  }),
  certificateCase({
    name: "a chain in reverse order",
    identity: () => chain(goodLeaf(), testAuthority().root, testAuthority().intermediate),
  }),
  certificateCase({
    name: "a chain with its root",
    identity: () => chain(goodLeaf(), testAuthority().intermediate, testAuthority().root),
  }),
  certificateCase({
    name: "a chain with an unrelated root",
    identity: () => chain(goodLeaf(), testAuthority().intermediate, untrustedAuthority().root),
  }),
];

const undecided = tlsStates({ "key-strength": "notChecked", "signature-algorithm": "notChecked" });

const combinations: readonly LabCase[] = [
  certificateCase({
    name: "expired, for another host, from an unknown authority: three findings",
    expected: tlsStates({
      "certificate-validity": "violated",
      "certificate-expiry": "notApplicable",
      "hostname-match": "violated",
      "trust-chain": "violated",
    }),
    codes: ["security.tls.certificate-expired", "security.tls.certificate-name-mismatch", "security.tls.chain-incomplete"],
    identity: () =>
      siteIdentity("other.test", { flaw: "unknown-root", validFrom: daysFromNow(-100), validTo: daysFromNow(-10), names: ["other.test"] }),
  }),
  certificateCase({
    name: "more certificates than the limit: dropped ones could be weak",
    expected: undecided,
    identity: () =>
      chain(goodLeaf(), testAuthority().intermediate, ...Array.from({ length: certificatesMax }, () => untrustedAuthority().root)),
  }),
  certificateCase({
    name: "more certificates than the limit, with a weak one among those kept",
    expected: { ...undecided, "tls-key-strength": "violated" },
    codes: ["security.tls.key-too-short"],
    identity: () => {
      const { intermediate } = testAuthority();
      const weak = intermediate.issue({ commonName: labHost, names: [labHost], key: "rsa-1024" });
      return chain(weak, intermediate, ...Array.from({ length: certificatesMax }, () => untrustedAuthority().root));
    },
  }),
];

const weakHash = { codes: ["security.tls.signature-hash-weak"], expected: tlsStates({ "signature-algorithm": "violated" }) };

const signatures: readonly LabCase[] = [
  certificateCase({ name: "a leaf signed with SHA-1", ...weakHash, identity: () => signedLeaf({ hash: "sha1" }) }),
  {
    name: "an issuer signed with SHA-1",
    ...weakHash,
    serve: () => {
      const root = selfSigned({ commonName: "RSA root", authority: true, key: "rsa-2048" });
      const issuer = root.issue({ commonName: "Old issuing CA", authority: true, hash: "sha1" });
      return siteBelow(root, chain(issuer.issue({ commonName: labHost, names: [labHost] }), issuer));
    },
  },
  {
    name: "a chain with a root signed with SHA-1",
    expected: tlsStates(),
    serve: () => {
      const root = selfSigned({ commonName: "Old root", authority: true, key: "rsa-2048", hash: "sha1" });
      const issuer = root.issue({ commonName: "Issuing CA", authority: true });
      return siteBelow(root, chain(issuer.issue({ commonName: labHost, names: [labHost] }), issuer, root));
    },
  },
  {
    name: "a certificate with SHA-1 that the path does not need",
    expected: tlsStates({ "signature-algorithm": "violated" }),
    codes: ["security.tls.signature-hash-weak-unneeded"],
    serve: () => {
      const root = selfSigned({ commonName: "RSA root", authority: true, key: "rsa-2048" });
      const issuer = root.issue({ commonName: "Issuing CA", authority: true });
      const old = root.issue({ commonName: "Old issuing CA", authority: true, hash: "sha1" });
      return siteBelow(root, chain(issuer.issue({ commonName: labHost, names: [labHost] }), issuer, old));
    },
  },
  certificateCase({ name: "RSASSA-PSS with SHA-256", identity: () => signedLeaf({ pss: true }) }),
  certificateCase({
    name: "RSASSA-PSS with SHA-1, which libraries reject",
    expected: tlsStates({ "signature-algorithm": "violated", "trust-chain": "violated" }),
    codes: ["security.tls.signature-hash-weak", "security.tls.chain-invalid"],
    identity: () => signedLeaf({ pss: true, hash: "sha1" }),
  }),
  certificateCase({ name: "signed with SHA-384", identity: () => signedLeaf({ hash: "sha384" }) }),
];

const shortKey = { codes: ["security.tls.key-too-short"], expected: tlsStates({ "key-strength": "violated" }) };

const keys: readonly LabCase[] = [
  certificateCase({ name: "RSA of 1024 bits", ...shortKey, identity: () => siteIdentity(labHost, { key: "rsa-1024" }) }),
  certificateCase({
    name: "an issuer with RSA of 1024 bits",
    ...shortKey,
    identity: () => {
      const issuer = rsaIntermediate({ key: "rsa-1024" });
      return chain(issuer.issue({ commonName: labHost, names: [labHost] }), issuer);
    },
  }),
  certificateCase({ name: "RSA of 2048 bits", identity: () => siteIdentity(labHost, { key: "rsa-2048" }) }),
  certificateCase({ name: "RSA of 4096 bits", identity: () => siteIdentity(labHost, { key: "rsa-4096" }) }),
  certificateCase({ name: "P-256", identity: () => siteIdentity(labHost, { key: "ec-p256" }) }),
  certificateCase({ name: "P-384", identity: () => siteIdentity(labHost, { key: "ec-p384" }) }),
  certificateCase({
    name: "Ed25519, which browsers do not support",
    expected: tlsStates({ "cipher-negotiated": "notChecked" }),
    identity: () => siteIdentity(labHost, { key: "ed25519" }),
    verify: expectRefusalByBrowser,
  }),
];

/** A leaf of the trusted root with a key type that only OpenSSL supports and no browser does. */
function opensslCase(name: string, makeKey: () => OpensslKey, expected: States, codes: readonly string[] = []): LabCase {
  const serve = async () => {
    const { publicKeyInfo, privateKeyPem } = makeKey();
    const leaf = testAuthority().intermediate.issue({ commonName: labHost, names: [labHost], publicKeyInfo });
    const identity = { ...chain(leaf, testAuthority().intermediate), privateKeyPem };
    return tlsSite(await startOpenssl(identity, ["-tls1_2", "-cipher", "ALL:@SECLEVEL=0"]));
  };
  return { name, expected, codes, serve };
}

const unsupported = tlsStates({ "cipher-negotiated": "notChecked" });
const weakUnsupported = tlsStates({ "cipher-negotiated": "notChecked", "key-strength": "violated" });

const rareKeys: readonly LabCase[] = [
  opensslCase("P-224", () => opensslKey(["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-224"]), weakUnsupported, shortKey.codes),
  opensslCase("secp256k1", () => opensslKey(["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"]), unsupported),
  opensslCase("a Brainpool curve", () => opensslKey(["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:brainpoolP384r1"]), unsupported),
  opensslCase("Ed448", () => opensslKey(["-algorithm", "ED448"]), unsupported),
  opensslCase("an RSASSA-PSS key", () => opensslKey(["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"]), unsupported),
  opensslCase("DSA", opensslDsaKey, weakUnsupported, ["security.tls.key-type-retired"]),
];

/** A certificate that no regular server presents: a prepared TLS flight needs no private key. */
function flightCase(name: string, certificates: () => readonly Buffer[], expected: States, codes: readonly string[]): LabCase {
  const ecdheRsaAes128Gcm = 0xc02f;
  const serve = async () => tlsSite(await startFlight({ version: 0x0303, suite: ecdheRsaAes128Gcm, certificates: certificates() }));
  return { name, expected, codes, serve };
}

/** SubjectPublicKeyInfo of a 2048-bit RSA key with exponent 1 instead of 65537. */
function exponentOne(): Buffer {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const info = publicKey.export({ type: "spki", format: "der" });
  // The last three bytes are the exponent; leading zeros keep its length.
  info.set([0, 0, 1], info.length - 3);
  return info;
}

const flightCases: readonly LabCase[] = [
  flightCase(
    "an RSA key with the exponent 1",
    () => {
      const { intermediate } = testAuthority();
      return [intermediate.issue({ commonName: labHost, names: [labHost], publicKeyInfo: exponentOne() }).der, intermediate.der];
    },
    weakUnsupported,
    ["security.tls.rsa-exponent-one"],
  ),
  flightCase(
    "a leaf signed with MD5, which libraries reject",
    () => {
      const issuer = rsaIntermediate();
      return [issuer.issue({ commonName: labHost, names: [labHost], hash: "md5" }).der, issuer.der];
    },
    tlsStates({ "cipher-negotiated": "notChecked", "signature-algorithm": "violated", "trust-chain": "violated" }),
    ["security.tls.signature-hash-weak", "security.tls.chain-invalid"],
  ),
  flightCase(
    "a public root certificate as the leaf",
    // ISRG Root X1 is valid for twenty years from 2015.
    () =>
      rootCertificates
        .map((pem) => new X509Certificate(pem))
        .filter(({ subject }) => subject.includes("CN=ISRG Root X1"))
        .map(({ raw }) => raw),
    tlsStates({
      "certificate-lifetime": "violated",
      "certificate-transparency": "notChecked",
      "hostname-match": "violated",
      "trust-chain": "violated",
      "cipher-negotiated": "notChecked",
    }),
    ["security.tls.certificate-lifetime-too-long", "security.tls.certificate-not-for-servers", "security.tls.certificate-is-authority"],
  ),
];

export const certificateCases: readonly LabCase[] = [
  ...dates,
  ...issuerDateCases,
  ...usageCases,
  ...names,
  ...chains,
  ...combinations,
  ...signatures,
  ...keys,
  ...(opensslIsMissing() ? [] : rareKeys),
  ...flightCases,
];
