/** The chain must lead to a trusted root; each kind of failure has its own finding. */
import check from "../../../checks/tls-trust-chain.ts";
import type { CertificateUsage, TlsFacts } from "../../../src/evidence/tls-facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { certificate } from "../../support/evidence.ts";

const used = (usage: Partial<CertificateUsage>, given: Partial<TlsFacts> = {}) => ({
  tls: { chain: [certificate({ usage: { authority: false, keyUsage: null, extendedKeyUsage: null, ...usage } })], ...given },
});
const negotiated = (cipher: string) => ({ negotiated: { protocol: "TLSv1.2", cipher, alpn: null } });
const rejected = (untrustedBecause: string | null, chain = [certificate()]) => ({ tls: { trusted: false, untrustedBecause, chain } });

testCheck(check, {
  passed: [
    ["a chain to a root", {}],
    [
      "an expired certificate of a trusted authority, which another check reports",
      { tls: { chain: [certificate({ validTo: "2020-01-01T00:00:00.000Z" })] } },
    ],
    ["a name mismatch, which another check reports", { tls: { hostMatches: false } }],
    ["a certificate for servers", used({ keyUsage: ["digitalSignature"], extendedKeyUsage: ["serverAuth", "clientAuth"] })],
    ["a certificate for every use", used({ extendedKeyUsage: ["anyExtendedKeyUsage"] })],
    ["static RSA with keyEncipherment", used({ keyUsage: ["keyEncipherment"] }, negotiated("AES128-GCM-SHA256"))],
    ["static ECDH with keyAgreement", used({ keyUsage: ["keyAgreement"] }, negotiated("ECDH-RSA-AES128-SHA"))],
    ["an unknown suite", used({ keyUsage: ["keyCertSign"] }, negotiated("0xc0ff"))],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["no handshake", { tls: "tls" }],
    ["the certificate could not be read", rejected(null, [])],
  ],
  violated: {
    "security.tls.certificate-self-signed": [
      ["signed by itself, as an authority", used({ authority: true }, { trusted: false, untrustedBecause: "DEPTH_ZERO_SELF_SIGNED_CERT" })],
      ["signed by itself", rejected("DEPTH_ZERO_SELF_SIGNED_CERT"), { values: { tlsHost: "site.example", subject: "CN=site.example" } }],
    ],
    "security.tls.root-not-trusted": [
      [
        "a private authority that sends its root",
        rejected("SELF_SIGNED_CERT_IN_CHAIN", [
          certificate({ issuer: "CN=House CA" }),
          certificate({ subject: "CN=House CA", issuer: "CN=House CA", selfSigned: true }),
        ]),
        { values: { issuer: "CN=House CA", count: 2 } },
      ],
    ],
    "security.tls.chain-incomplete": [
      ["a missing intermediate", rejected("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), { values: { issuer: "CN=Example Issuing CA", count: 1 } }],
      [
        "a missing intermediate in a chain without order",
        {
          tls: {
            ...rejected("UNABLE_TO_GET_ISSUER_CERT_LOCALLY", [
              certificate(),
              certificate({ subject: "CN=Unrelated", issuer: "CN=Unrelated Root" }),
              certificate({ subject: "CN=Example Issuing CA", issuer: "CN=Example Intermediate" }),
              certificate({ subject: "CN=Another", issuer: "CN=Another Root" }),
            ]).tls,
            certificatesDropped: 1,
          },
        },
        { values: { issuer: "CN=Example Intermediate", count: 5 } },
      ],
      [
        "a root that the runtime added to unrelated certificates",
        {
          tls: {
            ...rejected("UNABLE_TO_VERIFY_LEAF_SIGNATURE", [
              certificate(),
              certificate({ subject: "CN=Unrelated", issuer: "CN=Unrelated Root" }),
              certificate({ subject: "CN=Unrelated Root", issuer: "CN=Unrelated Root", trustAnchor: true }),
            ]).tls,
            chainAsSent: false,
          },
        },
        { values: { issuer: "CN=Example Issuing CA", count: 2 } },
      ],
      ["an issuer that cannot be found", rejected("UNABLE_TO_GET_ISSUER_CERT")],
      ["an issuer that is not in the local store", rejected("UNABLE_TO_GET_ISSUER_CERT_LOCALLY")],
    ],
    "security.tls.chain-invalid": [
      ["revoked", rejected("CERT_REVOKED"), { values: { because: "CERT_REVOKED" } }],
      ["an unknown error code", rejected("PATH_LENGTH_EXCEEDED"), { values: { issuer: "CN=Example Issuing CA" } }],
    ],
    "security.tls.certificate-not-for-servers": [
      [
        "a certificate for clients",
        used({ keyUsage: ["digitalSignature"], extendedKeyUsage: ["clientAuth", "1.2.3.4"] }),
        { values: { tlsHost: "site.example", subject: "CN=site.example", needed: "serverAuth", usages: "clientAuth, 1.2.3.4" } },
      ],
      [
        "a key that must not sign",
        used({ keyUsage: ["keyEncipherment", "dataEncipherment"] }),
        { values: { needed: "digitalSignature", usages: "keyEncipherment, dataEncipherment" } },
      ],
      [
        "a key that must not decrypt",
        used({ keyUsage: ["digitalSignature"] }, negotiated("AES128-SHA")),
        { values: { needed: "keyEncipherment" } },
      ],
      ["no usage at all", used({ extendedKeyUsage: [] })],
      ["the runtime refuses it too", used({ extendedKeyUsage: ["clientAuth"] }, { trusted: false, untrustedBecause: "INVALID_PURPOSE" })],
      [
        "and its authority is unknown",
        used({ extendedKeyUsage: ["clientAuth"] }, { trusted: false, untrustedBecause: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" }),
        { also: ["security.tls.chain-incomplete"] },
      ],
    ],
    "security.tls.certificate-is-authority": [
      [
        "of a trusted authority",
        used({ authority: true, keyUsage: ["digitalSignature", "keyCertSign"] }),
        { values: { tlsHost: "site.example", subject: "CN=site.example" } },
      ],
      [
        "of an unknown authority",
        used({ authority: true }, { trusted: false, untrustedBecause: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" }),
        { also: ["security.tls.chain-incomplete"] },
      ],
      [
        "which may only sign certificates",
        used({ authority: true, keyUsage: ["keyCertSign"] }),
        { also: ["security.tls.certificate-not-for-servers"] },
      ],
    ],
  },
});
