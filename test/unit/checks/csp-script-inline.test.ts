/** At least one policy must block inline scripts, as a CSP3 browser evaluates it. */
import check from "../../../checks/csp-script-inline.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["'self' alone", csp("script-src 'self'")],
    ["by the fallback default-src", csp("default-src 'none'")],
    ["'unsafe-inline' is ignored beside a nonce, unlike in a well-known tool", csp("script-src 'unsafe-inline' 'nonce-cmFuZG9t'")],
    ["also beside a hash", csp("script-src 'unsafe-inline' 'sha256-q83v'")],
    ["also beside 'strict-dynamic'", csp("script-src 'unsafe-inline' 'strict-dynamic'")],
    ["the first of a repeated directive counts", csp("script-src 'self'; script-src 'unsafe-inline'")],
    ["'unsafe-inline' for styles", csp("default-src 'self'; style-src 'unsafe-inline'")],
    ["one of two headers blocks it", csp("script-src 'unsafe-inline'", "default-src 'self'")],
    ["one of two policies in a header blocks it", csp("script-src 'unsafe-inline', script-src 'self'")],
    ["the other policy has no directive for scripts", csp("frame-ancestors 'none'", "script-src 'self'")],
    ["the meta element blocks it", { ...csp("script-src 'unsafe-inline'"), dom: { metas: [meta("script-src 'self'")] } }],
    ["unread policies can only forbid more", { ...csp("script-src 'self'"), dom: "crashed" }],
    ["the sandbox blocks scripts", csp("sandbox allow-forms")],
    ["a keyword without quotes is a host", csp("script-src unsafe-inline")],
  ],
  notApplicable: [
    ["no policy", {}],
    ["report-only", { headers: { "content-security-policy-report-only": "script-src 'unsafe-inline'" } }],
    ["a policy that restricts nothing", csp("report-uri /r")],
    ["no directive for scripts", csp("img-src 'self'")],
    ["attributes are restricted, elements are not", csp("script-src-attr 'none'")],
  ],
  notChecked: [
    ["no header, and an unread document", { dom: "timeout" }],
    ["a cut meta element may block it", { ...csp("script-src 'unsafe-inline'"), dom: { metas: [meta("script-src 'self'; img-", true)] } }],
    ["the unread document may have a policy", { ...csp("script-src 'unsafe-inline'"), dom: "crashed" }],
  ],
  violated: {
    "security.csp.script-unsafe-inline": [
      [
        "in script-src",
        csp("script-src 'self' 'unsafe-inline'"),
        { values: { directive: "script-src", sources: "'self' 'unsafe-inline'" } },
      ],
      ["by the fallback default-src", csp("default-src https: 'UNSAFE-INLINE'"), { values: { directive: "default-src" } }],
      [
        "script-src-elem overrides script-src",
        csp("script-src 'self'; script-src-elem 'unsafe-inline'"),
        { values: { directive: "script-src-elem" } },
      ],
      [
        "event handlers are allowed",
        csp("script-src 'nonce-abc'; script-src-attr 'unsafe-inline'"),
        { values: { directive: "script-src-attr" } },
      ],
      [
        "in every policy",
        csp("default-src 'unsafe-inline', script-src 'unsafe-inline'"),
        { values: { directive: "default-src, script-src" } },
      ],
      ["the first of a repeated directive counts", csp("script-src 'unsafe-inline'; script-src 'self'")],
      ["a nonce without a value is invalid", csp("script-src 'unsafe-inline' 'nonce-'")],
      ["only in a meta element", { dom: { metas: [meta("script-src 'unsafe-inline'")] } }],
      ["sandbox is ignored in a meta element", { dom: { metas: [meta("sandbox; script-src 'unsafe-inline'")] } }],
      ["the sandbox allows scripts", csp("sandbox allow-scripts; script-src 'unsafe-inline'")],
    ],
    "security.csp.script-inline-unrestricted": [
      ["elements are restricted, attributes are not", csp("script-src-elem 'self'"), { values: { directives: "script-src-elem" } }],
    ],
  },
});
