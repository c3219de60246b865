/** The final page must use https. */
import check from "../../../checks/https-available.ts";
import { testCheck } from "../../support/check-tester.ts";

testCheck(check, {
  passed: [
    ["an https page", {}],
    ["http that redirects to https", { url: "http://site.example/", navigation: { finalUrl: "https://site.example/" } }],
    ["https on another port", { url: "https://site.example:8443/" }],
    ["https with an untrusted certificate, which another check reports", { tls: { trusted: false } }],
    ["the TLS reading failed", { tls: "tls" }],
  ],
  notApplicable: [],
  notChecked: [["no answer", { navigation: "timeout", page: "timeout" }]],
  violated: {
    "security.transport.no-https": [
      ["an http page", { url: "http://site.example/" }, { values: { finalUrl: "http://site.example/" } }],
      [
        "https that redirects to http",
        { navigation: { finalUrl: "http://site.example/start" } },
        { values: { finalUrl: "http://site.example/start" } },
      ],
    ],
  },
});
