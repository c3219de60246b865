/** A trial needs an enforced policy beside it, and somebody who hears of it. */
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
    ["reporting in the old way", trial("script-src 'self'; report-uri /r", ["default-src 'self'"])],
    ["beside a meta element", { ...trial(loud), dom: { metas: [meta("default-src 'self'")] } }],
    ["beside a header, whatever the document holds", { ...trial(loud, ["default-src 'self'"]), dom: "crashed" }],
  ],
  notApplicable: [
    ["none", {}],
    ["an enforced policy alone", { headers: { "content-security-policy": "default-src 'self'" } }],
    ["an empty one", trial("")],
    ["browsers ignore it in a meta element", { dom: { metas: [{ ...meta(loud), httpEquiv: "content-security-policy-report-only" }] } }],
  ],
  notChecked: [
    ["no enforced header, and the document could not be read", { ...trial(loud), dom: "crashed" }],
    ["no enforced header, and a meta element that was cut", { ...trial(loud), dom: { metas: [meta("default-src 'self'; x", true)] } }],
  ],
  violated: {
    "security.csp.report-only-alone": [
      ["no other policy", trial("script-src 'self'; report-uri /r"), { values: { directives: "script-src, report-uri" } }],
      ["beside a policy that restricts nothing", trial(loud, ["report-uri /r"])],
      ["and silent", trial("script-src 'self'"), { also: ["security.csp.report-only-without-reports"] }],
    ],
    "security.csp.report-only-without-reports": [
      ["no endpoint", trial("script-src 'self'; img-src *", ["default-src 'self'"]), { values: { directives: "script-src, img-src" } }],
      ["a directive without an endpoint", trial("script-src 'self'; report-uri", ["default-src 'self'"])],
      ["the second of two is silent", trial([loud, "img-src 'self'"], ["default-src 'self'"]), { values: { directives: "img-src" } }],
      ["silent, whatever the document holds", { ...trial("img-src 'self'"), dom: "crashed" }],
    ],
  },
});
