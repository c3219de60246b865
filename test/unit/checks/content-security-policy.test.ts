/** One enforced directive makes a policy, in a header or in a meta element. */
import check from "../../../checks/content-security-policy.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["a header", csp("default-src 'self'")],
    ["a header, and an unread document", { ...csp("default-src 'self'"), dom: "crashed" }],
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
    ["a challenge instead of the site", { page: "challenged" }],
    ["no header, and an unread document", { dom: "crashed" }],
    ["no header, and a cut meta element", { dom: { metas: [meta("script-src 'self'; img-", true)] } }],
    ["no header, and dropped meta elements", { dom: { metasDropped: 3 } }],
  ],
  violated: {
    "security.missing-header.content-security-policy": [
      ["nothing", {}],
      ["an empty value", csp("")],
      ["a report-only policy is not enforced", { headers: { "content-security-policy-report-only": "default-src 'self'" } }],
      [
        "browsers ignore report-only in a meta element",
        { dom: { metas: [{ ...meta("default-src 'self'"), httpEquiv: "content-security-policy-report-only" }] } },
      ],
      ["a meta element with only ignored directives", { dom: { metas: [meta("frame-ancestors 'none'; sandbox")] } }],
      ["another meta element", { dom: { metas: [{ ...meta("default-src 'self'"), httpEquiv: null, name: "referrer" }] } }],
    ],
    "security.csp.no-effective-directive": [
      ["only reporting directives", csp("report-uri /r; report-to g"), { values: { directives: "report-uri, report-to" } }],
      ["a misspelt name", csp("default-source 'self'")],
      [
        "a directive that browsers removed",
        csp("block-all-mixed-content", "referrer no-referrer"),
        { values: { directives: "block-all-mixed-content, referrer" } },
      ],
    ],
  },
});
