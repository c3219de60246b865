/** Slips that browsers pass over in silence, and nonces that are none. */
import check from "../../../checks/csp-syntax.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

const policy = "script-src 'nonce-cmFuZG9tMQ'";
const again = (value: string, truncated = false) => ({ crossOrigin: { headers: [{ name: "Content-Security-Policy", value, truncated }] } });

testCheck(check, {
  passed: [
    ["a strict policy", csp("script-src 'nonce-cmFuZG9tMQ' 'strict-dynamic' https: 'unsafe-inline'; object-src 'none'; base-uri 'none'")],
    [
      "every kind of source",
      csp("default-src 'self' https: *.site.example:*/a/ wss://a.example data: 'sha384-q83v' 'report-sample'; img-src *"),
    ],
    [
      "directives of other kinds",
      csp(
        "sandbox allow-scripts; report-to csp; report-uri https://r.example/?a=b; trusted-types a b 'allow-duplicates'; require-trusted-types-for 'script'",
      ),
    ],
    ["what browsers have given up is no slip", csp("default-src 'self'; block-all-mixed-content; plugin-types application/pdf")],
    ["upper case", csp("DEFAULT-SRC 'SELF'; Upgrade-Insecure-Requests;")],
    ["the same directive in two policies", csp("default-src 'self', default-src 'self'")],
    ["'none' with 'report-sample'", csp("script-src 'none' 'report-sample'")],
    ["a new nonce on the second load", { ...csp(policy), ...again("script-src 'nonce-YW5vdGhlcg'") }],
    ["the second load was not seen", { ...csp(policy), crossOrigin: "timeout" }],
    [
      "the second load was cut in the middle of a nonce",
      { ...csp(policy), ...again("img-src 'self'; script-src 'nonce-cmFuZG9tMQ'", true) },
    ],
    ["8 characters", csp("script-src 'nonce-12345678'")],
    ["in a meta element", { dom: { metas: [meta("default-src 'self'")] } }],
  ],
  notApplicable: [
    ["no policy", {}],
    ["an empty header", csp(" ; ,")],
    ["report-only", { headers: { "content-security-policy-report-only": "default-source 'self'" } }],
  ],
  notChecked: [
    ["no header, and the document could not be read", { dom: "timeout" }],
    ["the document may hold a policy with slips", { ...csp("default-src 'self'"), dom: "crashed" }],
    ["so may the rest of a meta element that was cut", { dom: { metas: [meta("default-src 'self'; scri", true)] } }],
    ["so may meta elements that were left out", { ...csp("default-src 'self'"), dom: { metasDropped: 1 } }],
  ],
  violated: {
    "security.csp.unknown-directive": [["nothing like it", csp("default-src 'self'; x-y *"), { values: { directive: "x-y" } }]],
    "security.csp.misspelt-directive": [
      ["one letter", csp("scrip-src 'self'"), { values: { directive: "scrip-src", suggestion: "script-src" } }],
      ["a whole word", csp("Default-Source 'self'"), { values: { directive: "default-source", suggestion: "default-src" } }],
      ["a colon", csp("script-src: 'self'"), { values: { suggestion: "script-src" } }],
      ["letters that only look right", csp("script-sr\u0441 'self'"), { values: { suggestion: "script-src" } }],
      ["though the document could not be read", { ...csp("scrip-src 'self'"), dom: "crashed" }],
      ["before the place where a meta element was cut", { dom: { metas: [meta("scrip-src 'self'; img-s", true)] } }],
    ],
    "security.csp.duplicate-directive": [
      ["in another case", csp("img-src a.example; IMG-SRC b.example"), { values: { directives: "img-src" } }],
    ],
    "security.csp.missing-semicolon": [
      [
        "between two directives",
        csp("default-src 'none' Script-Src 'self'"),
        { values: { directive: "default-src", swallowed: "script-src" } },
      ],
      ["behind a directive without sources", csp("upgrade-insecure-requests default-src 'self'")],
      [
        "a comma in a meta element",
        { dom: { metas: [meta("img-src 'self', script-src 'self'")] } },
        { also: ["security.csp.invalid-source"] },
      ],
    ],
    "security.csp.unquoted-keyword": [
      ["self", csp("default-src self"), { values: { directive: "default-src", sources: "self" } }],
      [
        "several",
        csp("script-src UNSAFE-INLINE nonce-cmFuZG9tMQ sha256-q83v="),
        { values: { sources: "UNSAFE-INLINE, nonce-cmFuZG9tMQ, sha256-q83v=" } },
      ],
      ["none", csp("object-src none")],
      ["script", csp("require-trusted-types-for script"), { values: { directive: "require-trusted-types-for", sources: "script" } }],
    ],
    "security.csp.none-beside-sources": [
      ["a host", csp("img-src 'none' https://a.example"), { values: { directive: "img-src", sources: "https://a.example" } }],
    ],
    "security.csp.invalid-source": [
      ["an unknown keyword", csp("script-src 'unsafe-inlin' 'self'"), { values: { directive: "script-src", sources: "'unsafe-inlin'" } }],
      ["half a quote", csp("script-src 'self")],
      ["double quotes", csp('script-src "self"')],
      ["typographic quotes", csp("script-src \u2018self\u2019"), { values: { sources: "\u2018self\u2019" } }],
      ["a wildcard in the middle", csp("img-src a.*.example *example")],
      ["a query", csp("script-src https://a.example/x?y")],
      ["a weak hash", csp("script-src 'sha1-q83v'")],
      ["a nonce without a value", csp("script-src 'nonce-'")],
      ["a keyword where only hosts may stand", csp("frame-ancestors 'unsafe-inline'")],
    ],
    "security.csp.short-nonce": [
      ["7 characters", csp("script-src 'nonce-1234567'"), { values: { directive: "script-src", sources: "'nonce-1234567'" } }],
    ],
    "security.csp.static-nonce": [
      ["two loads", { ...csp(policy), ...again(policy) }, { values: { nonces: "cmFuZG9tMQ" } }],
      ["in the part of the second that was kept", { ...csp(policy), ...again(`${policy} https://a.exam`, true) }],
      ["and the document could not be read", { ...csp(policy), ...again(policy), dom: "crashed" }],
    ],
  },
});
