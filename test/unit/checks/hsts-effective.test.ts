/** Policies as browsers accept them: grammar, lifetime, the first of several fields, and a valid certificate. */
import check from "../../../checks/hsts-effective.ts";
import type { Hop } from "../../../src/evidence/http-facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { answer, certificate } from "../../support/evidence.ts";

const sts = (...values: string[]) => ({ headers: { "strict-transport-security": values } });
const year = "max-age=31536000";
const hop = (url: string): Hop => ({ ...answer({ url, status: 301, headers: { "strict-transport-security": year } }), internal: false });

testCheck(check, {
  passed: [
    ["one year", sts(year)],
    ["exactly 180 days", sts("max-age=15552000")],
    ["quoted", sts('max-age="31536000"')],
    ["unknown directives are ignored", sts(`${year}; includeSubDomains; preload; report=x`)],
    ["a short period on a preloaded host", { ...sts("max-age=300"), hstsPreload: { hostPreloaded: true } }],
    [
      "an invalid certificate of another host",
      {
        navigation: { hops: [hop("https://site.example/")], finalUrl: "https://www.site.example/" },
        tls: { host: "www.site.example", trusted: false },
      },
    ],
  ],
  notApplicable: [
    ["no header", {}],
    ["zero: strict-transport-security reports it", sts("max-age=0")],
    ["zero in the first of two fields", sts("max-age=0", year)],
    ["a page over http", { url: "http://site.example/", ...sts(year) }],
    ["an IP address, for which browsers keep no policy", { url: "https://192.0.2.1/", registrableDomain: null, ...sts(year) }],
  ],
  notChecked: [
    ["the header is valid, but the TLS reading failed", { ...sts(year), tls: "timeout" }],
    ["the header is valid, but no certificate was read", { ...sts(year), tls: { chain: [], trusted: false, hostMatches: false } }],
    ["five minutes, and the preload status is unknown", { ...sts("max-age=300"), hstsPreload: "timeout" }],
  ],
  violated: {
    "security.hsts.unparseable": [
      ["letters instead of a number, which a well-known tool accepts", sts("max-age=abc"), { values: { value: "max-age=abc" } }],
      ["a comma instead of a semicolon", sts(`${year}, includeSubDomains`)],
      ["no semicolon", sts(`${year} includeSubDomains`)],
      ["a negative number", sts("max-age=-1")],
      ["invalid with any certificate", { ...sts("max-age=abc"), tls: "timeout" }],
    ],
    "security.hsts.directive-repeated": [["max-age twice", sts(`${year}; ${year}`), { values: { value: `${year}; ${year}` } }]],
    "security.hsts.max-age-missing": [
      ["only another directive", sts("includeSubDomains")],
      ["an empty value", sts("")],
    ],
    "security.hsts.max-age-too-short": [
      ["one second less than 180 days", sts("max-age=15551999"), { values: { maxAgeSeconds: 15_551_999, days: 179 } }],
      ["five minutes", sts("max-age=300; includeSubDomains")],
    ],
    "security.hsts.duplicate-header": [
      ["two valid fields", sts(year, year), { values: { count: 2, value: year } }],
      ["the first field counts: valid", sts(year, "max-age=abc")],
    ],
    "security.hsts.certificate-not-accepted": [
      ["not trusted", { ...sts(year), tls: { trusted: false } }, { values: { hstsHost: "site.example" } }],
      [
        "not trusted, at a URL whose host ends with a dot",
        { url: "https://site.example./", ...sts(year), tls: { trusted: false } },
        { values: { hstsHost: "site.example" } },
      ],
      ["a certificate for another name", { ...sts(year), tls: { hostMatches: false } }],
      ["expired", { ...sts(year), tls: { chain: [certificate({ validTo: "2026-11-20T00:00:00.000Z" })] } }],
      ["signed with SHA-1", { ...sts(year), tls: { chain: [certificate({ signatureHash: "sha1" })] } }],
      ["also too short", { ...sts("max-age=300"), tls: { trusted: false } }, { also: ["security.hsts.max-age-too-short"] }],
    ],
  },
});
