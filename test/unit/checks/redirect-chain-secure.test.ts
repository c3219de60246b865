/** No redirect may lead from https to http in either chain, and at most ten are allowed. */
import check from "../../../checks/redirect-chain-secure.ts";
import type { Hop } from "../../../src/evidence/http-facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { answer } from "../../support/evidence.ts";

const hop = (url: string, internal = false): Hop => ({ ...answer({ url, status: 301 }), internal });
const redirect = (url: string, location: string) => answer({ url, status: 301, headers: { location } });
const quiet = { outcome: "refused", answers: [], stoppedBecause: null } as const;
const hops = (count: number) => Array.from({ length: count }, (_, at) => hop(`https://site.example/${at}`));

testCheck(check, {
  passed: [
    ["http to https", {}],
    ["https to https", { navigation: { hops: [hop("https://site.example/")], finalUrl: "https://www.site.example/" }, plainHttp: quiet }],
    [
      "http to http to https",
      {
        url: "http://site.example/",
        navigation: { hops: [hop("http://site.example/"), hop("http://www.site.example/")], finalUrl: "https://www.site.example/" },
      },
    ],
    ["ten redirects", { navigation: { hops: hops(10) } }],
    ["the URL has an explicit port", { navigation: { hops: hops(1) }, plainHttp: { ...quiet, outcome: "custom-port" } }],
  ],
  notApplicable: [
    ["no redirect", { plainHttp: quiet }],
    ["port 80 serves the page itself", { plainHttp: { answers: [answer({ url: "http://site.example/" })] } }],
    ["only an internal upgrade of the browser", { navigation: { hops: [hop("http://site.example/", true)] }, plainHttp: quiet }],
  ],
  notChecked: [
    ["the chain from port 80 was not read", { plainHttp: "timeout" }],
    [
      "the chain was interrupted",
      { plainHttp: { stoppedBecause: "connection-failed", answers: [redirect("http://site.example/", "https://site.example/")] } },
    ],
    [
      "the chain led to an invalid URL",
      { plainHttp: { stoppedBecause: "bad-location", answers: [redirect("http://site.example/", "http://[")] } },
    ],
  ],
  violated: {
    "security.transport.redirect-downgrade": [
      [
        "in the browser's chain",
        { navigation: { hops: [hop("https://site.example/"), hop("http://site.example/login")], finalUrl: "https://site.example/login" } },
        { values: { from: "https://site.example/", to: "http://site.example/login" } },
      ],
      [
        "as the last step",
        { navigation: { hops: [hop("https://site.example/")], finalUrl: "http://site.example/" }, plainHttp: "timeout" },
      ],
      [
        "hidden by the browser's own upgrade",
        { navigation: { hops: [hop("https://site.example/"), hop("http://other.example/", true)], finalUrl: "https://other.example/" } },
        { values: { to: "http://other.example/" } },
      ],
      [
        "in the chain from port 80",
        {
          plainHttp: {
            answers: [
              redirect("http://site.example/", "https://site.example/"),
              redirect("https://site.example/", "http://site.example/x"),
              answer({ url: "http://site.example/x" }),
            ],
          },
        },
        { values: { to: "http://site.example/x" } },
      ],
      [
        "in the last answer that was not followed",
        {
          plainHttp: {
            stoppedBecause: "connection-failed",
            answers: [redirect("http://site.example/", "https://site.example/"), redirect("https://site.example/", "http://gone.example/")],
          },
        },
        { values: { from: "https://site.example/", to: "http://gone.example/" } },
      ],
    ],
    "security.transport.redirect-chain-too-long": [
      ["eleven redirects", { navigation: { hops: hops(11) } }, { values: { count: 11 } }],
      [
        "an endless chain from port 80",
        {
          plainHttp: { stoppedBecause: "too-many-hops", answers: Array.from({ length: 20 }, () => redirect("http://site.example/", "/")) },
        },
        { values: { count: 20 } },
      ],
    ],
  },
});
