/** At least one policy must block inline styles, in elements and in attributes. */
import check from "../../../checks/csp-style-inline.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["'self' alone", csp("style-src 'self'")],
    ["by the fallback default-src", csp("default-src 'self'; script-src 'unsafe-inline'")],
    ["'unsafe-inline' is ignored beside a nonce", csp("style-src 'unsafe-inline' 'nonce-cmFuZG9t'")],
    ["also beside a hash", csp("style-src 'unsafe-inline' 'sha256-q83v'")],
    ["one of two policies blocks them", csp("style-src 'unsafe-inline'", "default-src 'self'")],
    ["the meta element blocks them", { ...csp("style-src 'unsafe-inline'"), dom: { metas: [meta("style-src 'self'")] } }],
    ["chosen hosts", csp("style-src 'self' https://*.cdn.example")],
    ["one of two policies restricts style files", csp("style-src *", "style-src 'self'")],
    ["unread policies can only forbid more", { ...csp("style-src 'self'"), dom: "crashed" }],
  ],
  notApplicable: [
    ["no policy", {}],
    ["a policy that restricts nothing", csp("report-uri /r")],
  ],
  notChecked: [
    ["no header, and an unread document", { dom: "timeout" }],
    ["the unread document may have a policy that blocks them", { ...csp("style-src 'unsafe-inline'"), dom: "crashed" }],
  ],
  violated: {
    "security.csp.style-unsafe-inline": [
      ["in style-src", csp("style-src 'self' 'Unsafe-Inline'"), { values: { directive: "style-src" } }],
      ["by the fallback default-src", csp("default-src 'self' 'unsafe-inline'"), { values: { directive: "default-src" } }],
      ["'strict-dynamic' applies to scripts only", csp("default-src 'unsafe-inline' 'strict-dynamic'")],
      ["in attributes alone", csp("style-src 'self'; style-src-attr 'unsafe-inline'"), { values: { directive: "style-src-attr" } }],
      ["in elements alone", csp("style-src 'self'; style-src-elem 'unsafe-inline'"), { values: { directive: "style-src-elem" } }],
    ],
    "security.csp.style-any-host": [
      ["any host", csp("style-src *"), { values: { directive: "style-src", sources: "*" } }],
      ["a scheme", csp("default-src 'self'; style-src 'self' https:"), { values: { sources: "https:" } }],
      ["content inside URLs", csp("style-src 'self' data:")],
      ["by the fallback default-src", csp("default-src * data:"), { values: { directive: "default-src", sources: "*, data:" } }],
      ["beside inline styles", csp("style-src * 'unsafe-inline'"), { also: ["security.csp.style-unsafe-inline"] }],
    ],
    "security.csp.style-inline-unrestricted": [
      ["no directive for styles", csp("script-src 'self'; object-src 'none'"), { values: { directives: "script-src, object-src" } }],
      ["elements are restricted, attributes are not", csp("style-src-elem 'self'")],
    ],
  },
});
