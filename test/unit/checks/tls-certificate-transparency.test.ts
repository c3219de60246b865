/** The browser decides, and only for certificates of public authorities. */
import check from "../../../checks/tls-certificate-transparency.ts";
import type { NavigationFacts } from "../../../src/evidence/page-facts.ts";
import { testCheck } from "../../support/check-tester.ts";

type Status = NonNullable<NavigationFacts["security"]>["certificateTransparency"];
const logged = (certificateTransparency: Status) => ({
  navigation: { security: { protocol: "TLS 1.3", cipher: "AES_128_GCM", keyExchange: "", certificateTransparency } },
});

testCheck(check, {
  passed: [["compliant", logged("compliant")]],
  notApplicable: [
    ["a private authority, with any browser result", { ...logged("not-compliant"), tls: { trustedBy: "operator" } }],
    ["a private authority, and the browser failed", { navigation: "tls", tls: { trustedBy: "operator" } }],
    ["an unknown authority", { ...logged("unknown"), tls: { trusted: false, trustedBy: null } }],
    ["a page over http", { url: "http://site.example/" }],
  ],
  notChecked: [
    ["the browser does not know", logged("unknown")],
    ["no security information from the browser", { navigation: { security: null } }],
    ["no certificate was read", { ...logged("compliant"), tls: { chain: [], trusted: false, trustedBy: null } }],
    ["the browser failed", { navigation: "tls" }],
    ["no handshake", { ...logged("compliant"), tls: "tls" }],
  ],
  violated: {
    "security.tls.certificate-not-logged": [
      ["not compliant", logged("not-compliant"), { values: { tlsHost: "site.example", issuer: "CN=Example Issuing CA" } }],
    ],
  },
});
