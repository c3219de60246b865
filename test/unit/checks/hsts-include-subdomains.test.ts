/** An effective policy must cover subdomains, unless the host is preloaded. */
import check from "../../../checks/hsts-include-subdomains.ts";
import { testCheck } from "../../support/check-tester.ts";

const sts = (...values: string[]) => ({ headers: { "strict-transport-security": values } });

testCheck(check, {
  passed: [
    ["present", sts("max-age=31536000; includeSubDomains")],
    ["in any letter case", sts("INCLUDESUBDOMAINS; max-age=1")],
    ["the first of two fields", sts("max-age=1; includeSubDomains", "max-age=1")],
    ["present, without the preload list", { ...sts("max-age=1; includeSubDomains"), hstsPreload: "crashed" }],
  ],
  notApplicable: [
    ["no header", {}],
    ["a page over http", { url: "http://site.example/", ...sts("max-age=1") }],
    ["an IP address", { url: "https://192.0.2.1/", registrableDomain: null, ...sts("max-age=1") }],
    ["no effective policy, which hsts-effective reports", sts("max-age=abc")],
    ["max-age of zero", sts("max-age=0")],
    ["covered by the preload list", { ...sts("max-age=1"), hstsPreload: { hostPreloaded: true } }],
    ["covered with its subdomains", { ...sts("max-age=1"), hstsPreload: { hostPreloaded: true, subdomainsPreloaded: true } }],
  ],
  notChecked: [["absent, and the preload status is unknown", { ...sts("max-age=1"), hstsPreload: "unsupported" }]],
  violated: {
    "security.hsts.subdomains-not-included": [
      ["absent", sts("max-age=31536000"), { values: { value: "max-age=31536000", hstsHost: "site.example" } }],
      [
        "absent, and the entry of the host covers itself only",
        { ...sts("max-age=1"), hstsPreload: { hostPreloaded: true, subdomainsPreloaded: false } },
      ],
      ["part of another word", sts("max-age=31536000; noIncludeSubDomains")],
      ["only in the second field", sts("max-age=1", "max-age=1; includeSubDomains")],
    ],
  },
});
