/** At least one enforced policy must restrict scripts, in a header or in a meta element. */
import check from "../../../checks/content-security-policy.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["a header", csp("default-src 'self'")],
    ["a header, and an unread document", { ...csp("default-src 'self'"), dom: "crashed" }],
    ["one policy of several restricts scripts", csp("frame-ancestors 'none'", "script-src 'self'")],
    ["the second policy of one field", csp("report-uri /r, script-src 'none'")],
    ["only script elements", csp("script-src-elem 'self'")],
    ["a wide source list: csp-script-sources judges it", csp("script-src *")],
    ["a sandbox without scripts", csp("sandbox allow-forms")],
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
      ["a report-only policy is not enforced", { headers: { "content-security-policy-report-only": "default-src 'self'" } }],
      [
        "browsers ignore report-only in a meta element",
        { dom: { metas: [{ ...meta("default-src 'self'"), httpEquiv: "content-security-policy-report-only" }] } },
      ],
      ["a meta element with only ignored directives", { dom: { metas: [meta("frame-ancestors 'none'; sandbox")] } }],
      ["another meta element", { dom: { metas: [{ ...meta("default-src 'self'"), httpEquiv: null, name: "referrer" }] } }],
    ],
    "security.csp.skipped-by-browsers": [
      ["an empty value", csp(""), { values: { value: "" } }],
      [
        "typographic quotes",
        csp("default-src \u2018self\u2019 cdn.example;"),
        { values: { value: "default-src \u2018self\u2019 cdn.example;" } },
      ],
      ["letters beyond ASCII in each directive", csp("script-src caf\u00e9.example; img-src b\u00fccher.example")],
      ["only separators", csp(" ; , ;")],
      ["two headers", csp("script-src \u201cself\u201d", ""), { values: { value: "script-src \u201cself\u201d, " } }],
      [
        "beside a policy that only reports",
        { headers: { ...csp("").headers, "content-security-policy-report-only": "default-src 'self'" } },
      ],
    ],
    "security.csp.no-effective-directive": [
      [
        "a sound directive beside a skipped one",
        csp("script-src \u2018self\u2019; report-uri /r"),
        { values: { directives: "report-uri" } },
      ],
      ["only reporting directives", csp("report-uri /r; report-to g"), { values: { directives: "report-uri, report-to" } }],
      ["only upgrade-insecure-requests", csp("upgrade-insecure-requests"), { values: { directives: "upgrade-insecure-requests" } }],
      ["only framing", csp("frame-ancestors 'self'")],
      ["base element, forms and framing", csp("base-uri 'none'; form-action 'self'", "frame-ancestors 'none'")],
      ["a sandbox that allows scripts", csp("sandbox allow-scripts")],
      ["a misspelt name", csp("default-source 'self'")],
      [
        "a directive that browsers removed",
        csp("block-all-mixed-content", "referrer no-referrer"),
        { values: { directives: "block-all-mixed-content, referrer" } },
      ],
    ],
    "security.csp.script-src-missing": [
      ["no directive for scripts", csp("img-src 'self'"), { values: { directives: "img-src" } }],
      [
        "no directive for script elements",
        csp("script-src-attr 'none'", "frame-ancestors 'self'"),
        { values: { directives: "script-src-attr, frame-ancestors" } },
      ],
      ["the directive for scripts is not ASCII", csp("script-src 'self' \u00fc; object-src 'none'")],
      ["in a meta element", { dom: { metas: [meta("sandbox; object-src 'none'")] } }],
    ],
  },
});
