/** Every key of the chain counts, except the keys of roots. An unknown key is not a weakness, and does not hide one. */
import check from "../../../checks/tls-key-strength.ts";
import type { CertificateFacts } from "../../../src/evidence/tls-facts.ts";
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
    ["an exponent of 3, which is allowed", chain(rsa(2_048, "3"))],
    ["a key for RSASSA-PSS only", chain(rsa(2_048, "10001", "rsa-pss"))],
    ["Ed25519", chain({ keyType: "ed25519", keyBits: 256, curve: null })],
    ["a root of 1024 bits in the sent chain", chain({}, {}, { ...rsa(1_024), ...root })],
    ["a trust anchor of 1024 bits with another issuer", chain({}, { ...rsa(1_024), trustAnchor: true })],
    ["a root with an unreadable key", chain({}, { ...unknown, ...root })],
    ["the chain that the runtime built", { tls: { chainAsSent: false } }],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["no handshake", { tls: "tls" }],
    ["the certificate could not be read", { tls: { chain: [] } }],
    ["an unknown key type", chain(unknown)],
    ["an unknown curve", chain(curve("1.2.3.4", null))],
    ["RSA with unreadable numbers", chain(rsa(null, null))],
    ["RSA with an unreadable exponent", chain(rsa(2_048, null))],
    ["an issuer of an unknown kind", chain({}, unknown)],
    ["a dropped certificate", { tls: { certificatesDropped: 1 } }],
  ],
  violated: {
    "security.tls.key-too-short": [
      ["RSA of 1024 bits", chain(rsa(1_024)), { values: { tlsHost: "site.example", subject: "CN=site.example", key: "RSA", bits: 1024 } }],
      ["RSA of 2047 bits", chain(rsa(2_047))],
      ["P-224", chain(curve("secp224r1", 224)), { values: { key: "secp224r1", bits: 224 } }],
      ["an issuer", chain({}, { ...rsa(1_024), subject: "CN=Old CA" }), { values: { subject: "CN=Old CA" } }],
      ["two certificates", chain(rsa(1_024), rsa(512)), { also: ["security.tls.key-too-short"] }],
      ["beside an unknown key", chain(rsa(1_024), unknown)],
      ["beside a dropped certificate", { tls: { chain: [certificate(rsa(1_024))], certificatesDropped: 3 } }],
      ["a self-signed leaf", chain({ ...rsa(1_024), ...root })],
      ["a leaf that the operator trusts", chain({ ...rsa(1_024), trustAnchor: true })],
      ["a key for RSASSA-PSS only", chain(rsa(1_024, "10001", "rsa-pss")), { values: { key: "RSA-PSS", bits: 1024 } }],
    ],
    "security.tls.key-type-retired": [
      ["DSA", chain({ keyType: "dsa", keyBits: 2_048, curve: null }), { values: { key: "DSA", bits: 2048 } }],
    ],
    "security.tls.rsa-exponent-one": [["an exponent of 1", chain(rsa(2_048, "1")), { values: { key: "RSA", bits: 2048 } }]],
  },
});
