/** Page probe: servers without a page, and answers that are not from the site itself. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ProbeFailure } from "../../../src/evidence/evidence.ts";
import type { PageReadings } from "../../../src/probe/browser/page.ts";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { startDnsServer } from "../../support/dns-server.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { egressTo, type Routes, startHttps, startTcp } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { deadlines, visit, visitAndShoot } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

const site = async (routes: Routes, host = "site.test") => keep(await startHttps(siteIdentity(host), routes));
const load = (url: string, places: Record<string, { readonly port: number }>) => visit(browser, url, { egress: egressTo(places) });

/** Expects all four readings to fail for this reason. */
function expectNothing({ navigation, page, dom, requests }: PageReadings, because: ProbeFailure): void {
  for (const reading of [navigation, page, dom, requests]) expect(reading).toEqual({ status: "failed", because });
}

describe("without a page", () => {
  const unreached: readonly (readonly [because: ProbeFailure, words: string, start: () => Promise<{ readonly port: number }>])[] = [
    ["refused", "nothing listens", async () => ({ port: portWithoutListener() })],
    [
      "tls",
      "the server has no TLS",
      async () => keep(await startTcp((socket) => void socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")))),
    ],
    [
      "tls-incompatible",
      "the server has only TLS 1.0",
      async () => keep(await startHttps(siteIdentity("site.test"), {}, { minVersion: "TLSv1", maxVersion: "TLSv1" })),
    ],
    [
      "tls-incompatible",
      "the server has only Ed25519",
      async () => keep(await startHttps(siteIdentity("site.test", { key: "ed25519" }), {})),
    ],
    [
      "tls-incompatible",
      "the key of the certificate must not sign",
      async () => keep(await startHttps(siteIdentity("site.test", { key: "rsa-2048", keyUsage: Buffer.from([3, 2, 4, 0x30]) }), {})),
    ],
    [
      "invalid",
      "the connection closes after the handshake",
      async () => keep(await startHttps(siteIdentity("site.test"), { "*": (_, response) => void response.socket?.destroy() })),
    ],
    [
      "blocked",
      "the site redirects to a blocked address",
      () => site({ "*": { status: 302, headers: { location: "http://169.254.169.254/" } } }),
    ],
    ["refused", "the site redirects to a closed port", () => site({ "*": { status: 302, headers: { location: "https://gone.test/" } } })],
    ["timeout", "the server sends nothing", async () => keep(await startTcp(() => {}))],
  ];
  for (const [because, words, start] of unreached) {
    test(`${words}: ${because}`, async () => {
      expectNothing(
        await load("https://site.test/", { "site.test:443": await start(), "gone.test:443": { port: portWithoutListener() } }),
        because,
      );
    });
  }

  test("the name does not exist: unresolved", async () => {
    const dns = keep(await startDnsServer({}));
    expectNothing(await visit(browser, "https://site.test/", { egress: egressTo({}, { dnsServers: [dns.address] }) }), "unresolved");
  });

  test("the address is blocked: blocked", async () => {
    for (const url of ["http://127.0.0.1/", "https://10.0.0.1/", "http://[::1]/"]) {
      expectNothing(await visit(browser, url, { egress: egressTo({}, { allowCidrs: [] }) }), "blocked");
    }
  });

  test("the scan is aborted: timeout, at once", async () => {
    const server = keep(await startTcp(() => {}));
    const readings = await visit(browser, "https://site.test/", {
      egress: egressTo({ "site.test:443": server }),
      signal: AbortSignal.timeout(200),
      deadlines: { ...deadlines, navigationMs: 3_600_000 },
    });
    expectNothing(readings, "timeout");
  });

  test("the browser is gone: crashed", async () => {
    const server = keep(await startTcp((socket) => void socket.once("data", () => process.kill(browser.pid(), "SIGKILL"))));
    const { readings, browserBroke } = await visitAndShoot(browser, "https://site.test/", {
      egress: egressTo({ "site.test:443": server }),
    });
    expectNothing(readings, "crashed");
    expect(browserBroke).toBe(true);
  });
});

describe("an answer that is not the page of the site", () => {
  const answers: readonly (readonly [
    because: ProbeFailure | null,
    words: string,
    status: number,
    headers: Record<string, string>,
    title: string,
  ])[] = [
    ["client-error", "a bad request", 400, {}, "page"],
    ["client-error", "a sign-in that names no scheme", 401, {}, "page"],
    ["sign-in-required", "a demand to sign in", 401, { "www-authenticate": 'Basic realm="x"' }, "page"],
    ["sign-in-required", "a demand to sign in with a scheme of its own", 401, { "www-authenticate": "Bearer" }, "page"],
    ["client-error", "forbidden", 403, {}, "page"],
    ["client-error", "not found", 404, {}, "page"],
    ["client-error", "gone", 410, {}, "page"],
    ["client-error", "refused for legal reasons", 451, {}, "page"],
    ["no-content", "no content", 204, {}, ""],
    ["no-content", "no content, and a form to be emptied", 205, {}, ""],
    ["no-location", "a redirect without an address", 301, {}, "page"],
    ["no-location", "a redirect with an empty address", 302, { location: "" }, "page"],
    ["no-location", "a temporary redirect without an address", 307, {}, ""],
    ["download", "a PDF file", 200, { "content-type": "application/pdf" }, "page"],
    ["download", "an attachment", 200, { "content-disposition": 'Attachment; filename="a.html"' }, "page"],
    ["download", "an unknown disposition", 200, { "content-disposition": "later" }, "page"],
    ["download", "an archive", 200, { "content-type": "application/zip" }, "page"],
    ["download", "a table", 200, { "content-type": "text/csv" }, "page"],
    ["download", "a type that browsers do not know", 200, { "content-type": "application/x-unheard-of" }, "page"],
    [null, "a file name without a disposition", 200, { "content-disposition": "filename=a.html" }, "page"],
    [null, "shown inline", 200, { "content-disposition": "inline; filename=a.html" }, "page"],
    [null, "plain text", 200, { "content-type": "text/plain" }, "page"],
    [null, "JSON", 200, { "content-type": "application/json" }, "page"],
    [null, "a choice of pages", 300, {}, "page"],
    [null, "a choice of pages with a preferred one", 300, { location: "/other" }, "page"],
    [null, "part of a page", 206, {}, "page"],
    [null, "a challenge's title with status 200", 200, {}, "Just a moment..."],
    ["server-error", "an internal error", 500, {}, "page"],
    ["server-error", "unavailable", 503, {}, "page"],
    ["server-error", "too many requests", 429, {}, "page"],
    ["challenged", "a header of a bot challenge", 403, { "cf-mitigated": "challenge" }, "page"],
    ["challenged", "a title of a bot challenge", 403, {}, "Just a moment..."],
  ];
  for (const [because, words, status, headers, title] of answers) {
    test(`${words}: ${because ?? "read"}`, async () => {
      const server = await site({ "/": { status, headers, body: `<title>${title}</title>` } });
      const { navigation, page, dom, requests } = await load("https://site.test/", { "site.test:443": server });
      expect(navigation).toMatchObject({ status: "read", facts: { finalStatus: status } });
      for (const reading of [page, dom, requests])
        expect(reading).toMatchObject(because === null ? { status: "read" } : { status: "failed", because });
    });
  }

  test.each<[string, Routes[string]]>([
    ["by script, to no content", { status: 204 }],
    ["by script, to an attachment", { headers: { "content-disposition": "attachment" }, body: "file" }],
    ["by script, to an archive", { headers: { "content-type": "application/zip" }, body: "file" }],
  ])("a page that leads %s stays the page", async (_words, target) => {
    const server = await site({
      "/": { headers: { "x-page": "1" }, body: "<title>page</title><script>location='/on'</script>" },
      "/on": target,
    });
    const { navigation, page, dom } = await load("https://site.test/", { "site.test:443": server });
    expect(navigation).toMatchObject({ facts: { finalUrl: "https://site.test/", finalStatus: 200 } });
    expect(page).toMatchObject({ facts: { headers: expect.arrayContaining([expect.objectContaining({ value: "1" })]) } });
    expect(dom).toMatchObject({ facts: { title: "page" } });
  });

  test("an address that is answered with 304 at once, or redirected to mailto, follows no protocol of pages", async () => {
    for (const route of [{ status: 304 }, { status: 302, headers: { location: "mailto:a@site.test" } }])
      expectNothing(await load("https://site.test/", { "site.test:443": await site({ "/": route }) }), "invalid");
  });

  test("an error page keeps its header fields, also behind a redirect", async () => {
    const server = await site({
      "/": { status: 302, headers: { location: "/gone" } },
      "/gone": { status: 410, headers: { "strict-transport-security": "max-age=31536000" }, body: "gone" },
    });
    const { navigation, page } = await load("https://site.test/", { "site.test:443": server });
    expect(page).toEqual({ status: "failed", because: "client-error" });
    if (navigation.status === "failed") throw new Error("the navigation was answered");
    const { errorAnswer, hops } = navigation.facts;
    expect(hops).toHaveLength(1);
    expect(errorAnswer).toMatchObject({ url: "https://site.test/gone", status: 410, headersDropped: 0 });
    expect(errorAnswer?.headers.find(({ name }) => name.toLowerCase() === "strict-transport-security")?.value).toBe("max-age=31536000");
  });
});
