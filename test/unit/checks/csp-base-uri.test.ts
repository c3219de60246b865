/** With nonces, an injected base element must not change script URLs. */
import check from "../../../checks/csp-base-uri.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

const nonce = "script-src 'nonce-cmFuZG9tMQ'";

testCheck(check, {
  passed: [
    ["'none'", csp(`${nonce}; base-uri 'none'`)],
    ["'self'", csp(`${nonce}; base-uri 'self'`)],
    ["without a source", csp(`${nonce}; base-uri`)],
    ["a host", csp(`${nonce}; base-uri https://static.site.example`)],
    ["one package of a host of packages", csp(`${nonce}; base-uri https://unpkg.com/acme@1/`)],
    ["in the other policy", csp(nonce, "base-uri 'none'")],
    ["one of two policies restricts it", csp(`${nonce}; base-uri *`, "base-uri 'self'")],
    ["in a meta element", { ...csp(nonce), dom: { metas: [meta("base-uri 'none'")] } }],
    ["the other policy restricts script URLs", csp(nonce, "script-src 'self' https://cdn.example")],
    ["the sandbox blocks scripts", csp(`sandbox; ${nonce}`)],
    ["unread policies can only forbid more", { ...csp(`${nonce}; base-uri 'none'`), dom: "crashed" }],
  ],
  notApplicable: [
    ["no policy", {}],
    ["neither nonce nor hash", csp("script-src 'self'; base-uri 'none'")],
    ["only hashes, which identify the content", csp("script-src 'sha256-q83v'")],
    ["a nonce for styles", csp("script-src 'self'; style-src 'nonce-cmFuZG9tMQ'")],
    ["no directive for scripts", csp("img-src 'self'")],
  ],
  notChecked: [
    ["no header, and an unread document", { dom: "timeout" }],
    ["the unread document may have a policy that restricts it", { ...csp(nonce), dom: "crashed" }],
    ["the unread document may have a policy with a nonce", { ...csp("script-src 'self'"), dom: "crashed" }],
  ],
  violated: {
    "security.csp.base-uri-missing": [
      ["a nonce", csp(`${nonce}; object-src 'none'`), { values: { directives: "script-src, object-src" } }],
      ["a nonce in default-src, which is no fallback for base-uri", csp("default-src 'nonce-cmFuZG9tMQ'")],
      ["a hash and 'strict-dynamic'", csp("script-src 'sha256-q83v' 'strict-dynamic'")],
      ["nonces in both policies", csp(`${nonce}, script-src 'nonce-cmFuZG9tMQ' 'strict-dynamic'`)],
      ["the other policy allows any host", csp(nonce, "script-src https:")],
      ["only in a meta element", { dom: { metas: [meta(nonce)] } }],
    ],
    "security.csp.base-uri-any-host": [
      ["*", csp(`${nonce}; base-uri *`), { values: { sources: "*" } }],
      ["https:", csp(`${nonce}; base-uri 'self' https:`), { values: { sources: "'self' https:" } }],
      ["a bare top-level domain", csp(`${nonce}; base-uri *.com`)],
      ["a wildcard at a private suffix", csp(`${nonce}; base-uri *.netlify.app`)],
      ["a host of packages", csp(`${nonce}; base-uri https://unpkg.com`)],
    ],
  },
});
