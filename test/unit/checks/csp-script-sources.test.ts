/** Some policy must exclude each unsafe source, because scripts must pass all policies. */
import check from "../../../checks/csp-script-sources.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["'self' and a host", csp("script-src 'self' https://cdn.example")],
    ["by the fallback default-src", csp("default-src 'self'; img-src *")],
    ["a wildcard below a domain", csp("script-src *.cdn.example.com https://*.example.com")],
    ["'strict-dynamic' disables wide sources", csp("script-src 'nonce-cmFuZG9t' 'strict-dynamic' https: http: *")],
    ["a second policy restricts the first", csp("script-src *", "script-src 'self'")],
    ["a meta element restricts the header", { ...csp("script-src https:"), dom: { metas: [meta("default-src 'self'")] } }],
    ["each policy excludes the unsafe sources of the other", csp("script-src 'self' data:, script-src 'self' blob:")],
    ["script-src-elem overrides script-src", csp("script-src *; script-src-elem 'self'")],
    ["unread policies can only forbid more", { ...csp("script-src 'self'"), dom: "crashed" }],
    ["a top-level domain of a private network", csp("script-src *.corp")],
    ["one customer's host below a private suffix", csp("script-src 'self' https://acme.vercel.app https://*.acme.vercel.app")],
    ["one package of a host of packages", csp("script-src https://cdn.jsdelivr.net/npm/vue@3/ https://unpkg.com/vue@3.5.13/dist/vue.js")],
    ["one publisher's files", csp("script-src https://raw.githubusercontent.com/acme/ https://storage.googleapis.com/acme-files/")],
    [
      "hosts of one owner that look alike",
      csp("script-src https://ajax.googleapis.com https://*.unpkg.example https://acme.s3.amazonaws.com"),
    ],
    ["an open host on another port or by another protocol", csp("script-src https://unpkg.com:8443 wss://unpkg.com")],
    ["the sandbox blocks scripts", csp("sandbox; img-src *")],
    ["wide sources for other content", csp("default-src *; script-src 'self'")],
  ],
  notApplicable: [
    ["no policy", {}],
    ["a policy that restricts nothing", csp("report-to g")],
    ["no directive for scripts", csp("frame-ancestors 'none'")],
    ["no directive for script elements", csp("script-src-attr 'none'", "img-src 'self'")],
  ],
  notChecked: [
    ["no header, and an unread document", { dom: "timeout" }],
    ["the unread document may have a policy", { ...csp("script-src *"), dom: "timeout" }],
    ["a cut meta element may forbid it", { ...csp("img-src *"), dom: { metas: [meta("script-src 'self'; x", true)] } }],
  ],
  violated: {
    "security.csp.script-any-host": [
      ["a wildcard", csp("script-src *"), { values: { directive: "script-src", sources: "*" } }],
      ["schemes", csp("default-src 'self' https: http:"), { values: { directive: "default-src", sources: "https:, http:" } }],
      ["a wildcard with a scheme", csp("script-src https://*:443")],
      ["a bare top-level domain", csp("script-src *.com https://*.co.uk"), { values: { sources: "*.com, https://*.co.uk" } }],
      [
        "a wildcard at a private suffix",
        csp("default-src 'none'; script-src 'self' https://*.vercel.app; base-uri 'none'"),
        { values: { directive: "script-src", sources: "https://*.vercel.app" } },
      ],
      ["a suffix below another, by a rule with a wildcard", csp("script-src *.eu-central-1.compute.amazonaws.com")],
      ["all regions of a rule with a wildcard", csp("script-src *.compute.amazonaws.com")],
      ["an absolute name", csp("script-src *.GITHUB.io.")],
      ["a domain of which one child is open", csp("script-src https://*.amazonaws.com https://*.jsdelivr.net")],
      ["a host of packages", csp("script-src 'self' https://unpkg.com"), { values: { sources: "https://unpkg.com" } }],
      ["its folder of all packages", csp("script-src https://cdn.jsdelivr.net/npm/ https://esm.sh/")],
      [
        "a host of raw files, in default-src",
        csp("default-src 'self' raw.githubusercontent.com"),
        { values: { directive: "default-src" } },
      ],
      ["snippets", csp("script-src gist.github.com gist.githubusercontent.com")],
      ["buckets by path", csp("script-src https://s3.eu-west-1.amazonaws.com http://storage.googleapis.com:80")],
      ["a nonce alone does not disable them", csp("script-src 'nonce-cmFuZG9t' https:")],
      ["one policy has no directive, the other is too wide", csp("img-src 'self'", "script-src *")],
      [
        "different unsafe sources in each policy",
        csp("default-src https:", "script-src *"),
        { values: { directive: "default-src, script-src", sources: "https:, *" } },
      ],
      ["'none' beside another source is ignored", csp("script-src 'none' *")],
    ],
    "security.csp.script-data-urls": [
      ["data:", csp("script-src 'self' DATA:"), { values: { sources: "DATA:" } }],
      ["also any host", csp("script-src data: *"), { also: ["security.csp.script-any-host"] }],
    ],
    "security.csp.script-blob-urls": [["blob:", csp("script-src 'self' blob:"), { values: { sources: "blob:" } }]],
  },
});
