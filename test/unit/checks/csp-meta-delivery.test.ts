/** A policy in the document requires one in a header, and must not use directives that browsers ignore there. */
import check from "../../../checks/csp-meta-delivery.ts";
import { testCheck } from "../../support/check-tester.ts";

const header = { headers: { "content-security-policy": "default-src 'self'" } };
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });
const metas = (...contents: string[]) => ({ dom: { metas: contents.map((content) => meta(content)) } });
const cutHeader = { name: "content-security-policy", value: "default-src 'self'", truncated: true };

testCheck(check, {
  passed: [
    ["beside a header", { ...header, ...metas("script-src 'self'") }],
    ["beside a cut header, which is sufficient", { page: { headers: [cutHeader] }, ...metas("script-src 'self'") }],
  ],
  notApplicable: [
    ["no policy", {}],
    ["only a header", header],
    ["an empty meta element", metas(" ; ")],
    ["another meta element", { dom: { metas: [{ ...meta("no-referrer"), httpEquiv: null, name: "referrer" }] } }],
    [
      "report-only, which browsers ignore in meta elements",
      { dom: { metas: [{ ...meta("default-src 'self'"), httpEquiv: "content-security-policy-report-only" }] } },
    ],
  ],
  notChecked: [
    ["dropped meta elements", { dom: { metasDropped: 1 } }],
    ["beside a header, a cut meta element", { ...header, dom: { metas: [meta("script-src 'self'; img-", true)] } }],
    ["the header may have been dropped", { page: { headersDropped: 1 }, ...metas("script-src 'self'") }],
  ],
  violated: {
    "security.csp.meta-only": [
      ["no header", metas("default-src 'self'; img-src *"), { values: { directives: "default-src, img-src" } }],
      ["an empty header", { headers: { "content-security-policy": "" }, ...metas("default-src 'self'") }],
      ["no header, and a cut meta element", { dom: { metas: [meta("script-src 'self'; img-", true)] } }],
    ],
    "security.csp.meta-ignored-directives": [
      [
        "frame-ancestors, which has no effect here",
        { ...header, ...metas("frame-ancestors 'none'") },
        { values: { directives: "frame-ancestors" } },
      ],
      [
        "in two elements",
        { ...header, ...metas("SANDBOX; img-src *", "report-uri /r") },
        { values: { directives: "report-uri, sandbox" } },
      ],
      ["in the kept part of a cut element", { ...header, dom: { metas: [meta("sandbox; img-", true)] } }],
      ["also without a header", metas("frame-ancestors 'none'; default-src 'self'"), { also: ["security.csp.meta-only"] }],
    ],
  },
});
