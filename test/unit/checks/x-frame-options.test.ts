/** Sites that may frame the page, by X-Frame-Options and several policies. */
import check from "../../../checks/x-frame-options.ts";
import { testCheck } from "../../support/check-tester.ts";

const framed = (options: string | readonly string[] | null, ...policies: string[]) => ({
  headers: { ...(options === null ? {} : { "x-frame-options": options }), "content-security-policy": policies },
});
const cutCsp = { name: "content-security-policy", value: "default-src 'self'; frame-ancestors 'no", truncated: true };
const cutAfter = (value: string) => ({ name: "content-security-policy", value, truncated: true });
const withFields = (...fields: readonly { name: string; value: string; truncated: boolean }[]) => ({ page: { headers: fields } });
const field = (name: string, value: string) => ({ name, value, truncated: false });

testCheck(check, {
  passed: [
    ["DENY", framed("DENY")],
    ["SAMEORIGIN in any letter case", framed("sameOrigin")],
    ["the same value twice", framed(["SAMEORIGIN", "SAMEORIGIN"])],
    ["conflicting values: browsers block every frame", framed(["SAMEORIGIN", "DENY"])],
    ["frame-ancestors 'none'", framed(null, "frame-ancestors 'none'")],
    ["frame-ancestors without a source means 'none'", framed(null, "frame-ancestors")],
    ["frame-ancestors 'self' and a partner", framed(null, "default-src *; frame-ancestors 'self' https://*.partner.example")],
    ["hosts of packages serve no pages", framed(null, "frame-ancestors https://unpkg.com https://acme.github.io")],
    ["frame-ancestors overrides ALLOW-FROM", framed("ALLOW-FROM https://a.example", "frame-ancestors https://a.example")],
    ["one of two policies is sufficient", framed(null, "frame-ancestors *", "frame-ancestors 'self'")],
    ["one of two policies in one field is sufficient", framed(null, "frame-ancestors *, frame-ancestors 'self'")],
    ["a policy without frame-ancestors does not override DENY", framed("DENY", "default-src 'self'")],
    [
      "a report-only policy does not override DENY",
      { headers: { "x-frame-options": "DENY", "content-security-policy-report-only": "frame-ancestors *" } },
    ],
    ["a complete frame-ancestors in a cut policy", withFields(cutAfter("frame-ancestors 'self'; default-src 'self'; img-"))],
    ["a complete policy in a cut field", withFields(cutAfter("frame-ancestors 'none', default-src"))],
    ["a cut policy beside DENY", withFields(cutCsp, field("x-frame-options", "DENY"))],
    ["a cut policy beside one that protects", withFields(cutCsp, field("Content-Security-Policy", "frame-ancestors 'none'"))],
  ],
  notApplicable: [["not HTML", { page: { mediaType: "application/pdf" } }]],
  notChecked: [
    ["a cut policy and no X-Frame-Options", withFields(cutCsp)],
    ["a cut policy whose complete frame-ancestors lets any host in", withFields(cutAfter("frame-ancestors *; default-src"))],
    [
      "such a policy beside DENY, which browsers then ignore",
      withFields(cutAfter("frame-ancestors *; default-src"), field("x-frame-options", "DENY")),
    ],
    ["a cut policy and ALLOW-FROM", withFields(cutCsp, field("x-frame-options", "ALLOW-FROM https://a.example"))],
    ["headers were dropped", { page: { headersDropped: 3 } }],
    ["ALLOWALL, and headers were dropped", { page: { headers: [field("x-frame-options", "ALLOWALL")], headersDropped: 3 } }],
  ],
  violated: {
    "security.missing-header.x-frame-options": [
      ["neither header", {}],
      ["a policy without frame-ancestors", framed(null, "default-src 'none'")],
      ["only a report-only policy", { headers: { "content-security-policy-report-only": "frame-ancestors 'none'" } }],
      [
        "frame-ancestors in a meta element has no effect",
        {
          dom: { metas: [{ httpEquiv: "content-security-policy", name: null, content: "frame-ancestors 'none'", truncated: false }] },
        },
      ],
    ],
    "security.invalid-header.x-frame-options": [
      ["ALLOW-FROM", framed("ALLOW-FROM https://a.example"), { values: { value: "ALLOW-FROM https://a.example" } }],
      ["ALLOWALL", framed("ALLOWALL")],
      ["quotes", framed('"DENY"')],
      ["a semicolon", framed("DENY;")],
      ["several unknown words", framed(["junk", "rubbish"]), { values: { value: "junk, rubbish" } }],
      ["an empty value", framed("")],
    ],
    "security.csp.frame-ancestors-any-host": [
      ["*", framed(null, "frame-ancestors *"), { values: { sources: "*" } }],
      ["https:", framed(null, "frame-ancestors 'self' https:"), { values: { sources: "'self' https:" } }],
      ["http:", framed(null, "frame-ancestors http:")],
      ["https://*", framed(null, "frame-ancestors https://*")],
      ["*.com", framed(null, "frame-ancestors *.com")],
      [
        "a wildcard at a private suffix",
        framed(null, "frame-ancestors https://*.github.io"),
        { values: { sources: "https://*.github.io" } },
      ],
      ["a host of pages from repositories", framed(null, "frame-ancestors https://raw.githack.com")],
      ["a host of buckets", framed(null, "frame-ancestors 'self' https://storage.googleapis.com")],
      ["frame-ancestors overrides DENY", framed("DENY", "frame-ancestors *")],
    ],
  },
});
