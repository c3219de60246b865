/** Secure, insecure, bogus and why; whatever a resolver cannot tell is not checked. */
import check from "../../../checks/dnssec.ts";
import type { DnssecFacts } from "../../../src/evidence/facts.ts";
import { testCheck } from "../../support/check-tester.ts";

/** Broken, although keys fit and signatures have a day to go, but for what is given. */
const bogus = (given: Partial<NonNullable<DnssecFacts["unchecked"]>> = {}) => ({
  dnssec: {
    status: "bogus" as const,
    unchecked: { dsKeyTags: [4711], zoneKeyTags: [815, 4711], signatures: [ends("SOA", "22"), ends("DNSKEY", "22")], ...given },
  },
});
const ends = (covers: "SOA" | "DNSKEY", day: string) => ({ covers, validTo: `2026-11-${day}T12:00:00.000Z` });

testCheck(check, {
  passed: [["secure", { dnssec: { status: "secure" } }]],
  notApplicable: [["no public name", { registrableDomain: null }]],
  notChecked: [["the resolver does not validate", { dnssec: "unsupported" }]],
  violated: {
    "security.dns.dnssec-missing": [["insecure", { dnssec: { status: "insecure" } }, { values: { domain: "site.example" } }]],
    "security.dns.dnssec-bogus": [
      ["the records could not be read", { dnssec: { status: "bogus" } }, { values: { domain: "site.example" } }],
      ["keys and dates are in order: a record was changed", bogus()],
      ["no DS record of its own: a zone above is broken", bogus({ dsKeyTags: [], zoneKeyTags: [], signatures: [] })],
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
      ["those of the records alone", bogus({ signatures: [ends("SOA", "18"), ends("SOA", "20"), ends("DNSKEY", "22")] })],
      [
        "those of the keys alone",
        bogus({ signatures: [ends("SOA", "22"), ends("DNSKEY", "01")] }),
        { values: { validTo: "2026-11-01 12:00 UTC" } },
      ],
    ],
  },
});
