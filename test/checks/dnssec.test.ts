/** Secure, insecure, bogus; whatever a resolver cannot tell is not checked. */
import check from "../../checks/dnssec.ts";
import { testCheck } from "../support/check-tester.ts";

testCheck(check, {
  passed: [["secure", { dnssec: { status: "secure" } }]],
  notApplicable: [["no public name", { registrableDomain: null }]],
  notChecked: [["the resolver does not validate", { dnssec: "unsupported" }]],
  violated: {
    "security.dns.dnssec-missing": [["insecure", { dnssec: { status: "insecure" } }, { values: { domain: "site.example" } }]],
    "security.dns.dnssec-bogus": [
      ["no reason given", { dnssec: { status: "bogus" } }, { values: { domain: "site.example" } }],
      ["no more than that it is bogus", { dnssec: { status: "bogus", extendedErrors: [6] } }],
    ],
    "security.dns.dnssec-signature-expired": [["told so", { dnssec: { status: "bogus", extendedErrors: [6, 7] } }]],
    "security.dns.dnssec-key-mismatch": [["told so", { dnssec: { status: "bogus", extendedErrors: [9, 22] } }]],
    "security.dns.dnssec-signature-missing": [["told so", { dnssec: { status: "bogus", extendedErrors: [10] } }]],
  },
});
