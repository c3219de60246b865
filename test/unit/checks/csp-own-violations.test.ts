/** What the browser reports of the page's own policies. */
import check from "../../../checks/csp-own-violations.ts";
import type { CspViolation } from "../../../src/evidence/page-facts.ts";
import { testCheck } from "../../support/check-tester.ts";

const violation = (given: Partial<CspViolation> = {}): CspViolation => ({
  directive: "script-src-elem",
  blocked: "https://site.example/app.js",
  reportOnly: false,
  ...given,
});
const seen = (...cspViolations: readonly CspViolation[]) => ({ requests: { cspViolations, cspViolationsDropped: 0 } });
const policy = { headers: { "content-security-policy": "script-src 'strict-dynamic' https: 'self'" } };
const meta = { httpEquiv: "content-security-policy", name: null, content: "script-src 'self'", truncated: false };

testCheck(check, {
  passed: [
    ["a policy that blocks nothing", { ...policy, ...seen() }],
    ["a report-only policy that would block nothing", { headers: { "content-security-policy-report-only": "img-src 'self'" }, ...seen() }],
    ["a policy in a meta element", { dom: { metas: [meta] }, ...seen() }],
    ["a cut policy: the browser enforces it whole", { headers: { "content-security-policy": "x".repeat(600) }, ...seen() }],
  ],
  notApplicable: [
    ["no policy", seen()],
    ["an image", { page: { mediaType: "image/png" }, ...seen(violation()) }],
  ],
  notChecked: [
    ["evidence of an older version", policy],
    ["requests were not read", { ...policy, requests: "crashed" }],
    ["no header, and an unread document", { dom: "timeout", ...seen() }],
    ["violations were dropped, and those kept are none", { ...policy, requests: { cspViolations: [], cspViolationsDropped: 1 } }],
  ],
  violated: {
    "security.csp.blocks-own-page": [
      ["a file", { ...policy, ...seen(violation()) }, { values: { resources: "script-src-elem https://site.example/app.js", total: 1 } }],
      [
        "inline code",
        { ...policy, ...seen(violation({ blocked: "inline" })) },
        { values: { resources: "script-src-elem inline", total: 1 } },
      ],
      ["by a header that was not kept", seen(violation({ directive: "img-src", blocked: "data" }))],
      ["two", { ...policy, ...seen(violation(), violation({ directive: "style-src-attr", blocked: "inline" })) }, { values: { total: 2 } }],
    ],
    "security.csp.would-block-own-page": [
      ["a report", seen(violation({ reportOnly: true })), { values: { total: 1 } }],
      [
        "beside an enforced one",
        { ...policy, ...seen(violation(), violation({ reportOnly: true })) },
        { also: ["security.csp.blocks-own-page"] },
      ],
    ],
  },
});
