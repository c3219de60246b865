/** The page must end on https. */
import check from "../../../checks/https-available.ts";
import { testCheck } from "../../support/check-tester.ts";

testCheck(check, {
  passed: [
    ["an https page", {}],
    ["http that leads to https", { url: "http://site.example/", navigation: { finalUrl: "https://site.example/" } }],
    ["https on a port of its own", { url: "https://site.example:8443/" }],
    ["https with a certificate that is not trusted: that is booked elsewhere", { tls: { trusted: false } }],
    ["the TLS of the host could not be looked at", { tls: "tls" }],
  ],
  notApplicable: [],
  notChecked: [["nothing came from the network", { navigation: "timeout", page: "timeout" }]],
  violated: {
    "security.transport.no-https": [
      ["an http page", { url: "http://site.example/" }, { values: { finalUrl: "http://site.example/" } }],
      [
        "https that leads to http",
        { navigation: { finalUrl: "http://site.example/start" } },
        { values: { finalUrl: "http://site.example/start" } },
      ],
    ],
  },
});
