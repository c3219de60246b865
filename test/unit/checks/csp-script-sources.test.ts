/** Some policy must keep each open place out; a script has to pass them all. */
import check from "../../../checks/csp-script-sources.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["'self' and a host", csp("script-src 'self' https://cdn.example")],
    ["by falling back to default-src", csp("default-src 'self'; img-src *")],
    ["a wildcard below a domain", csp("script-src *.cdn.example.com https://*.example.com")],
    ["'strict-dynamic' makes the wide sources idle", csp("script-src 'nonce-cmFuZG9t' 'strict-dynamic' https: http: *")],
    ["a second policy confines the first", csp("script-src *", "script-src 'self'")],
    ["a meta element confines the header", { ...csp("script-src https:"), dom: { metas: [meta("default-src 'self'")] } }],
    ["what one lets in, the other keeps out", csp("script-src 'self' data:, script-src 'self' blob:")],
    ["script-src-elem overrides script-src", csp("script-src *; script-src-elem 'self'")],
    ["what could not be read can only forbid more", { ...csp("script-src 'self'"), dom: "crashed" }],
    ["a top-level domain of one's own network", csp("script-src *.corp")],
    ["the sandbox lets no script run", csp("sandbox; img-src *")],
    ["wide for everything else", csp("default-src *; script-src 'self'")],
  ],
  notApplicable: [
    ["no policy", {}],
    ["a policy that restricts nothing", csp("report-to g")],
  ],
  notChecked: [
    ["no header, and the document could not be read", { dom: "timeout" }],
    ["the document could not be read and may hold a policy", { ...csp("script-src *"), dom: "timeout" }],
    ["a meta element that was cut may forbid it", { ...csp("img-src *"), dom: { metas: [meta("script-src 'self'; x", true)] } }],
  ],
  violated: {
    "security.csp.script-src-missing": [
      ["nothing about scripts", csp("frame-ancestors 'none'")],
      [
        "nothing about script elements",
        csp("script-src-attr 'none'", "img-src 'self'"),
        { values: { directives: "script-src-attr, img-src" } },
      ],
    ],
    "security.csp.script-any-host": [
      ["a wildcard", csp("script-src *"), { values: { directive: "script-src", sources: "*" } }],
      ["schemes", csp("default-src 'self' https: http:"), { values: { directive: "default-src", sources: "https:, http:" } }],
      ["a wildcard with a scheme", csp("script-src https://*:443")],
      ["a bare top-level domain", csp("script-src *.com https://*.co.uk"), { values: { sources: "*.com, https://*.co.uk" } }],
      ["a nonce alone does not make them idle", csp("script-src 'nonce-cmFuZG9t' https:")],
      ["one policy says nothing, the other too much", csp("img-src 'self'", "script-src *")],
      [
        "each policy in its own way",
        csp("default-src https:", "script-src *"),
        { values: { directive: "default-src, script-src", sources: "https:, *" } },
      ],
      ["'none' beside another source means nothing", csp("script-src 'none' *")],
    ],
    "security.csp.script-data-urls": [
      ["data:", csp("script-src 'self' DATA:"), { values: { sources: "DATA:" } }],
      ["and any host", csp("script-src data: *"), { also: ["security.csp.script-any-host"] }],
    ],
    "security.csp.script-blob-urls": [["blob:", csp("script-src 'self' blob:"), { values: { sources: "blob:" } }]],
  },
});
