/** Each limit of the CA/Browser Forum at its first second, and one second beyond. */
import check from "../../../checks/tls-certificate-lifetime.ts";
import { testCheck } from "../../support/check-tester.ts";
import { certificate, type EvidenceGiven } from "../../support/evidence.ts";

/** Validity of that many days from an instant, plus a number of seconds; the last second is included. */
function lasting(validFrom: string, days: number, moreSeconds = 0): EvidenceGiven {
  const validTo = new Date(Date.parse(validFrom) + days * 86_400_000 - 1_000 + moreSeconds * 1_000).toISOString();
  return { tls: { chain: [certificate({ validFrom, validTo }), certificate({ validTo: "2046-01-01T00:00:00Z" })] } };
}

testCheck(check, {
  passed: [
    ["90 days", {}],
    ["825 days before any ballot", lasting("2019-01-01T00:00:00Z", 825)],
    ["825 days until the last second", lasting("2020-08-31T23:59:59Z", 825)],
    ["398 days from the first second", lasting("2020-09-01T00:00:00Z", 398)],
    ["398 days until the last second", lasting("2026-03-14T23:59:59Z", 398)],
    ["200 days from the first second", lasting("2026-03-15T00:00:00Z", 200)],
    ["200 days until the last second", lasting("2027-03-14T23:59:59Z", 200)],
    ["100 days from the first second", lasting("2027-03-15T00:00:00Z", 100)],
    ["100 days until the last second", lasting("2029-03-14T23:59:59Z", 100)],
    ["47 days from the first second", lasting("2029-03-15T00:00:00Z", 47)],
  ],
  notApplicable: [
    ["a private authority", { tls: { ...(lasting("2026-04-01T00:00:00Z", 3_650).tls as object), trustedBy: "operator" } }],
    ["an unknown authority", { tls: { trusted: false, trustedBy: null, untrustedBecause: "DEPTH_ZERO_SELF_SIGNED_CERT" } }],
    ["a page over http", { url: "http://site.example/" }],
  ],
  notChecked: [
    ["no handshake", { tls: "tls" }],
    ["no certificate was read", { tls: { chain: [], trusted: false, trustedBy: null } }],
    ["an invalid date", { tls: { chain: [certificate({ validTo: "whenever" })] } }],
  ],
  violated: {
    "security.tls.certificate-lifetime-too-long": [
      [
        "one second more than 200 days",
        lasting("2026-03-15T00:00:00Z", 200, 1),
        {
          values: { tlsHost: "site.example", days: 201, daysMax: 200, validFrom: "2026-03-15 00:00 UTC", issuer: "CN=Example Issuing CA" },
        },
      ],
      ["one second more than 825 days", lasting("2020-08-31T23:59:59Z", 825, 1), { values: { daysMax: 825 } }],
      ["one second more than 398 days", lasting("2020-09-01T00:00:00Z", 398, 1), { values: { daysMax: 398 } }],
      ["398 days, one second too late", lasting("2026-03-15T00:00:00Z", 398), { values: { days: 398, daysMax: 200 } }],
      ["one second more than 100 days", lasting("2027-03-15T00:00:00Z", 100, 1), { values: { daysMax: 100 } }],
      ["one second more than 47 days", lasting("2029-03-15T00:00:00Z", 47, 1), { values: { daysMax: 47 } }],
    ],
  },
});
