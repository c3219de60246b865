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
