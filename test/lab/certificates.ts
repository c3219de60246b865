/** The laboratory's certificates: every flaw that one can have, served for real. */
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { expect } from "vitest";
import { certificateNamesMax, certificatesMax } from "../../src/evidence/limits.ts";
import {
  type CertificateWish,
  type Flaw,
  type IssuedCertificate,
  type ServerIdentity,
  selfSigned,
  siteIdentity,
  strangeAuthority,
  testAuthority,
} from "../support/certificates.ts";
import { startFlight } from "../support/flight-server.ts";
import { type OpensslKey, opensslDsaKey, opensslKey } from "../support/openssl-keys.ts";
import { hasOpenssl, startOpenssl } from "../support/openssl-server.ts";
import type { FinishedScan, LabCase, LabSite, States } from "./laboratory.ts";
import { labHost, pageOver, tlsSite, tlsStates } from "./tls-site.ts";

const dayMs = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * dayMs);

interface Given {
  readonly name: string;
  readonly expected?: States;
  readonly codes?: readonly string[];
  readonly host?: string;
  readonly identity: () => ServerIdentity;
  readonly also?: (scan: FinishedScan) => void;
}

/** A certificate that the runtime's own server can show. */
function shown({ name, expected = tlsStates(), host = labHost, identity, ...rest }: Given): LabCase {
  return { name, expected, ...rest, serve: async () => tlsSite(await pageOver(identity()), host) };
}

function flawed(flaw: Flaw, expected: States, code: string): LabCase {
  return shown({ name: `certificate: ${flaw}`, expected, codes: [code], identity: () => siteIdentity(labHost, { flaw }) });
}

/** What a server shows, leaf first. */
function chain(leaf: IssuedCertificate, ...others: readonly { readonly pem: string }[]): ServerIdentity {
  return { certificateChainPem: [leaf, ...others].map(({ pem }) => pem).join(""), privateKeyPem: leaf.privateKeyPem };
}

/** So many, the last of which is the host's. */
function manyNames(count: number): readonly string[] {
  return [...Array.from({ length: count - 1 }, (_, at) => `h${at}.test`), labHost];
}

const goodLeaf = () => testAuthority().intermediate.issue({ commonName: labHost, names: [labHost] });

/** An RSA authority below the trusted root: SHA-1 and RSASSA-PSS signatures are made with RSA keys here. */
function rsaIntermediate(wish: CertificateWish = {}): IssuedCertificate {
  return testAuthority().root.issue({ commonName: "RSA issuing CA", authority: true, key: "rsa-2048", ...wish });
}

/** A leaf below an RSA authority, signed as wished. */
function signedLeaf(wish: CertificateWish): ServerIdentity {
  const issuer = rsaIntermediate();
  return chain(issuer.issue({ commonName: labHost, names: [labHost], ...wish }), issuer);
}

/** As `tlsSite`, but below a root of its own that the scan trusts. */
async function siteBelow(root: IssuedCertificate, identity: ServerIdentity): Promise<LabSite> {
  return { ...(await tlsSite(await pageOver(identity))), caPems: [root.pem] };
}

const dates: readonly LabCase[] = [
  flawed(
    "expired",
    tlsStates({ "certificate-validity": "violated", "certificate-expiry": "notApplicable" }),
    "security.tls.certificate-expired",
  ),
  flawed("not-yet-valid", tlsStates({ "certificate-validity": "violated" }), "security.tls.certificate-not-yet-valid"),
  shown({
    name: "certificate: ten of ninety days left",
    expected: tlsStates({ "certificate-expiry": "violated" }),
    codes: ["security.tls.certificate-expires-soon"],
    identity: () => siteIdentity(labHost, { validFrom: daysFromNow(-80), validTo: daysFromNow(10) }),
  }),
  shown({
    name: "certificate: three of six days left",
    identity: () => siteIdentity(labHost, { validFrom: daysFromNow(-3), validTo: daysFromNow(3) }),
  }),
  shown({
    name: "certificate: ten years of a private authority",
    identity: () => siteIdentity(labHost, { validTo: daysFromNow(3_650) }),
  }),
];

const mismatch = tlsStates({ "hostname-match": "violated" });

const names: readonly LabCase[] = [
  flawed("wrong-host", mismatch, "security.tls.certificate-name-mismatch"),
  flawed("no-names", mismatch, "security.tls.certificate-without-names"),
  shown({ name: "wildcard: one level", host: "www.site.test", identity: () => siteIdentity("www.site.test", { names: ["*.site.test"] }) }),
  shown({
    name: "wildcard: two levels are one too many",
    expected: mismatch,
    host: "a.b.site.test",
    identity: () => siteIdentity("a.b.site.test", { names: ["*.site.test"] }),
  }),
  shown({
    name: "wildcard: not for the name itself",
    expected: mismatch,
    identity: () => siteIdentity(labHost, { names: ["*.site.test"] }),
  }),
  shown({ name: "an address in the certificate", host: "127.0.0.1", identity: () => siteIdentity("127.0.0.1") }),
  shown({ name: "another address in the certificate", host: "127.0.0.1", expected: mismatch, identity: () => siteIdentity("127.0.0.2") }),
  shown({ name: "an international name", host: "xn--bcher-kva.test", identity: () => siteIdentity("xn--bcher-kva.test") }),
  shown({ name: "a thousand names, the last of them right", identity: () => siteIdentity(labHost, { names: manyNames(1_000) }) }),
  shown({
    name: "ten thousand names, which are too many for browsers",
    expected: tlsStates({ "cipher-negotiated": "notChecked" }),
    identity: () => siteIdentity(labHost, { names: manyNames(10_000) }),
    also: ({ evidence: { tls } }) => {
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
  shown({
    name: "an unknown root, sent along",
    expected: untrusted,
    codes: ["security.tls.root-not-trusted"],
    identity: () => {
      const { root, intermediate } = strangeAuthority();
      return chain(intermediate.issue({ commonName: labHost, names: [labHost] }), intermediate, root);
    },
  }),
  shown({
    name: "the chain the wrong way round",
    identity: () => chain(goodLeaf(), testAuthority().root, testAuthority().intermediate),
  }),
  shown({
    name: "the root sent along",
    identity: () => chain(goodLeaf(), testAuthority().intermediate, testAuthority().root),
  }),
  shown({
    name: "a stranger's root sent along",
    identity: () => chain(goodLeaf(), testAuthority().intermediate, strangeAuthority().root),
  }),
];

const unknownBeyond = tlsStates({ "key-strength": "notChecked", "signature-algorithm": "notChecked" });

const several: readonly LabCase[] = [
  shown({
    name: "expired, for another host, from an authority that nobody knows: each is told",
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
  shown({
    name: "more certificates than are kept: what was left out could be weak",
    expected: unknownBeyond,
    identity: () =>
      chain(goodLeaf(), testAuthority().intermediate, ...Array.from({ length: certificatesMax }, () => strangeAuthority().root)),
  }),
  shown({
    name: "more certificates than are kept, a weak one among those that are",
    expected: { ...unknownBeyond, "tls-key-strength": "violated" },
    codes: ["security.tls.key-too-short"],
    identity: () => {
      const { intermediate } = testAuthority();
      const weak = intermediate.issue({ commonName: labHost, names: [labHost], key: "rsa-1024" });
      return chain(weak, intermediate, ...Array.from({ length: certificatesMax }, () => strangeAuthority().root));
    },
  }),
];

const weakHash = { codes: ["security.tls.signature-hash-weak"], expected: tlsStates({ "signature-algorithm": "violated" }) };

const signatures: readonly LabCase[] = [
  shown({ name: "a leaf signed with SHA-1", ...weakHash, identity: () => signedLeaf({ hash: "sha1" }) }),
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
    name: "a root signed with SHA-1, sent along",
    expected: tlsStates(),
    serve: () => {
      const root = selfSigned({ commonName: "Old root", authority: true, key: "rsa-2048", hash: "sha1" });
      const issuer = root.issue({ commonName: "Issuing CA", authority: true });
      return siteBelow(root, chain(issuer.issue({ commonName: labHost, names: [labHost] }), issuer, root));
    },
  },
  shown({ name: "RSASSA-PSS with SHA-256", identity: () => signedLeaf({ pss: true }) }),
  shown({
    name: "RSASSA-PSS with SHA-1, which no library verifies any more",
    expected: tlsStates({ "signature-algorithm": "violated", "trust-chain": "violated" }),
    codes: ["security.tls.signature-hash-weak", "security.tls.chain-invalid"],
    identity: () => signedLeaf({ pss: true, hash: "sha1" }),
  }),
  shown({ name: "signed with SHA-384", identity: () => signedLeaf({ hash: "sha384" }) }),
];

const shortKey = { codes: ["security.tls.key-too-short"], expected: tlsStates({ "key-strength": "violated" }) };

const keys: readonly LabCase[] = [
  shown({ name: "RSA of 1024 bits", ...shortKey, identity: () => siteIdentity(labHost, { key: "rsa-1024" }) }),
  shown({
    name: "an issuer with RSA of 1024 bits",
    ...shortKey,
    identity: () => {
      const issuer = rsaIntermediate({ key: "rsa-1024" });
      return chain(issuer.issue({ commonName: labHost, names: [labHost] }), issuer);
    },
  }),
  shown({ name: "RSA of 2048 bits", identity: () => siteIdentity(labHost, { key: "rsa-2048" }) }),
  shown({ name: "RSA of 4096 bits", identity: () => siteIdentity(labHost, { key: "rsa-4096" }) }),
  shown({ name: "P-256", identity: () => siteIdentity(labHost, { key: "ec-p256" }) }),
  shown({ name: "P-384", identity: () => siteIdentity(labHost, { key: "ec-p384" }) }),
  shown({
    name: "Ed25519, which browsers do not speak",
    expected: tlsStates({ "cipher-negotiated": "notChecked" }),
    identity: () => siteIdentity(labHost, { key: "ed25519" }),
  }),
];

/** Below the trusted root, with a key that OpenSSL alone makes and serves. No browser speaks any of them. */
function ofOpenssl(name: string, makeKey: () => OpensslKey, expected: States, codes: readonly string[] = []): LabCase {
  const serve = async () => {
    const { publicKeyInfo, privateKeyPem } = makeKey();
    const leaf = testAuthority().intermediate.issue({ commonName: labHost, names: [labHost], publicKeyInfo });
    const identity = { ...chain(leaf, testAuthority().intermediate), privateKeyPem };
    return tlsSite(await startOpenssl(identity, ["-tls1_2", "-cipher", "ALL:@SECLEVEL=0"]));
  };
  return { name, expected, codes, serve };
}

const unseen = tlsStates({ "cipher-negotiated": "notChecked" });
const weakUnseen = tlsStates({ "cipher-negotiated": "notChecked", "key-strength": "violated" });

const rareKeys: readonly LabCase[] = [
  ofOpenssl("P-224", () => opensslKey(["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-224"]), weakUnseen, shortKey.codes),
  ofOpenssl("secp256k1", () => opensslKey(["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"]), unseen),
  ofOpenssl("a curve of Brainpool", () => opensslKey(["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:brainpoolP384r1"]), unseen),
  ofOpenssl("Ed448", () => opensslKey(["-algorithm", "ED448"]), unseen),
  ofOpenssl("a key for RSASSA-PSS alone", () => opensslKey(["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"]), unseen),
  ofOpenssl("DSA", opensslDsaKey, weakUnseen, ["security.tls.key-type-retired"]),
];

/** What no honest server shows: the flight of a hand-made one, which needs no private key. */
function inFlight(name: string, certificates: () => readonly Buffer[], expected: States, codes: readonly string[]): LabCase {
  const ecdheRsaAes128Gcm = 0xc02f;
  const serve = async () => tlsSite(await startFlight({ version: 0x0303, suite: ecdheRsaAes128Gcm, certificates: certificates() }));
  return { name, expected, codes, serve };
}

/** SubjectPublicKeyInfo of an RSA key with 2048 bits, whose exponent 65537 is 1 instead. */
function exponentOne(): Buffer {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const info = publicKey.export({ type: "spki", format: "der" });
  // The last five bytes are an integer of three bytes. Its value stays in its length, with zeros in front.
  info.set([0, 0, 1], info.length - 3);
  return info;
}

const handMade: readonly LabCase[] = [
  inFlight(
    "an RSA key with the exponent 1",
    () => {
      const { intermediate } = testAuthority();
      return [intermediate.issue({ commonName: labHost, names: [labHost], publicKeyInfo: exponentOne() }).der, intermediate.der];
    },
    weakUnseen,
    ["security.tls.rsa-exponent-one"],
  ),
  inFlight(
    "a leaf signed with MD5, which no library verifies any more",
    () => {
      const issuer = rsaIntermediate();
      return [issuer.issue({ commonName: labHost, names: [labHost], hash: "md5" }).der, issuer.der];
    },
    tlsStates({ "cipher-negotiated": "notChecked", "signature-algorithm": "violated", "trust-chain": "violated" }),
    ["security.tls.signature-hash-weak", "security.tls.chain-invalid"],
  ),
  inFlight(
    "a public root in place of the server's own certificate",
    // ISRG Root X1: issued for twenty years in 2015.
    () =>
      rootCertificates
        .map((pem) => new X509Certificate(pem))
        .filter(({ subject }) => subject.includes("CN=ISRG Root X1"))
        .map(({ raw }) => raw),
    tlsStates({
      "certificate-lifetime": "violated",
      "certificate-transparency": "notChecked",
      "hostname-match": "violated",
      "cipher-negotiated": "notChecked",
    }),
    ["security.tls.certificate-lifetime-too-long"],
  ),
];

export const certificateCases: readonly LabCase[] = [
  ...dates,
  ...names,
  ...chains,
  ...several,
  ...signatures,
  ...keys,
  ...(hasOpenssl ? rareKeys : []),
  ...handMade,
];
