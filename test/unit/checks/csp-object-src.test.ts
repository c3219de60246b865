/** Plugins have to be shut out by name or by default-src. */
import check from "../../../checks/csp-object-src.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["'none'", csp("object-src 'None'")],
    ["by falling back to default-src", csp("default-src 'none'; img-src *")],
    ["a directive without sources says the same", csp("object-src; default-src *")],
    ["sources that match no address say the same", csp("object-src 'unsafe-inline'")],
    ["one of two policies shuts them out", csp("default-src *", "object-src 'none'")],
    ["one of two policies of a field shuts them out", csp("default-src *, object-src 'none'")],
    ["the meta element shuts them out", { ...csp("default-src 'self'"), dom: { metas: [meta("object-src 'none'")] } }],
    ["what could not be read can only forbid more", { ...csp("object-src 'none'"), dom: "crashed" }],
  ],
  notApplicable: [
    ["no policy", {}],
    ["a policy that restricts nothing", csp("report-uri /r")],
  ],
  notChecked: [
    ["no header, and the document could not be read", { dom: "timeout" }],
    ["a meta element that was left out may shut them out", { ...csp("script-src 'self'"), dom: { metasDropped: 1 } }],
  ],
  violated: {
    "security.csp.object-src-missing": [
      ["nothing about plugins", csp("script-src 'self'; img-src *"), { values: { directives: "script-src, img-src" } }],
      ["the sandbox keeps not everything out", csp("sandbox; script-src 'self'")],
    ],
    "security.csp.object-src-not-none": [
      ["'self' is not 'none'", csp("object-src 'self'"), { values: { directive: "object-src", sources: "'self'" } }],
      ["by falling back to default-src", csp("default-src 'self'"), { values: { directive: "default-src" } }],
      ["object-src overrides default-src", csp("default-src 'none'; object-src https://plugins.example")],
      ["'none' beside another source means nothing", csp("object-src 'none' *")],
      ["without quotes it is a host", csp("object-src none")],
    ],
  },
});
