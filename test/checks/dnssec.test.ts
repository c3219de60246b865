/** Secure, insecure, bogus; whatever a resolver cannot tell is not checked. */
import check from "../../checks/dnssec.ts";
import { testCheck } from "../support/check-tester.ts";

testCheck(check, {
  passed: [["secure", { dnssec: { status: "secure" } }]],
  notApplicable: [["no public name", { registrableDomain: null }]],
  notChecked: [["the resolver does not validate", { dnssec: "unsupported" }]],
  violated: {
    "security.dns.dnssec-missing": [["insecure", { dnssec: { status: "insecure" } }, { values: { domain: "site.example" } }]],
    "security.dns.dnssec-bogus": [["bogus", { dnssec: { status: "bogus" } }, { values: { domain: "site.example" } }]],
  },
});
