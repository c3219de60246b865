/** A policy in force should reach down to the subdomains, unless the browsers' own list already does. */
import check from "../../../checks/hsts-include-subdomains.ts";
import { testCheck } from "../../support/check-tester.ts";

const sts = (...values: string[]) => ({ headers: { "strict-transport-security": values } });

testCheck(check, {
  passed: [
    ["present", sts("max-age=31536000; includeSubDomains")],
    ["in any case of letters", sts("INCLUDESUBDOMAINS; max-age=1")],
    ["the first of two fields", sts("max-age=1; includeSubDomains", "max-age=1")],
    ["present, so that no list is needed", { ...sts("max-age=1; includeSubDomains"), hstsPreload: "crashed" }],
  ],
  notApplicable: [
    ["no header", {}],
    ["a page over http", { url: "http://site.example/", ...sts("max-age=1") }],
    ["an address", { url: "https://192.0.2.1/", registrableDomain: null, ...sts("max-age=1") }],
    ["no policy in force, which hsts-effective books", sts("max-age=abc")],
    ["switched off", sts("max-age=0")],
    ["covered by the browsers' list", { ...sts("max-age=1"), hstsPreload: { hostPreloaded: true } }],
  ],
  violated: {
    "security.hsts.subdomains-not-included": [
      ["absent", sts("max-age=31536000"), { values: { value: "max-age=31536000", hstsHost: "site.example" } }],
      ["absent, and what browsers have built in is not known", { ...sts("max-age=1"), hstsPreload: "unsupported" }],
      ["part of another word", sts("max-age=31536000; noIncludeSubDomains")],
      ["only in the second field", sts("max-age=1", "max-age=1; includeSubDomains")],
    ],
  },
});
