/** Every signature that somebody relies upon counts; those of roots do not. */
import check from "../../../checks/tls-signature-algorithm.ts";
import type { CertificateFacts } from "../../../src/evidence/facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { certificate } from "../../support/evidence.ts";

const signed = (signatureAlgorithm: string | null, signatureHash: string | null): Partial<CertificateFacts> => ({
  signatureAlgorithm,
  signatureHash,
});
const sha1 = signed("sha1WithRSAEncryption", "sha1");
const chain = (...parts: Partial<CertificateFacts>[]) => ({ tls: { chain: parts.map(certificate) } });
const root = { selfSigned: true, subject: "CN=Example Root" };

testCheck(check, {
  passed: [
    ["SHA-256", {}],
    ["RSASSA-PSS with SHA-256", chain(signed("rsassaPss", "sha256"))],
    ["RSASSA-PSS with SHA-512", chain(signed("rsassaPss", "sha512"))],
    ["Ed25519", chain(signed("ED25519", "sha512"))],
    ["a SHA-1 root that is sent along", chain({}, {}, { ...sha1, ...root })],
    ["an anchor that somebody signed with SHA-1", chain({}, { ...sha1, trustAnchor: true })],
    ["a root with a signature that nobody knows", chain({}, { ...signed("1.2.3.4", null), ...root })],
    ["a certificate that signed for itself: nobody relies on that", chain({ ...sha1, ...root })],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["no handshake", { tls: "tls" }],
    ["the chain is not shown", { tls: { chain: [] } }],
    ["an algorithm that nobody knows", chain(signed("1.2.3.4", null))],
    ["an algorithm that cannot be read", chain({}, signed(null, null))],
    ["RSASSA-PSS with a hash that nobody knows", chain(signed("rsassaPss", null))],
    ["a certificate that was left out", { tls: { certificatesDropped: 1 } }],
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
      ["beside one that nobody knows", chain(signed("1.2.3.4", null), sha1)],
      ["beside one that was left out", { tls: { chain: [certificate(sha1)], certificatesDropped: 1 } }],
      ["two of them", chain(sha1, { ...sha1, subject: "CN=Old CA" }), { also: ["security.tls.signature-hash-weak"] }],
      ["the same one, sent twice: told once", chain(sha1, sha1)],
    ],
  },
});
