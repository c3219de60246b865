/** Every key of the chain counts but those of roots; what cannot be told is no weakness, and hides none. */
import check from "../../../checks/tls-key-strength.ts";
import type { CertificateFacts } from "../../../src/evidence/facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { certificate } from "../../support/evidence.ts";

const rsa = (keyBits: number | null, rsaExponent: string | null = "10001", keyType = "rsa"): Partial<CertificateFacts> => ({
  keyType,
  keyBits,
  rsaExponent,
  curve: null,
});
const curve = (name: string | null, keyBits: number | null): Partial<CertificateFacts> => ({ keyType: "ec", curve: name, keyBits });
const unknown: Partial<CertificateFacts> = { keyType: null, keyBits: null, curve: null };
const chain = (...parts: Partial<CertificateFacts>[]) => ({ tls: { chain: parts.map(certificate) } });
const root = { selfSigned: true, subject: "CN=Example Root" };

testCheck(check, {
  passed: [
    ["P-256", {}],
    ["P-384", chain(curve("secp384r1", 384), {})],
    ["RSA of 2048 bits", chain(rsa(2_048), rsa(4_096))],
    ["an exponent of 3 is weak by no rule", chain(rsa(2_048, "3"))],
    ["a key for RSASSA-PSS alone", chain(rsa(2_048, "10001", "rsa-pss"))],
    ["Ed25519", chain({ keyType: "ed25519", keyBits: 256, curve: null })],
    ["a root of 1024 bits that is sent along", chain({}, {}, { ...rsa(1_024), ...root })],
    ["an anchor of 1024 bits that somebody else signed", chain({}, { ...rsa(1_024), trustAnchor: true })],
    ["a root whose key nobody can read", chain({}, { ...unknown, ...root })],
    ["the path that the runtime built", { tls: { chainAsSent: false } }],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["no handshake", { tls: "tls" }],
    ["the certificate could not be read", { tls: { chain: [] } }],
    ["a kind of key that nobody knows", chain(unknown)],
    ["a curve that nobody knows", chain(curve("1.2.3.4", null))],
    ["RSA whose numbers cannot be read", chain(rsa(null, null))],
    ["RSA whose exponent cannot be read", chain(rsa(2_048, null))],
    ["an issuer of an unknown kind", chain({}, unknown)],
    ["a certificate that was left out", { tls: { certificatesDropped: 1 } }],
  ],
  violated: {
    "security.tls.key-too-short": [
      ["RSA of 1024 bits", chain(rsa(1_024)), { values: { tlsHost: "site.example", subject: "CN=site.example", key: "RSA", bits: 1024 } }],
      ["RSA of 2047 bits", chain(rsa(2_047))],
      ["P-224", chain(curve("secp224r1", 224)), { values: { key: "secp224r1", bits: 224 } }],
      ["an issuer", chain({}, { ...rsa(1_024), subject: "CN=Old CA" }), { values: { subject: "CN=Old CA" } }],
      ["two of them", chain(rsa(1_024), rsa(512)), { also: ["security.tls.key-too-short"] }],
      ["beside one that cannot be told", chain(rsa(1_024), unknown)],
      ["beside one that was left out", { tls: { chain: [certificate(rsa(1_024))], certificatesDropped: 3 } }],
      ["a server's own key, although it signed for itself", chain({ ...rsa(1_024), ...root })],
      ["a server's own key, although the operator trusts it", chain({ ...rsa(1_024), trustAnchor: true })],
      ["a key for RSASSA-PSS alone", chain(rsa(1_024, "10001", "rsa-pss")), { values: { key: "RSA-PSS", bits: 1024 } }],
    ],
    "security.tls.key-type-retired": [
      ["DSA", chain({ keyType: "dsa", keyBits: 2_048, curve: null }), { values: { key: "DSA", bits: 2048 } }],
    ],
    "security.tls.rsa-exponent-one": [["an exponent of 1", chain(rsa(2_048, "1")), { values: { key: "RSA", bits: 2048 } }]],
  },
});
