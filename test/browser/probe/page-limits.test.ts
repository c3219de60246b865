/** Values that sites send, up to the limit of the scan: header fields, meta elements and cookies, in the real browser. */
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { headerValueCharsMax } from "../../../src/evidence/limits.ts";
import type { PageReadings } from "../../../src/probe/browser/page.ts";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep, onCleanUp } from "../../support/clean-up.ts";
import { egressTo, type Routes, startHttps } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { factsOf, patientDeadlines, visit } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

/** A policy of that many characters, padded in front so that its last source stands at the end. */
function policyOf(chars: number): string {
  const [start, end] = ["script-src https://", ".example 'unsafe-inline'"];
  return start + "a".repeat(chars - start.length - end.length) + end;
}

async function load(routes: Routes, headerCharsMax?: number): Promise<PageReadings> {
  const server = keep(await startHttps(siteIdentity("site.test"), routes));
  const limit = headerCharsMax === undefined ? {} : { headerCharsMax };
  return visit(browser, "https://site.test/", { egress: egressTo({ "site.test:443": server }), deadlines: patientDeadlines, ...limit });
}

function fieldOf(readings: PageReadings, name: string) {
  const field = factsOf(readings, "page").headers.find((one) => one.name.toLowerCase() === name);
  return { chars: field?.value.length, truncated: field?.truncated, end: field?.value.slice(-16) };
}

describe("a header field", () => {
  const routesOf = (chars: number): Routes => ({ "/": { headers: { "content-security-policy": policyOf(chars) }, body: "page" } });

  test.each([
    ["at the default limit is whole", headerValueCharsMax, undefined, { chars: 512, truncated: false, end: " 'unsafe-inline'" }],
    ["over the default limit is cut", headerValueCharsMax + 1, undefined, { chars: 512, truncated: true }],
    ["over the default is whole under a higher limit", 4_000, 4_096, { chars: 4_000, truncated: false, end: " 'unsafe-inline'" }],
    ["over a higher limit is cut", 4_097, 4_096, { chars: 4_096, truncated: true }],
    ["at the highest limit is whole", 16_384, 16_384, { chars: 16_384, truncated: false, end: " 'unsafe-inline'" }],
  ] as const)("%s", async (_words, chars, limit, expected) => {
    expect(fieldOf(await load(routesOf(chars), limit), "content-security-policy")).toMatchObject(expected);
  });

  test("of a redirect and over HTTP/2 has the same limit", async () => {
    const { certificateChainPem: cert, privateKeyPem: key } = siteIdentity("site.test");
    const server = createSecureServer({ key, cert }, (request, response) => {
      response.setHeader("x-long", "v".repeat(2_000));
      if (request.url === "/") response.writeHead(302, { location: "/end" }).end();
      else response.end("page");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onCleanUp(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    const readings = await visit(browser, "https://site.test/", { egress: egressTo({ "site.test:443": { port } }), headerCharsMax: 2_048 });
    const [hop] = factsOf(readings, "navigation").hops;
    expect(hop?.headers.find(({ name }) => name === "x-long")).toMatchObject({ truncated: false });
    expect(fieldOf(readings, "x-long")).toMatchObject({ chars: 2_000, truncated: false });
  });
});

test.each([
  [headerValueCharsMax, true],
  [2_048, false],
])("a meta element has the limit of header fields, %i", async (limit, truncated) => {
  const body = `<head><meta http-equiv="Content-Security-Policy" content="${policyOf(1_000)}"></head>`;
  const { metas } = factsOf(await load({ "/": { body } }, limit), "dom");
  expect(metas).toMatchObject([{ httpEquiv: "content-security-policy", truncated }]);
  expect(metas[0]?.content).toHaveLength(Math.min(limit, 1_000));
});

describe("cookies", () => {
  const random = "9f86d081884c7d659a2feaa0c55ad015";
  const cookies = [
    `box=${random}; Path=/`,
    `code=${random.slice(0, 15)}; Path=/`,
    "theme=dark-compact; Path=/",
    `long=${random.repeat(20)}; Path=/`,
  ];
  const routes: Routes = { "/": { headers: { "set-cookie": cookies }, body: "page" } };

  test("have an estimate in place of their values", async () => {
    const readings = await load(routes);
    const { setCookies } = factsOf(readings, "page");
    expect(setCookies.map(({ line, truncated, valueRandomBits }) => [line.slice(0, 20), truncated, valueRandomBits])).toEqual([
      ["box=<redacted>; Path", false, 128],
      ["code=<redacted>; Pat", false, 60],
      ["theme=<redacted>; Pa", false, undefined],
      ["long=<redacted>", true, undefined],
    ]);
    expect(JSON.stringify(readings)).not.toContain(random.slice(0, 8));
  });

  test("have the limit of header fields", async () => {
    const { setCookies } = factsOf(await load(routes, 1_024), "page");
    expect(setCookies.map(({ truncated }) => truncated)).toEqual([false, false, false, false]);
    expect(setCookies.at(-1)?.line).toBe("long=<redacted>; Path=/");
  });
});
