/** Inline script must be stopped by at least one policy, judged as a CSP3 browser does. */
import check from "../../../checks/csp-script-inline.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["'self' alone", csp("script-src 'self'")],
    ["by falling back to default-src", csp("default-src 'none'")],
    ["beside a nonce 'unsafe-inline' is ignored, which a well-known tool fails", csp("script-src 'unsafe-inline' 'nonce-cmFuZG9t'")],
    ["beside a hash too", csp("script-src 'unsafe-inline' 'sha256-q83v'")],
    ["beside 'strict-dynamic' too", csp("script-src 'unsafe-inline' 'strict-dynamic'")],
    ["the first of a repeated directive counts", csp("script-src 'self'; script-src 'unsafe-inline'")],
    ["'unsafe-inline' for styles", csp("default-src 'self'; style-src 'unsafe-inline'")],
    ["one of two headers stops it", csp("script-src 'unsafe-inline'", "default-src 'self'")],
    ["one of two policies in a header stops it", csp("script-src 'unsafe-inline', script-src 'self'")],
    ["a policy that says nothing of scripts leaves it to the other", csp("frame-ancestors 'none'", "script-src 'self'")],
    ["the meta element stops it", { ...csp("script-src 'unsafe-inline'"), dom: { metas: [meta("script-src 'self'")] } }],
    ["what could not be read can only stop more", { ...csp("script-src 'self'"), dom: "crashed" }],
    ["the sandbox lets no script run", csp("sandbox allow-forms")],
    ["a keyword without quotes is a host", csp("script-src unsafe-inline")],
  ],
  notApplicable: [
    ["no policy", {}],
    ["report-only", { headers: { "content-security-policy-report-only": "script-src 'unsafe-inline'" } }],
    ["a policy that restricts nothing", csp("report-uri /r")],
  ],
  notChecked: [
    ["no header, and the document could not be read", { dom: "timeout" }],
    [
      "a meta element that was cut may stop it",
      { ...csp("script-src 'unsafe-inline'"), dom: { metas: [meta("script-src 'self'; img-", true)] } },
    ],
    ["the document could not be read and may hold a policy", { ...csp("script-src 'unsafe-inline'"), dom: "crashed" }],
  ],
  violated: {
    "security.csp.script-unsafe-inline": [
      [
        "in script-src",
        csp("script-src 'self' 'unsafe-inline'"),
        { values: { directive: "script-src", sources: "'self' 'unsafe-inline'" } },
      ],
      ["by falling back to default-src", csp("default-src https: 'UNSAFE-INLINE'"), { values: { directive: "default-src" } }],
      [
        "script-src-elem overrides script-src",
        csp("script-src 'self'; script-src-elem 'unsafe-inline'"),
        { values: { directive: "script-src-elem" } },
      ],
      [
        "event handlers are let through",
        csp("script-src 'nonce-abc'; script-src-attr 'unsafe-inline'"),
        { values: { directive: "script-src-attr" } },
      ],
      [
        "in every policy",
        csp("default-src 'unsafe-inline', script-src 'unsafe-inline'"),
        { values: { directive: "default-src, script-src" } },
      ],
      ["the first of a repeated directive counts", csp("script-src 'unsafe-inline'; script-src 'self'")],
      ["a nonce without a value is none", csp("script-src 'unsafe-inline' 'nonce-'")],
      ["only in a meta element", { dom: { metas: [meta("script-src 'unsafe-inline'")] } }],
      ["sandbox is ignored in a meta element", { dom: { metas: [meta("sandbox; script-src 'unsafe-inline'")] } }],
      ["the sandbox lets scripts run", csp("sandbox allow-scripts; script-src 'unsafe-inline'")],
    ],
    "security.csp.script-inline-unrestricted": [
      ["nothing about scripts", csp("frame-ancestors 'none'"), { values: { directives: "frame-ancestors" } }],
      ["the attributes are ruled, the elements are not", csp("script-src-attr 'none'")],
      ["the elements are ruled, the attributes are not", csp("script-src-elem 'self'")],
    ],
  },
});
