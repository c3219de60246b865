/** A policy counts as a browser would take it: grammar, lifetime, the first of several fields, and a certificate without errors. */
import check from "../../../checks/hsts-effective.ts";
import type { Hop } from "../../../src/evidence/facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { answer, certificate } from "../../support/evidence.ts";

const sts = (...values: string[]) => ({ headers: { "strict-transport-security": values } });
const year = "max-age=31536000";
const hop = (url: string): Hop => ({ ...answer({ url, status: 301, headers: { "strict-transport-security": year } }), internal: false });

testCheck(check, {
  passed: [
    ["a year", sts(year)],
    ["exactly 180 days", sts("max-age=15552000")],
    ["quoted", sts('max-age="31536000"')],
    ["unknown directives are ignored", sts(`${year}; includeSubDomains; preload; report=x`)],
    ["a certificate that the runtime could not read is not held against the server", { ...sts(year), tls: { trusted: false, chain: [] } }],
    [
      "a bad certificate of another host",
      {
        navigation: { hops: [hop("https://site.example/")], finalUrl: "https://www.site.example/" },
        tls: { host: "www.site.example", trusted: false },
      },
    ],
  ],
  notApplicable: [
    ["no header", {}],
    ["a page over http", { url: "http://site.example/", ...sts(year) }],
    ["an address, for which browsers keep no policy", { url: "https://192.0.2.1/", registrableDomain: null, ...sts(year) }],
  ],
  notChecked: [["the header is in order, but the certificate could not be looked at", { ...sts(year), tls: "timeout" }]],
  violated: {
    "security.hsts.unparseable": [
      ["letters for a number, which a well-known tool lets pass", sts("max-age=abc"), { values: { value: "max-age=abc" } }],
      ["comma for semicolon", sts(`${year}, includeSubDomains`)],
      ["no semicolon", sts(`${year} includeSubDomains`)],
      ["a negative number", sts("max-age=-1")],
      ["known to be wrong, whatever the certificate is", { ...sts("max-age=abc"), tls: "timeout" }],
    ],
    "security.hsts.directive-repeated": [["max-age twice", sts(`${year}; ${year}`), { values: { value: `${year}; ${year}` } }]],
    "security.hsts.max-age-missing": [
      ["another directive alone", sts("includeSubDomains")],
      ["an empty value", sts("")],
    ],
    "security.hsts.max-age-too-short": [
      ["a second less than 180 days", sts("max-age=15551999"), { values: { maxAgeSeconds: 15_551_999, days: 179 } }],
      ["five minutes", sts("max-age=300; includeSubDomains")],
    ],
    "security.hsts.disabled": [["zero", sts("max-age=0")]],
    "security.hsts.duplicate-header": [
      ["two good ones", sts(year, year), { values: { count: 2, value: year } }],
      ["the first decides: off", sts("max-age=0", year), { also: ["security.hsts.disabled"] }],
      ["the first decides: on", sts(year, "max-age=abc")],
    ],
    "security.hsts.certificate-not-accepted": [
      ["not trusted", { ...sts(year), tls: { trusted: false } }, { values: { hstsHost: "site.example" } }],
      [
        "not trusted, at a URL whose host ends with a dot",
        { url: "https://site.example./", ...sts(year), tls: { trusted: false } },
        { values: { hstsHost: "site.example" } },
      ],
      ["for another name", { ...sts(year), tls: { hostMatches: false } }],
      ["expired", { ...sts(year), tls: { chain: [certificate({ validTo: "2026-11-20T00:00:00.000Z" })] } }],
      ["and too short besides", { ...sts("max-age=300"), tls: { trusted: false } }, { also: ["security.hsts.max-age-too-short"] }],
    ],
  },
});
