/** Mistakes that browsers ignore silently, and ineffective nonces. */
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
      "all kinds of sources",
      csp("default-src 'self' https: *.site.example:*/a/ wss://a.example data: 'sha384-q83v' 'report-sample'; img-src *"),
    ],
    [
      "directives of other kinds",
      csp(
        "sandbox; report-to csp; report-uri https://r.example/?a=b; trusted-types a b 'allow-duplicates'; require-trusted-types-for 'script'",
      ),
    ],
    ["directives that browsers removed are valid", csp("default-src 'self'; block-all-mixed-content; plugin-types application/pdf")],
    ["upper case", csp("DEFAULT-SRC 'SELF'; Upgrade-Insecure-Requests;")],
    ["the same directive in two policies", csp("default-src 'self', default-src 'self'")],
    ["'none' with 'report-sample'", csp("script-src 'none' 'report-sample'")],
    ["a new nonce on the second load", { ...csp(policy), ...again("script-src 'nonce-YW5vdGhlcg'") }],
    ["the second load was not read", { ...csp(policy), crossOrigin: "timeout" }],
    ["the second load was cut inside a nonce", { ...csp(policy), ...again("img-src 'self'; script-src 'nonce-cmFuZG9tMQ'", true) }],
    ["8 characters", csp("script-src 'nonce-12345678'")],
    ["in a meta element", { dom: { metas: [meta("default-src 'self'")] } }],
  ],
  notApplicable: [
    ["no policy", {}],
    ["an empty header", csp(" ; ,")],
    ["report-only", { headers: { "content-security-policy-report-only": "default-source 'self'" } }],
  ],
  notChecked: [
    ["no header, and an unread document", { dom: "timeout" }],
    ["the unread document may have a policy with faults", { ...csp("default-src 'self'"), dom: "crashed" }],
    ["the cut rest of a meta element may have faults", { dom: { metas: [meta("default-src 'self'; scri", true)] } }],
    ["dropped meta elements may have faults", { ...csp("default-src 'self'"), dom: { metasDropped: 1 } }],
  ],
  violated: {
    "security.csp.unknown-directive": [["no similar directive", csp("default-src 'self'; x-y *"), { values: { directive: "x-y" } }]],
    "security.csp.misspelt-directive": [
      ["one wrong letter", csp("scrip-src 'self'"), { values: { directive: "scrip-src", suggestion: "script-src" } }],
      ["a missing word", csp("Default-Source 'self'"), { values: { directive: "default-source", suggestion: "default-src" } }],
      ["a colon", csp("script-src: 'self'"), { values: { suggestion: "script-src" } }],
      ["letters that look alike", csp("script-sr\u0441 'self'"), { values: { suggestion: "script-src" } }],
      ["with an unread document", { ...csp("scrip-src 'self'"), dom: "crashed" }],
      ["before the cut in a meta element", { dom: { metas: [meta("scrip-src 'self'; img-s", true)] } }],
    ],
    "security.csp.duplicate-directive": [
      ["in another letter case", csp("img-src a.example; IMG-SRC b.example"), { values: { directives: "img-src" } }],
    ],
    "security.csp.missing-semicolon": [
      [
        "between two directives",
        csp("default-src 'none' Script-Src 'self'"),
        { values: { directive: "default-src", swallowed: "script-src" } },
      ],
      ["after a directive without sources", csp("upgrade-insecure-requests default-src 'self'")],
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
      ["a keyword where only hosts are valid", csp("frame-ancestors 'unsafe-inline'")],
    ],
    "security.csp.short-nonce": [
      ["7 characters", csp("script-src 'nonce-1234567'"), { values: { directive: "script-src", sources: "'nonce-1234567'" } }],
    ],
    "security.csp.static-nonce": [
      ["two loads", { ...csp(policy), ...again(policy) }, { values: { nonces: "cmFuZG9tMQ" } }],
      ["in the kept part of the second load", { ...csp(policy), ...again(`${policy} https://a.exam`, true) }],
      ["with an unread document", { ...csp(policy), ...again(policy), dom: "crashed" }],
    ],
  },
});
