/** The browser's word decides, and only where a public authority issued the certificate. */
import check from "../../../checks/tls-certificate-transparency.ts";
import type { NavigationFacts } from "../../../src/evidence/facts.ts";
import { testCheck } from "../../support/check-tester.ts";

type Status = NonNullable<NavigationFacts["security"]>["certificateTransparency"];
const logged = (certificateTransparency: Status) => ({
  navigation: { security: { protocol: "TLS 1.3", cipher: "AES_128_GCM", keyExchange: "", certificateTransparency } },
});

testCheck(check, {
  passed: [["compliant", logged("compliant")]],
  notApplicable: [
    ["a private authority, whatever the browser says", { ...logged("not-compliant"), tls: { trustedBy: "operator" } }],
    ["a private authority, although the browser came to nothing", { navigation: "tls", tls: { trustedBy: "operator" } }],
    ["an authority that nobody knows", { ...logged("unknown"), tls: { trusted: false, trustedBy: null } }],
    ["a page over http", { url: "http://site.example/" }],
  ],
  notChecked: [
    ["the browser does not know", logged("unknown")],
    ["the browser says nothing of the connection", { navigation: { security: null } }],
    ["the browser came to nothing", { navigation: "tls" }],
    ["no handshake", { ...logged("compliant"), tls: "tls" }],
  ],
  violated: {
    "security.tls.certificate-not-logged": [
      ["not compliant", logged("not-compliant"), { values: { tlsHost: "site.example", issuer: "CN=Example Issuing CA" } }],
    ],
  },
});
