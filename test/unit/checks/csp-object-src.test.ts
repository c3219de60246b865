/** Plugins must be blocked by object-src or default-src. */
import check from "../../../checks/csp-object-src.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["'none'", csp("object-src 'None'")],
    ["by the fallback default-src", csp("default-src 'none'; img-src *")],
    ["a directive without sources means 'none'", csp("object-src; default-src *")],
    ["sources that match no URL mean 'none'", csp("object-src 'unsafe-inline'")],
    ["one of two policies blocks them", csp("default-src *", "object-src 'none'")],
    ["one of two policies of a field blocks them", csp("default-src *, object-src 'none'")],
    ["the meta element blocks them", { ...csp("default-src 'self'"), dom: { metas: [meta("object-src 'none'")] } }],
    ["unread policies can only forbid more", { ...csp("object-src 'none'"), dom: "crashed" }],
  ],
  notApplicable: [
    ["no policy", {}],
    ["a policy that restricts nothing", csp("report-uri /r")],
  ],
  notChecked: [
    ["no header, and an unread document", { dom: "timeout" }],
    ["a dropped meta element may block them", { ...csp("script-src 'self'"), dom: { metasDropped: 1 } }],
  ],
  violated: {
    "security.csp.object-src-missing": [
      ["no directive for plugins", csp("script-src 'self'; img-src *"), { values: { directives: "script-src, img-src" } }],
      ["the sandbox does not block everything", csp("sandbox; script-src 'self'")],
    ],
    "security.csp.object-src-not-none": [
      ["'self' is not 'none'", csp("object-src 'self'"), { values: { directive: "object-src", sources: "'self'" } }],
      [
        "each source once, for policies with the same ones",
        csp("default-src 'self' data:", "default-src data: 'self'"),
        { values: { directive: "default-src", sources: "'self' data:" } },
      ],
      ["any host by the fallback default-src", csp("default-src https:"), { values: { directive: "default-src" } }],
      ["content inside URLs by the fallback default-src", csp("default-src 'self' data:")],
      ["object-src overrides default-src", csp("default-src 'none'; object-src https://plugins.example")],
      ["'none' beside another source is ignored", csp("object-src 'none' *")],
      ["none without quotes is a host", csp("object-src none")],
    ],
    "security.csp.object-src-by-default-src": [
      ["one of two policies limits the sources", csp("default-src *", "default-src 'self'")],
      ["one policy by default-src, another by object-src", csp("default-src 'self'", "object-src 'self'")],
      ["'self'", csp("default-src 'self'; img-src *"), { values: { directive: "default-src", sources: "'self'" } }],
      ["chosen hosts", csp("default-src 'self' https://cdn.example 'unsafe-inline'")],
    ],
  },
});
