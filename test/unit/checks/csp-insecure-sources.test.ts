/** Unencrypted content of an https page must be allowed by every policy. */
import check from "../../../checks/csp-insecure-sources.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["https: only", csp("default-src https: wss: data:")],
    ["hosts without a scheme", csp("script-src 'self' cdn.example")],
    ["a wildcard without a scheme", csp("img-src *")],
    ["the other policy excludes it", csp("default-src http: https:", "default-src https:")],
    ["the other policy of the field excludes it", csp("img-src http:, default-src 'self'")],
    ["a meta element excludes it", { ...csp("img-src http:"), dom: { metas: [meta("img-src 'self'")] } }],
    ["requests are upgraded", csp("default-src http://cdn.example; upgrade-insecure-requests")],
    ["http: beside 'strict-dynamic', for old browsers", csp("script-src 'nonce-cmFuZG9tMQ' 'strict-dynamic' https: http:")],
    ["report URIs are not sources", csp("default-src 'self'; report-uri http://reports.example/")],
  ],
  notApplicable: [
    ["no policy", {}],
    ["a page over http", { ...csp("default-src http:"), url: "http://site.example/" }],
  ],
  notChecked: [
    ["the unread document may have a policy with insecure sources", { ...csp("img-src https:"), dom: "crashed" }],
    ["no header, and an unread document", { dom: "timeout" }],
    ["the unread document may have a policy that excludes it", { ...csp("img-src http:"), dom: "crashed" }],
  ],
  violated: {
    "security.csp.insecure-sources": [
      ["http:", csp("default-src 'self' http:"), { values: { directive: "default-src", sources: "http:" } }],
      ["a host over http", csp("img-src http://Images.example"), { values: { directive: "img-src", sources: "http://Images.example" } }],
      ["web sockets", csp("connect-src ws: wss:"), { values: { sources: "ws:" } }],
      ["ftp", csp("img-src *; form-action ftp://files.example"), { values: { directive: "form-action", sources: "ftp://files.example" } }],
      [
        "several directives",
        csp("script-src http://a.example; img-src http:"),
        { values: { directive: "img-src, script-src", sources: "http:, http://a.example" } },
      ],
      ["the other policy does not restrict it", csp("img-src http:", "script-src 'self'")],
      ["the other policy allows any scheme", csp("img-src http:", "default-src *")],
      ["frame-ancestors is not upgraded", csp("img-src *; frame-ancestors http://a.example; upgrade-insecure-requests")],
      ["'strict-dynamic' applies to scripts only", csp("default-src 'nonce-cmFuZG9tMQ' 'strict-dynamic' http:")],
    ],
  },
});
