/** What an https page may load unencrypted must be let in by every policy. */
import check from "../../../checks/csp-insecure-sources.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

testCheck(check, {
  passed: [
    ["https: only", csp("default-src https: wss: data:")],
    ["hosts without a scheme", csp("script-src 'self' cdn.example")],
    ["a wildcard names no scheme", csp("img-src *")],
    ["the other policy keeps it out", csp("default-src http: https:", "default-src https:")],
    ["the other policy of the field keeps it out", csp("img-src http:, default-src 'self'")],
    ["a meta element keeps it out", { ...csp("img-src http:"), dom: { metas: [meta("img-src 'self'")] } }],
    ["requests are upgraded", csp("default-src http://cdn.example; upgrade-insecure-requests")],
    ["old browsers want http: beside 'strict-dynamic'", csp("script-src 'nonce-cmFuZG9tMQ' 'strict-dynamic' https: http:")],
    ["reports are no source", csp("default-src 'self'; report-uri http://reports.example/")],
  ],
  notApplicable: [
    ["no policy", {}],
    ["a page over http", { ...csp("default-src http:"), url: "http://site.example/" }],
  ],
  notChecked: [
    ["the document may hold a policy that names such a source", { ...csp("img-src https:"), dom: "crashed" }],
    ["no header, and the document could not be read", { dom: "timeout" }],
    ["the document may hold a policy that keeps it out", { ...csp("img-src http:"), dom: "crashed" }],
  ],
  violated: {
    "security.csp.insecure-sources": [
      ["http:", csp("default-src 'self' http:"), { values: { directive: "default-src", sources: "http:" } }],
      ["a host over http", csp("img-src http://Images.example"), { values: { directive: "img-src", sources: "http://Images.example" } }],
      ["web sockets", csp("connect-src ws: wss:"), { values: { sources: "ws:" } }],
      ["ftp", csp("form-action ftp://files.example"), { values: { directive: "form-action", sources: "ftp://files.example" } }],
      [
        "several directives",
        csp("script-src http://a.example; img-src http:"),
        { values: { directive: "img-src, script-src", sources: "http:, http://a.example" } },
      ],
      ["the other policy says nothing on the matter", csp("img-src http:", "script-src 'self'")],
      ["the other policy lets any scheme in", csp("img-src http:", "default-src *")],
      ["who frames the page is no request of its own", csp("frame-ancestors http://a.example; upgrade-insecure-requests")],
      ["'strict-dynamic' is about scripts only", csp("default-src 'nonce-cmFuZG9tMQ' 'strict-dynamic' http:")],
    ],
  },
});
