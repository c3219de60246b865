/** Text becomes code only where every policy lets it. */
import check from "../../../checks/csp-script-eval.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["script-src without the keyword", csp("script-src 'self' 'unsafe-inline'")],
    ["by falling back to default-src", csp("default-src 'self'")],
    ["WebAssembly is another matter", csp("script-src 'self' 'wasm-unsafe-eval'")],
    ["one of two policies stops it", csp("script-src 'unsafe-eval'", "script-src 'self'")],
    ["a policy of a field stops it", csp("script-src 'unsafe-eval', default-src 'self'")],
    ["the meta element stops it", { ...csp("script-src 'unsafe-eval'"), dom: { metas: [meta("script-src 'self'")] } }],
    ["script-src overrides default-src", csp("default-src 'unsafe-eval'; script-src 'self'")],
    ["script-src-elem has no say in it", csp("script-src 'self'; script-src-elem 'unsafe-eval'")],
    ["the sandbox lets no script run", csp("sandbox; script-src 'unsafe-eval'")],
    ["without quotes it is a host", csp("script-src unsafe-eval")],
    ["what could not be read can only forbid more", { ...csp("script-src 'self'"), dom: "crashed" }],
  ],
  notApplicable: [
    ["no policy", {}],
    ["report-only", { headers: { "content-security-policy-report-only": "script-src 'unsafe-eval'" } }],
  ],
  notChecked: [
    ["no header, and the document could not be read", { dom: "timeout" }],
    [
      "a meta element that was cut may stop it",
      { ...csp("script-src 'unsafe-eval'"), dom: { metas: [meta("script-src 'self'; x", true)] } },
    ],
  ],
  violated: {
    "security.csp.script-unsafe-eval": [
      ["in script-src", csp("script-src 'self' 'UNSAFE-EVAL'"), { values: { directive: "script-src" } }],
      ["by falling back to default-src", csp("default-src 'self' 'unsafe-eval'"), { values: { directive: "default-src" } }],
      ["beside a nonce and 'strict-dynamic'", csp("script-src 'nonce-cmFuZG9t' 'strict-dynamic' 'unsafe-eval'")],
      ["in every policy", csp("script-src 'unsafe-eval', default-src 'unsafe-eval'"), { values: { directive: "script-src, default-src" } }],
      ["the other policy says nothing of scripts", csp("script-src 'unsafe-eval'", "frame-ancestors 'none'")],
      ["sandbox is ignored in a meta element", { dom: { metas: [meta("sandbox; script-src 'unsafe-eval'")] } }],
    ],
    "security.csp.script-eval-unrestricted": [
      ["nothing about scripts", csp("img-src 'self'; object-src 'none'"), { values: { directives: "img-src, object-src" } }],
      ["only about script elements", csp("script-src-elem 'self'")],
    ],
  },
});
