/** The laboratory's certificates: every flaw that one can have, served for real. */
import { expect } from "vitest";
import { certificateNamesMax } from "../../src/evidence/limits.ts";
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

/** OpenSSL's server alone has a signature for it. */
const p224: LabCase = {
  name: "P-224, which browsers do not speak",
  codes: shortKey.codes,
  expected: tlsStates({ "key-strength": "violated", "cipher-negotiated": "notChecked" }),
  serve: async () => tlsSite(await startOpenssl(siteIdentity(labHost, { key: "ec-p224" }), [])),
};

export const certificateCases: readonly LabCase[] = [...dates, ...names, ...chains, ...signatures, ...keys, ...(hasOpenssl ? [p224] : [])];
