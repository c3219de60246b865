/** Values of Cross-Origin-Opener-Policy that isolate a window from other sites. */
import check from "../../../checks/cross-origin-opener-policy.ts";
import { testCheck } from "../../support/check-tester.ts";

const header = (...values: string[]) => ({ headers: { "cross-origin-opener-policy": values } });

const isolated = (value: string, ...opener: string[]) => ({
  headers: { "cross-origin-opener-policy": opener, "document-isolation-policy": value },
});

testCheck(check, {
  passed: [
    ["same-origin", header("same-origin")],
    ["same-origin-allow-popups", header("same-origin-allow-popups")],
    ["noopener-allow-popups", header("noopener-allow-popups")],
    ["a parameter", header('same-origin; report-to="coop"')],
    ["no header, and an isolated document", isolated("isolate-and-require-corp")],
    ["unsafe-none, and an isolated document", isolated('isolate-and-credentialless; report-to="dip"', "unsafe-none")],
  ],
  notApplicable: [["not HTML", { page: { mediaType: "text/plain" } }]],
  violated: {
    "security.missing-header.cross-origin-opener-policy": [
      ["no header", {}],
      ["a document that is not isolated", isolated("none")],
      ["an unknown isolation", isolated("isolate")],
    ],
    "security.weak-header.cross-origin-opener-policy": [["unsafe-none", header("unsafe-none"), { values: { value: "unsafe-none" } }]],
    "security.invalid-header.cross-origin-opener-policy": [
      ["an unknown word", header("same-site"), { values: { value: "same-site" } }],
      ["capitals", header("Same-Origin")],
      ["quotes", header('"same-origin"')],
      ["two fields", header("same-origin", "same-origin"), { values: { value: "same-origin, same-origin" } }],
      ["an empty value", header("")],
      ["an unknown word beside an isolated document", isolated("isolate-and-require-corp", "same-site")],
    ],
  },
});
