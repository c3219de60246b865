/** Code from text runs only if every policy allows it. */
import check from "../../../checks/csp-script-eval.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["script-src without the keyword", csp("script-src 'self' 'unsafe-inline'")],
    ["by the fallback default-src", csp("default-src 'self'")],
    ["only WebAssembly is allowed", csp("script-src 'self' 'wasm-unsafe-eval'")],
    ["one of two policies forbids it", csp("script-src 'unsafe-eval'", "script-src 'self'")],
    ["one policy of a field forbids it", csp("script-src 'unsafe-eval', default-src 'self'")],
    ["the meta element forbids it", { ...csp("script-src 'unsafe-eval'"), dom: { metas: [meta("script-src 'self'")] } }],
    ["script-src overrides default-src", csp("default-src 'unsafe-eval'; script-src 'self'")],
    ["script-src-elem does not apply", csp("script-src 'self'; script-src-elem 'unsafe-eval'")],
    ["the sandbox blocks scripts", csp("sandbox; script-src 'unsafe-eval'")],
    ["the keyword without quotes is a host", csp("script-src unsafe-eval")],
    ["unread policies can only forbid more", { ...csp("script-src 'self'"), dom: "crashed" }],
  ],
  notApplicable: [
    ["no policy", {}],
    ["no directive for scripts", csp("img-src 'self'; object-src 'none'")],
    ["report-only", { headers: { "content-security-policy-report-only": "script-src 'unsafe-eval'" } }],
  ],
  notChecked: [
    ["no header, and an unread document", { dom: "timeout" }],
    ["a cut meta element may forbid it", { ...csp("script-src 'unsafe-eval'"), dom: { metas: [meta("script-src 'self'; x", true)] } }],
  ],
  violated: {
    "security.csp.script-unsafe-eval": [
      ["in script-src", csp("script-src 'self' 'UNSAFE-EVAL'"), { values: { directive: "script-src" } }],
      ["by the fallback default-src", csp("default-src 'self' 'unsafe-eval'"), { values: { directive: "default-src" } }],
      ["beside a nonce and 'strict-dynamic'", csp("script-src 'nonce-cmFuZG9t' 'strict-dynamic' 'unsafe-eval'")],
      ["in every policy", csp("script-src 'unsafe-eval', default-src 'unsafe-eval'"), { values: { directive: "script-src, default-src" } }],
      ["the other policy has no directive for scripts", csp("script-src 'unsafe-eval'", "frame-ancestors 'none'")],
      ["sandbox is ignored in a meta element", { dom: { metas: [meta("sandbox; script-src 'unsafe-eval'")] } }],
    ],
    "security.csp.script-eval-unrestricted": [
      ["only about script elements", csp("script-src-elem 'self'; img-src *"), { values: { directives: "script-src-elem, img-src" } }],
    ],
  },
});
