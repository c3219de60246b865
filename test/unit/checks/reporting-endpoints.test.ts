/** Endpoints that policies name, declared by either header, and what cut or dropped headers hide. */
import check from "../../../checks/reporting-endpoints.ts";
import { testCheck } from "../../support/check-tester.ts";

const sent = (headers: Readonly<Record<string, string | string[]>>) => ({ headers });
const csp = "default-src 'self'; report-to r";
const declared = { "reporting-endpoints": 'r="https://reports.example/r"' };
const cut = (name: string, value: string, others: Readonly<Record<string, string>> = {}) => ({
  page: {
    headers: [{ name, value, truncated: true }, ...Object.entries(others).map(([name, value]) => ({ name, value, truncated: false }))],
  },
});
const group = (json: object) => ({ "content-security-policy": csp, "report-to": JSON.stringify(json) });
const endpoints = [{ url: "https://reports.example/r" }];

testCheck(check, {
  passed: [
    ["a policy", sent({ "content-security-policy": csp, ...declared })],
    ["a trial", sent({ "content-security-policy-report-only": csp, ...declared })],
    ["a path of the site", sent({ "content-security-policy": csp, "reporting-endpoints": 'r="/reports"' })],
    ["a loopback address", sent({ "content-security-policy": csp, "reporting-endpoints": 'r="http://127.0.0.1/r"' })],
    ["the first name alone", sent({ "content-security-policy": `${csp} other`, ...declared })],
    ["the older header", sent(group({ group: "r", max_age: 1, endpoints }))],
    ["a parameter of a token", sent({ "cross-origin-opener-policy": 'same-origin; report-to="r"', ...declared })],
    ["a list of another policy", sent({ "integrity-policy": "blocked-destinations=(script), endpoints=(r)", ...declared })],
    [
      "two groups, of which one has the default name",
      sent({
        "content-security-policy": [csp, "img-src *; report-to default"],
        "report-to": [JSON.stringify({ group: "r", max_age: 1, endpoints }), JSON.stringify({ max_age: 1, endpoints })],
      }),
    ],
  ],
  notApplicable: [
    ["no policy", {}],
    ["a policy without a name", sent({ "content-security-policy": "default-src 'self'; report-uri /r" })],
    ["a directive without a value", sent({ "content-security-policy": "default-src 'self'; report-to" })],
    ["a parameter of another kind", sent({ "cross-origin-opener-policy": "same-origin; report-to=r" })],
    ["a page over http", { url: "http://site.example/", ...sent({ "content-security-policy": csp }) }],
  ],
  notChecked: [
    ["a cut policy, whose last directive is unknown", cut("content-security-policy", "default-src 'self'; report-to r")],
    ["a cut policy with a declared name", cut("content-security-policy", `${csp}; img-src a`, declared)],
    ["a cut declaration", cut("reporting-endpoints", 'q="https://reports.example/q", r="', { "content-security-policy": csp })],
    ["dropped headers", { page: { headersDropped: 1 } }],
    ["dropped headers beside a policy", { ...sent({ "content-security-policy": csp }), page: { headersDropped: 1 } }],
  ],
  violated: {
    "security.reporting.endpoint-undeclared": [
      ["no declaration", sent({ "content-security-policy": csp }), { values: { endpoints: "r" } }],
      ["another name", sent({ "content-security-policy": csp, "reporting-endpoints": 'q="/q"' })],
      ["no text", sent({ "content-security-policy": csp, "reporting-endpoints": "r=/reports" })],
      ["no URL", sent({ "content-security-policy": csp, "reporting-endpoints": 'r="https://"' })],
      ["malformed", sent({ "content-security-policy": csp, "reporting-endpoints": 'R="/reports"' })],
      ["no JSON in the older header", sent({ "content-security-policy": csp, "report-to": "r" })],
      ["a removed group", sent(group({ group: "r", max_age: 0, endpoints }))],
      ["a group without a lifetime", sent(group({ group: "r", endpoints }))],
      ["a group without endpoints", sent(group({ group: "r", max_age: 1, endpoints: [] }))],
      [
        "several policies",
        sent({
          "content-security-policy": csp,
          "cross-origin-embedder-policy": 'require-corp; report-to="coep"',
          "document-isolation-policy-report-only": 'isolate-and-require-corp; report-to="dip"',
          "integrity-policy-report-only": 'blocked-destinations=(script), endpoints=(ip "q" 1)',
        }),
        { values: { endpoints: "r, coep, dip, ip, q" } },
      ],
      ["a cut policy that names it before the end", cut("content-security-policy", `${csp}; img-src a`)],
    ],
    "security.reporting.endpoint-not-https": [
      [
        "http",
        sent({ "content-security-policy": csp, "reporting-endpoints": 'r="http://reports.example/r"' }),
        { values: { urls: "http://reports.example/r" } },
      ],
      ["in the older header", sent(group({ group: "r", max_age: 1, endpoints: [{ url: "http://reports.example/r" }] }))],
      [
        "beside a name that is not declared",
        sent({ "content-security-policy": [csp, "img-src *; report-to q"], "reporting-endpoints": 'r="http://reports.example/r"' }),
        { also: ["security.reporting.endpoint-undeclared"] },
      ],
    ],
  },
});
