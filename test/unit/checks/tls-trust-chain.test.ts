/** The chain must lead to a known root; each way of failing has its own remedy. */
import check from "../../../checks/tls-trust-chain.ts";
import { testCheck } from "../../support/check-tester.ts";
import { certificate } from "../../support/evidence.ts";

const rejected = (untrustedBecause: string | null, chain = [certificate()]) => ({ tls: { trusted: false, untrustedBecause, chain } });

testCheck(check, {
  passed: [
    ["a chain to a root", {}],
    [
      "an expired certificate of a trusted authority is booked elsewhere",
      { tls: { chain: [certificate({ validTo: "2020-01-01T00:00:00.000Z" })] } },
    ],
    ["a name that does not match is booked elsewhere", { tls: { hostMatches: false } }],
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
        "a private authority that sends its root along",
        rejected("SELF_SIGNED_CERT_IN_CHAIN", [certificate(), certificate({ issuer: "CN=House CA", selfSigned: true })]),
        { values: { issuer: "CN=House CA", count: 2 } },
      ],
    ],
    "security.tls.chain-incomplete": [
      ["a missing intermediate", rejected("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), { values: { issuer: "CN=Example Issuing CA", count: 1 } }],
      ["an issuer that is nowhere", rejected("UNABLE_TO_GET_ISSUER_CERT")],
      ["an issuer that is not here", rejected("UNABLE_TO_GET_ISSUER_CERT_LOCALLY")],
    ],
    "security.tls.chain-invalid": [
      ["revoked", rejected("CERT_REVOKED"), { values: { because: "CERT_REVOKED" } }],
      ["a reason that this version has no words for", rejected("PATH_LENGTH_EXCEEDED"), { values: { issuer: "CN=Example Issuing CA" } }],
    ],
  },
});
