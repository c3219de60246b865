/** Both ends of a certificate's validity period belong to it; one second beyond does not. The issuers on the path count too. */
import check from "../../../checks/tls-certificate-validity.ts";
import { testCheck } from "../../support/check-tester.ts";
import { certificate } from "../../support/evidence.ts";

const leaf = (validFrom: string, validTo: string) => ({ tls: { chain: [certificate({ validFrom, validTo })] } });
const scannedAt = "2026-11-21T12:00:00.000Z";
const issuer = (validFrom: string, validTo: string) => certificate({ subject: "CN=Example Issuing CA", validFrom, validTo });
const valid = issuer("2020-01-01T00:00:00.000Z", "2030-01-01T00:00:00.000Z");
const expired = issuer("2020-01-01T00:00:00.000Z", "2026-11-18T11:00:00.000Z");
const early = issuer("2026-11-22T00:00:00.000Z", "2030-01-01T00:00:00.000Z");

testCheck(check, {
  passed: [
    ["in the middle", {}],
    ["on the first second", { scannedAt, ...leaf(scannedAt, "2027-01-01T00:00:00.000Z") }],
    ["on the last second", { scannedAt, ...leaf("2026-01-01T00:00:00.000Z", scannedAt) }],
    ["an expired certificate that was sent, but is not on the path", { tls: { chain: [certificate(), expired], path: [valid] } }],
    ["evidence of an older version, which has no path", { tls: { chain: [certificate(), expired] } }],
    ["no path, because the chain is not trusted", { tls: { chain: [certificate(), expired], trusted: false, path: null } }],
    ["issuers on their first and on their last second", { tls: { path: [issuer(scannedAt, scannedAt), valid] } }],
    ["untrusted, but within its period", { tls: { trusted: false, untrustedBecause: "DEPTH_ZERO_SELF_SIGNED_CERT" } }],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["no handshake", { tls: "tls" }],
    ["the certificate could not be read", { tls: { chain: [] } }],
    ["an invalid date", leaf("2026-01-01T00:00:00.000Z", "soon")],
    ["an invalid date of an issuer", { tls: { path: [issuer("once", "2030-01-01T00:00:00.000Z")] } }],
  ],
  violated: {
    "security.tls.certificate-expired": [
      [
        "three days ago",
        leaf("2026-01-01T00:00:00.000Z", "2026-11-18T11:00:00.000Z"),
        { values: { tlsHost: "site.example", validFrom: "2026-01-01 00:00 UTC", validTo: "2026-11-18 11:00 UTC", days: 3 } },
      ],
      ["one second ago", leaf("2026-01-01T00:00:00.000Z", "2026-11-21T11:59:59.000Z"), { values: { days: 0 } }],
    ],
    "security.tls.certificate-not-yet-valid": [
      ["from tomorrow", leaf("2026-11-22T00:00:00.000Z", "2027-01-01T00:00:00.000Z"), { values: { validFrom: "2026-11-22 00:00 UTC" } }],
    ],
    "security.tls.issuer-expired": [
      [
        "an intermediate",
        { tls: { path: [expired, valid] } },
        {
          values: {
            tlsHost: "site.example",
            issuer: "CN=Example Issuing CA",
            validFrom: "2020-01-01 00:00 UTC",
            validTo: "2026-11-18 11:00 UTC",
            days: 3,
          },
        },
      ],
      ["the root", { tls: { path: [valid, expired] } }],
      [
        "one second ago, beside an invalid date",
        { tls: { path: [issuer("once", scannedAt), issuer(scannedAt, "2026-11-21T11:59:59.000Z")] } },
      ],
    ],
    "security.tls.issuer-not-yet-valid": [
      [
        "from tomorrow",
        { tls: { path: [early, valid] } },
        { values: { validFrom: "2026-11-22 00:00 UTC", issuer: "CN=Example Issuing CA" } },
      ],
    ],
  },
});
