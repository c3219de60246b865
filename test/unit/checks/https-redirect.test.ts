/** Port 80 must redirect directly to https on the same host, as seen by the built-in client. */
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
    ["a temporary redirect to another path", answered(307, "https://SITE.example/start")],
    ["an explicit port", answered(308, "https://site.example:443/x?y")],
    ["nothing listens on port 80, so nothing is served in plain text", { plainHttp: { outcome: "refused", answers: [] } }],
    ["the browser upgraded internally and saw no redirect", { navigation: { hops: [] } }],
  ],
  notApplicable: [
    ["the scanned URL has an explicit port", { url: "https://site.example:8443/", plainHttp: { outcome: "custom-port", answers: [] } }],
  ],
  notChecked: [
    ["port 80 did not answer in time", { plainHttp: "timeout" }],
    ["port 80 cannot be reached", { plainHttp: "unreachable" }],
    ["a server error", answered(503)],
    ["a rate limit", answered(429)],
    ["no answer was kept", { plainHttp: { answers: [] } }],
  ],
  violated: {
    "security.transport.no-https-redirect": [
      ["the page itself", answered(200), { values: { plainUrl: plain, status: 200 } }],
      ["an error in plain text", answered(403)],
      ["a redirect without a target", answered(301)],
      ["a redirect to an invalid URL", answered(301, "http://[")],
      ["a location in an unfollowed status", answered(200, "https://site.example/")],
      ["an empty browser chain is not considered", { navigation: { hops: [] }, ...answered(200) }],
    ],
    "security.transport.redirect-to-http": [
      ["another path", answered(302, "/start"), { values: { target: "http://site.example/start" } }],
      ["to www first", answered(301, "http://www.site.example/")],
      ["a target without a scheme, which stays on http", answered(301, "//site.example/")],
    ],
    "security.transport.redirect-to-other-host": [
      ["directly to www", answered(301, "https://www.site.example/"), { values: { target: "https://www.site.example/" } }],
      ["another site", answered(301, "https://other.example/")],
    ],
  },
});
