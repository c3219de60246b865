/** One directive that browsers enforce is a policy, wherever it was delivered. */
import check from "../../../checks/content-security-policy.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["a header", csp("default-src 'self'")],
    ["a header, and a document that could not be read", { ...csp("default-src 'self'"), dom: "crashed" }],
    ["one policy of several restricts something", csp("report-uri /r", "frame-ancestors 'none'")],
    ["the second policy of one field", csp("report-uri /r, object-src 'none'")],
    ["a meta element", { dom: { metas: [meta("script-src 'self'")] } }],
    ["a page whose type was not sent", { ...csp("default-src 'self'"), page: { mediaType: null } }],
  ],
  notApplicable: [
    ["an image", { page: { mediaType: "image/png" } }],
    ["JSON", { page: { mediaType: "application/json" } }],
  ],
  notChecked: [
    ["a challenge in place of the site", { page: "challenged" }],
    ["no header, and the document could not be read", { dom: "crashed" }],
    ["no header, and a meta element that was cut", { dom: { metas: [meta("script-src 'self'; img-", true)] } }],
    ["no header, and meta elements that were left out", { dom: { metasDropped: 3 } }],
  ],
  violated: {
    "security.missing-header.content-security-policy": [
      ["nothing", {}],
      ["an empty value", csp("")],
      ["report-only is no enforced policy", { headers: { "content-security-policy-report-only": "default-src 'self'" } }],
      [
        "browsers ignore report-only in a meta element",
        { dom: { metas: [{ ...meta("default-src 'self'"), httpEquiv: "content-security-policy-report-only" }] } },
      ],
      ["a meta element with nothing but what is ignored there", { dom: { metas: [meta("frame-ancestors 'none'; sandbox")] } }],
      ["another meta element", { dom: { metas: [{ ...meta("default-src 'self'"), httpEquiv: null, name: "referrer" }] } }],
    ],
    "security.csp.no-effective-directive": [
      ["only reporting", csp("report-uri /r; report-to g"), { values: { directives: "report-uri, report-to" } }],
      ["a misspelt name", csp("default-source 'self'")],
      [
        "given up by browsers",
        csp("block-all-mixed-content", "referrer no-referrer"),
        { values: { directives: "block-all-mixed-content, referrer" } },
      ],
    ],
  },
});
