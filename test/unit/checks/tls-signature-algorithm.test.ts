/** Every signature that browsers verify counts; signatures of roots do not. */
import check from "../../../checks/tls-signature-algorithm.ts";
import type { CertificateFacts } from "../../../src/evidence/tls-facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { certificate } from "../../support/evidence.ts";

const signed = (signatureAlgorithm: string | null, signatureHash: string | null): Partial<CertificateFacts> => ({
  signatureAlgorithm,
  signatureHash,
});
const sha1 = signed("sha1WithRSAEncryption", "sha1");
const chain = (...parts: Partial<CertificateFacts>[]) => ({ tls: { chain: parts.map(certificate) } });
const root = { selfSigned: true, subject: "CN=Example Root" };
/** Leaf, issuer and further certificates; the path leads over the issuer. */
const longChain = (leaf: Partial<CertificateFacts>, issuer: Partial<CertificateFacts>, ...others: Partial<CertificateFacts>[]) => {
  const parts = [leaf, issuer, ...others].map((part, at) => certificate({ fingerprint: `${at}`.repeat(64), ...part }));
  const [, needed] = parts;
  if (needed === undefined) throw new Error("the chain has no issuer");
  const { subject, validFrom, validTo, fingerprint, trustAnchor } = needed;
  return { tls: { chain: parts, path: [{ subject, validFrom, validTo, fingerprint, trustAnchor }] } };
};

testCheck(check, {
  passed: [
    ["SHA-256", {}],
    ["RSASSA-PSS with SHA-256", chain(signed("rsassaPss", "sha256"))],
    ["RSASSA-PSS with SHA-512", chain(signed("rsassaPss", "sha512"))],
    ["strong on the path and beside it", longChain({}, {}, signed("sha384WithRSAEncryption", "sha384"))],
    ["a path that ends at a trusted issuer with a weak signature", longChain({}, { ...sha1, trustAnchor: true })],
    ["Ed25519", chain(signed("ED25519", "sha512"))],
    ["a SHA-1 root in the sent chain", chain({}, {}, { ...sha1, ...root })],
    ["a trust anchor with a SHA-1 signature", chain({}, { ...sha1, trustAnchor: true })],
    ["a root with an unknown signature", chain({}, { ...signed("1.2.3.4", null), ...root })],
    ["a self-signed certificate, whose signature is not verified", chain({ ...sha1, ...root })],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["no handshake", { tls: "tls" }],
    ["the chain is empty", { tls: { chain: [] } }],
    ["an unknown algorithm", chain(signed("1.2.3.4", null))],
    ["an unreadable algorithm", chain({}, signed(null, null))],
    ["RSASSA-PSS with an unknown hash", chain(signed("rsassaPss", null))],
    ["a dropped certificate", { tls: { certificatesDropped: 1 } }],
  ],
  violated: {
    "security.tls.signature-hash-weak": [
      [
        "SHA-1",
        chain(sha1),
        {
          values: {
            tlsHost: "site.example",
            subject: "CN=site.example",
            issuer: "CN=Example Issuing CA",
            hash: "SHA-1",
            algorithm: "sha1WithRSAEncryption",
          },
        },
      ],
      ["an issuer signed with SHA-1", chain({}, { ...sha1, subject: "CN=Old CA" }), { values: { subject: "CN=Old CA" } }],
      ["MD5", chain(signed("md5WithRSAEncryption", "md5")), { values: { hash: "MD5" } }],
      ["SHA-224", chain(signed("ecdsa-with-SHA224", "sha224")), { values: { hash: "SHA-224" } }],
      ["RSASSA-PSS with SHA-1", chain(signed("rsassaPss", "sha1")), { values: { hash: "SHA-1", algorithm: "rsassaPss" } }],
      ["a leaf on a path", longChain(sha1, {}, {})],
      ["an issuer on the path", longChain({}, { ...sha1, subject: "CN=Old CA" }, {}), { values: { subject: "CN=Old CA" } }],
      ["without a path", { tls: { ...longChain({}, {}, sha1).tls, trusted: false, path: null } }],
      ["beside an unknown algorithm", chain(signed("1.2.3.4", null), sha1)],
      ["beside a dropped certificate", { tls: { chain: [certificate(sha1)], certificatesDropped: 1 } }],
      ["two certificates", chain(sha1, { ...sha1, subject: "CN=Old CA" }), { also: ["security.tls.signature-hash-weak"] }],
      ["the same certificate sent twice, reported once", chain(sha1, sha1)],
    ],
    "security.tls.signature-hash-weak-unneeded": [
      ["a twin of the issuer", longChain({}, {}, { ...sha1, subject: "CN=Twin" }), { values: { subject: "CN=Twin", hash: "SHA-1" } }],
      [
        "a cross-signed root",
        longChain({}, {}, { ...signed("md5WithRSAEncryption", "md5"), subject: "CN=Old" }),
        { values: { hash: "MD5" } },
      ],
      ["beside a weak leaf", longChain(sha1, {}, { ...sha1, subject: "CN=Old" }), { also: ["security.tls.signature-hash-weak"] }],
      ["for a leaf that is trusted itself", { tls: { ...longChain({ trustAnchor: true }, sha1).tls, path: [] } }],
    ],
  },
});
