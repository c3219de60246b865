/** Secure, insecure, and bogus with its cause; unknown states are not checked. */
import check from "../../../checks/dnssec.ts";
import type { DnssecFacts } from "../../../src/evidence/dns-facts.ts";
import { testCheck } from "../../support/check-tester.ts";

/** Bogus domain with matching keys and signatures that are valid for one more day, except for the given changes. */
const bogus = (given: Partial<NonNullable<DnssecFacts["unchecked"]>> = {}) => ({
  dnssec: {
    status: "bogus" as const,
    unchecked: { dsKeyTags: [4711], zoneKeyTags: [815, 4711], signatures: [ends("SOA", "22"), ends("DNSKEY", "22")], ...given },
  },
});
const ends = (covers: "SOA" | "DNSKEY", day: string) => ({ covers, validTo: `2026-11-${day}T12:00:00.000Z` });

testCheck(check, {
  passed: [["secure", { dnssec: { status: "secure" } }]],
  notApplicable: [["not a public name", { registrableDomain: null }]],
  notChecked: [["the resolver does not validate", { dnssec: "unsupported" }]],
  violated: {
    "security.dns.dnssec-missing": [["insecure", { dnssec: { status: "insecure" } }, { values: { domain: "site.example" } }]],
    "security.dns.dnssec-bogus": [
      ["the records were not read", { dnssec: { status: "bogus" } }, { values: { domain: "site.example" } }],
      ["keys and dates are valid: a record was changed", bogus()],
      ["no DS record: a parent zone is broken", bogus({ dsKeyTags: [], zoneKeyTags: [], signatures: [] })],
    ],
    "security.dns.dnssec-signature-missing": [
      ["neither keys nor signatures", bogus({ zoneKeyTags: [], signatures: [] })],
      ["only the keys are signed", bogus({ signatures: [ends("DNSKEY", "22")] })],
    ],
    "security.dns.dnssec-key-mismatch": [
      ["the key of another DS record", bogus({ dsKeyTags: [1, 2] }), { values: { dsKeyTags: "1, 2", zoneKeyTags: "815, 4711" } }],
    ],
    "security.dns.dnssec-signature-expired": [
      ["all", bogus({ signatures: [ends("SOA", "20"), ends("DNSKEY", "19")] }), { values: { validTo: "2026-11-20 12:00 UTC" } }],
      ["only the signatures of the records", bogus({ signatures: [ends("SOA", "18"), ends("SOA", "20"), ends("DNSKEY", "22")] })],
      [
        "only the signatures of the keys",
        bogus({ signatures: [ends("SOA", "22"), ends("DNSKEY", "01")] }),
        { values: { validTo: "2026-11-01 12:00 UTC" } },
      ],
    ],
  },
});
