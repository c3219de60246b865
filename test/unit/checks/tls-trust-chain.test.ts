/** The chain must lead to a trusted root; each kind of failure has its own finding. */
import check from "../../../checks/tls-trust-chain.ts";
import { testCheck } from "../../support/check-tester.ts";
import { certificate } from "../../support/evidence.ts";

const rejected = (untrustedBecause: string | null, chain = [certificate()]) => ({ tls: { trusted: false, untrustedBecause, chain } });

testCheck(check, {
  passed: [
    ["a chain to a root", {}],
    [
      "an expired certificate of a trusted authority, which another check reports",
      { tls: { chain: [certificate({ validTo: "2020-01-01T00:00:00.000Z" })] } },
    ],
    ["a name mismatch, which another check reports", { tls: { hostMatches: false } }],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["no handshake", { tls: "tls" }],
    ["the certificate could not be read", rejected(null, [])],
  ],
  violated: {
    "security.tls.certificate-self-signed": [
      ["signed by itself", rejected("DEPTH_ZERO_SELF_SIGNED_CERT"), { values: { tlsHost: "site.example", subject: "CN=site.example" } }],
    ],
    "security.tls.root-not-trusted": [
      [
        "a private authority that sends its root",
        rejected("SELF_SIGNED_CERT_IN_CHAIN", [certificate(), certificate({ issuer: "CN=House CA", selfSigned: true })]),
        { values: { issuer: "CN=House CA", count: 2 } },
      ],
    ],
    "security.tls.chain-incomplete": [
      ["a missing intermediate", rejected("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), { values: { issuer: "CN=Example Issuing CA", count: 1 } }],
      ["an issuer that cannot be found", rejected("UNABLE_TO_GET_ISSUER_CERT")],
      ["an issuer that is not in the local store", rejected("UNABLE_TO_GET_ISSUER_CERT_LOCALLY")],
    ],
    "security.tls.chain-invalid": [
      ["revoked", rejected("CERT_REVOKED"), { values: { because: "CERT_REVOKED" } }],
      ["an unknown error code", rejected("PATH_LENGTH_EXCEEDED"), { values: { issuer: "CN=Example Issuing CA" } }],
    ],
  },
});
