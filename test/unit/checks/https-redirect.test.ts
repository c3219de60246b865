/** Port 80 must lead to https on the same host at once, and our own client's answer is the proof. */
import check from "../../../checks/https-redirect.ts";
import { testCheck } from "../../support/check-tester.ts";
import { answer, type EvidenceGiven } from "../../support/evidence.ts";

const plain = "http://site.example/";

function answered(status: number, location?: string): EvidenceGiven {
  return { plainHttp: { answers: [answer({ url: plain, status, headers: location === undefined ? {} : { location } })] } };
}

testCheck(check, {
  passed: [
    ["a permanent redirect", answered(301, "https://site.example/")],
    ["a temporary one to another path", answered(307, "https://SITE.example/start")],
    ["the port spelled out", answered(308, "https://site.example:443/x?y")],
    ["nothing listens on port 80, so nothing is served in plain text", { plainHttp: { outcome: "refused", answers: [] } }],
    ["the browser saw no redirect because it upgraded by itself", { navigation: { hops: [] } }],
  ],
  notApplicable: [
    ["the scanned URL has a port of its own", { url: "https://site.example:8443/", plainHttp: { outcome: "custom-port", answers: [] } }],
  ],
  notChecked: [
    ["port 80 did not answer in time", { plainHttp: "timeout" }],
    ["port 80 cannot be reached", { plainHttp: "unreachable" }],
    ["the server is in trouble", answered(503)],
    ["we were turned away", answered(429)],
    ["no answer was kept", { plainHttp: { answers: [] } }],
  ],
  violated: {
    "security.transport.no-https-redirect": [
      ["the page itself", answered(200), { values: { plainUrl: plain, status: 200 } }],
      ["a refusal in plain text", answered(403)],
      ["a redirect without a target", answered(301)],
      ["a redirect to nowhere", answered(301, "http://[")],
      ["a location that no browser follows", answered(200, "https://site.example/")],
      ["an empty browser chain proves nothing either way", { navigation: { hops: [] }, ...answered(200) }],
    ],
    "security.transport.redirect-to-http": [
      ["a path of its own", answered(302, "/start"), { values: { target: "http://site.example/start" } }],
      ["www first", answered(301, "http://www.site.example/")],
      ["a target without a scheme, which keeps http", answered(301, "//site.example/")],
    ],
    "security.transport.redirect-to-other-host": [
      ["www at once", answered(301, "https://www.site.example/"), { values: { target: "https://www.site.example/" } }],
      ["another site", answered(301, "https://other.example/")],
    ],
  },
});
