/** A report-only policy needs an enforced policy and a reporting endpoint. */
import check from "../../../checks/csp-report-only.ts";
import { testCheck } from "../../support/check-tester.ts";

const trial = (reportOnly: string | readonly string[], enforced: readonly string[] = []) => ({
  headers: { "content-security-policy-report-only": reportOnly, "content-security-policy": enforced },
});
const loud = "script-src 'self'; report-to csp";
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["beside an enforced policy", trial(loud, ["default-src 'self'"])],
    ["with the older report-uri", trial("script-src 'self'; report-uri /r", ["default-src 'self'"])],
    ["beside a meta element", { ...trial(loud), dom: { metas: [meta("default-src 'self'")] } }],
    ["beside a header, with any document", { ...trial(loud, ["default-src 'self'"]), dom: "crashed" }],
  ],
  notApplicable: [
    ["none", {}],
    ["only an enforced policy", { headers: { "content-security-policy": "default-src 'self'" } }],
    ["an empty value", trial("")],
    ["browsers ignore it in meta elements", { dom: { metas: [{ ...meta(loud), httpEquiv: "content-security-policy-report-only" }] } }],
  ],
  notChecked: [
    ["no enforced header, and an unread document", { ...trial(loud), dom: "crashed" }],
    ["no enforced header, and a cut meta element", { ...trial(loud), dom: { metas: [meta("default-src 'self'; x", true)] } }],
  ],
  violated: {
    "security.csp.report-only-alone": [
      ["no enforced policy", trial("script-src 'self'; report-uri /r"), { values: { directives: "script-src, report-uri" } }],
      ["beside a policy without restrictions", trial(loud, ["report-uri /r"])],
      ["also without reports", trial("script-src 'self'"), { also: ["security.csp.report-only-without-reports"] }],
    ],
    "security.csp.report-only-without-reports": [
      [
        "no reporting directive",
        trial("script-src 'self'; img-src *", ["default-src 'self'"]),
        { values: { directives: "script-src, img-src" } },
      ],
      ["a directive without an endpoint", trial("script-src 'self'; report-uri", ["default-src 'self'"])],
      ["the second of two has no reports", trial([loud, "img-src 'self'"], ["default-src 'self'"]), { values: { directives: "img-src" } }],
      ["without reports, with any document", { ...trial("img-src 'self'"), dom: "crashed" }],
    ],
  },
});
