/** The last 14 days, or the last fifth of a short validity period, is too late. */
import check from "../../../checks/tls-certificate-expiry.ts";
import { testCheck } from "../../support/check-tester.ts";
import { certificate } from "../../support/evidence.ts";

// The scan is at 2026-11-21T12:00:00Z.
const valid = (validFrom: string, validTo: string) => ({ tls: { chain: [certificate({ validFrom, validTo })] } });
const issuer = (validTo: string) => certificate({ subject: "CN=Example Issuing CA", validFrom: "2020-01-01T00:00:00Z", validTo });
const below = (...validTo: readonly string[]) => ({ tls: { path: validTo.map(issuer) } });

testCheck(check, {
  passed: [
    ["five weeks of 90 days left", {}],
    ["exactly 14 days left", valid("2026-09-06T12:00:00Z", "2026-12-05T12:00:00Z")],
    ["two of six days left", valid("2026-11-17T12:00:00Z", "2026-11-23T12:00:00Z")],
    ["a fifth of ten days left", valid("2026-11-13T12:00:01Z", "2026-11-23T12:00:00Z")],
    ["one of five hours left", valid("2026-11-21T08:00:01Z", "2026-11-21T13:00:00Z")],
    ["not yet valid, which another check reports", valid("2027-01-01T00:00:00Z", "2027-03-01T00:00:00Z")],
    ["a certificate that expires soon, but is not on the path", { tls: { chain: [certificate(), issuer("2026-11-22T00:00:00Z")] } }],
    ["an issuer with exactly 14 days left", below("2026-12-05T12:00:00Z")],
    ["an issuer that ends before the leaf, but not soon", below("2026-12-20T00:00:00Z")],
    ["an expired issuer, which another check reports", below("2026-11-21T11:59:59Z")],
  ],
  notApplicable: [
    ["expired already", valid("2026-01-01T00:00:00Z", "2026-11-21T11:59:59Z")],
    ["a page over http", { url: "http://site.example/" }],
  ],
  notChecked: [
    ["no handshake", { tls: "tls" }],
    ["the certificate could not be read", { tls: { chain: [] } }],
    ["an invalid date", valid("2026-01-01T00:00:00Z", "whenever")],
    ["an invalid first date", valid("once", "2026-12-01T00:00:00Z")],
  ],
  violated: {
    "security.tls.certificate-expires-soon": [
      [
        "one second less than 14 days",
        valid("2026-09-06T12:00:00Z", "2026-12-05T11:59:59Z"),
        { values: { tlsHost: "site.example", validTo: "2026-12-05 11:59 UTC", days: 13, lifetimeDays: 90 } },
      ],
      ["less than a fifth of ten days", valid("2026-11-13T12:00:00Z", "2026-11-23T11:00:00Z"), { values: { days: 1, lifetimeDays: 10 } }],
      ["the last second", valid("2026-09-06T12:00:00Z", "2026-11-21T12:00:00Z"), { values: { days: 0 } }],
      [
        "on the same day as its issuer",
        { tls: { chain: [certificate({ validTo: "2026-11-30T00:00:00Z" })], path: [issuer("2026-11-30T00:00:00Z")] } },
      ],
    ],
    "security.tls.issuer-expires-soon": [
      [
        "one second less than 14 days",
        below("2026-12-05T11:59:59Z", "2030-01-01T00:00:00Z"),
        { values: { tlsHost: "site.example", issuer: "CN=Example Issuing CA", validTo: "2026-12-05 11:59 UTC", days: 13 } },
      ],
      [
        "both end soon, the issuer first",
        { tls: { chain: [certificate({ validTo: "2026-11-30T00:00:00Z" })], path: [issuer("2026-11-29T00:00:00Z")] } },
        { also: ["security.tls.certificate-expires-soon"] },
      ],
      ["the root, on its last second", below("2030-01-01T00:00:00Z", "2026-11-21T12:00:00Z"), { values: { days: 0 } }],
    ],
  },
});
