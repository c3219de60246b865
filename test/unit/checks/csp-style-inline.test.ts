/** Inline styles must be stopped by at least one policy, in elements and in attributes. */
import check from "../../../checks/csp-style-inline.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["'self' alone", csp("style-src 'self'")],
    ["by falling back to default-src", csp("default-src 'self'; script-src 'unsafe-inline'")],
    ["beside a nonce 'unsafe-inline' is ignored", csp("style-src 'unsafe-inline' 'nonce-cmFuZG9t'")],
    ["beside a hash too", csp("style-src 'unsafe-inline' 'sha256-q83v'")],
    ["one of two policies stops them", csp("style-src 'unsafe-inline'", "default-src 'self'")],
    ["the meta element stops them", { ...csp("style-src 'unsafe-inline'"), dom: { metas: [meta("style-src 'self'")] } }],
    ["what could not be read can only forbid more", { ...csp("style-src 'self'"), dom: "crashed" }],
  ],
  notApplicable: [
    ["no policy", {}],
    ["a policy that restricts nothing", csp("report-uri /r")],
  ],
  notChecked: [
    ["no header, and the document could not be read", { dom: "timeout" }],
    ["the document may hold a policy that stops them", { ...csp("style-src 'unsafe-inline'"), dom: "crashed" }],
  ],
  violated: {
    "security.csp.style-unsafe-inline": [
      ["in style-src", csp("style-src 'self' 'Unsafe-Inline'"), { values: { directive: "style-src" } }],
      ["by falling back to default-src", csp("default-src 'self' 'unsafe-inline'"), { values: { directive: "default-src" } }],
      ["'strict-dynamic' is about scripts only", csp("default-src 'unsafe-inline' 'strict-dynamic'")],
      ["in attributes alone", csp("style-src 'self'; style-src-attr 'unsafe-inline'"), { values: { directive: "style-src-attr" } }],
      ["in elements alone", csp("style-src 'self'; style-src-elem 'unsafe-inline'"), { values: { directive: "style-src-elem" } }],
    ],
    "security.csp.style-inline-unrestricted": [
      ["nothing about styles", csp("script-src 'self'; object-src 'none'"), { values: { directives: "script-src, object-src" } }],
      ["the elements are ruled, the attributes are not", csp("style-src-elem 'self'")],
    ],
  },
});
