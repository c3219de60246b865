/** Port 80 must redirect directly to https on the same host, as seen by the built-in client. */
import check from "../../../checks/https-redirect.ts";
import { testCheck } from "../../support/check-tester.ts";
import { answer, type EvidenceGiven } from "../../support/evidence.ts";

const plain = "http://site.example/";

function answered(status: number, location?: string): EvidenceGiven {
  return { plainHttp: { answers: [answer({ url: plain, status, headers: location === undefined ? {} : { location } })] } };
}

type Step = readonly [status: number, location?: string];

/** Answers of port 80 to a chain of redirects. */
function chain(...steps: readonly Step[]): EvidenceGiven {
  let url = plain;
  const answers = steps.map(([status, location]) => {
    const given = answer({ url, status, headers: location === undefined ? {} : { location } });
    url = location === undefined ? url : new URL(location, url).href;
    return given;
  });
  return { plainHttp: { answers } };
}

function chainCut(...steps: readonly Step[]): EvidenceGiven {
  return { plainHttp: { ...(chain(...steps).plainHttp as object), stoppedBecause: "connection-failed" } };
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
    ["the next http address could not be reached", chainCut([301, "http://www.site.example/"])],
    ["no answer was kept", { plainHttp: { answers: [] } }],
  ],
  violated: {
    "security.transport.no-https-redirect": [
      ["the page itself", answered(200), { values: { plainUrl: plain, status: 200 } }],
      ["a redirect without a target", answered(301)],
      ["a redirect to an invalid URL", answered(301, "http://[")],
      ["a location in an unfollowed status", answered(200, "https://site.example/")],
      ["an empty browser chain is not considered", { navigation: { hops: [] }, ...answered(200) }],
    ],
    "security.transport.redirect-to-http": [
      ["another path", answered(302, "/start"), { values: { target: "http://site.example/start" } }],
      ["to www first, and no further", chain([301, "http://www.site.example/"], [200])],
      ["a circle", { plainHttp: { ...(answered(301, "/").plainHttp as object), stoppedBecause: "too-many-hops" } }],
      ["a target without a scheme, which stays on http", answered(301, "//site.example/")],
    ],
    "security.transport.redirect-late": [
      [
        "to www first, then to https",
        chain([301, "http://www.site.example/"], [301, "https://www.site.example/"]),
        { values: { target: "http://www.site.example/", secureUrl: "https://www.site.example/" } },
      ],
      ["to another path first", chain([302, "/start"], [301, "https://site.example/start"])],
      ["the last answer was not followed", chainCut([301, "http://www.site.example/"], [301, "https://www.site.example/"])],
    ],
    "security.transport.plain-http-error": [
      ["forbidden", answered(403), { values: { plainUrl: plain, status: 403 } }],
      ["not found", answered(404)],
      ["upgrade required", answered(426)],
    ],
    "security.transport.redirect-to-other-host": [
      ["directly to www", answered(301, "https://www.site.example/"), { values: { target: "https://www.site.example/" } }],
      ["another site", answered(301, "https://other.example/")],
    ],
  },
});
