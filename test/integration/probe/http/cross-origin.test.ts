/** CORS probe against a server that reflects every origin. */

import { expect, test } from "vitest";
import { probeCrossOrigin, probeOrigin } from "../../../../src/probe/http/http.ts";
import { siteIdentity } from "../../../support/certificates.ts";
import { keep } from "../../../support/clean-up.ts";
import { portWithoutListener } from "../../../support/ports.ts";
import { contextOf } from "../../../support/probe-context.ts";
import { type Route, startHttps } from "../../../support/servers.ts";

async function probe(route: Route) {
  const site = keep(await startHttps(siteIdentity("site.test"), { "/page": route }));
  const url = "https://site.test/page?q";
  const reading = await probeCrossOrigin({ ...contextOf(url, { "site.test:443": site }), url });
  return { reading, site };
}

test("sends the origin of another site once, and keeps only CORS headers and the policy of this response", async () => {
  const { reading, site } = await probe((request, response) => {
    response.writeHead(200, {
      "Access-Control-Allow-Origin": request.headers.origin ?? "none",
      "access-control-allow-credentials": "true",
      vary: "origin",
      "Content-Security-Policy": "script-src 'nonce-c2Vjb25k'",
      "x-other": "1",
    });
    response.end("page");
  });
  expect(reading).toMatchObject({ status: "read", facts: { url: "https://site.test/page?q", status: 200, originSent: probeOrigin } });
  const headers = reading.status === "read" ? reading.facts.headers.map(({ name, value }) => `${name.toLowerCase()}: ${value}`) : [];
  expect(headers.sort()).toEqual([
    "access-control-allow-credentials: true",
    `access-control-allow-origin: ${probeOrigin}`,
    "content-security-policy: script-src 'nonce-c2Vjb25k'",
    "vary: origin",
  ]);
  expect(site.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /page?q"]);
});

test("follows no redirect", async () => {
  const { reading } = await probe({ status: 302, headers: { location: "/elsewhere" } });
  expect(reading).toMatchObject({ facts: { status: 302, headers: [] } });
});

test.each([429, 500, 503])("an answer of %d is not assessed", async (status) => {
  expect((await probe({ status })).reading).toEqual({ status: "failed", because: "server-error" });
});

test("a bot challenge is not assessed", async () => {
  const { reading } = await probe({ status: 403, headers: { "cf-mitigated": "challenge", "access-control-allow-origin": "*" } });
  expect(reading).toEqual({ status: "failed", because: "challenged" });
});

test("a host that refuses connections", async () => {
  const context = contextOf("https://site.test/", { "site.test:443": { port: portWithoutListener() } });
  expect(await probeCrossOrigin({ ...context, url: "https://site.test/" })).toEqual({ status: "failed", because: "refused" });
  expect(await probeCrossOrigin({ ...context, url: "about:blank" })).toEqual({ status: "failed", because: "not-asked" });
});
