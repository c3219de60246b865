/** Injected code in the real browser: it runs without a policy, weak policies let some of it run, and no host hears of it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PageObserver } from "../../../src/probe/browser/page-observer.ts";
import { canaryPage, canaryResults } from "../../../src/prove/canaries.ts";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { egressTo, startHttps, type TestServer } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { patientDeadlines, visit } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

const origin = "https://site.test";
const pageUrl = `${origin}/`;
const token = "token-that-no-page-knows";
const nonce = "bm9uY2Vub25jZW5vbmNl";
const plain = `<!doctype html><html lang="en"><head><title>Page</title><script>window.own = 1</script></head><body><h1>Page</h1></body></html>`;
const all = ["base", "data-script", "event-handler", "form", "frame-document", "inline-script", "javascript-link", "script-host"];

const startSite = async (body: string): Promise<TestServer> =>
  keep(await startHttps(siteIdentity("site.test"), { "/": { body }, "*": { status: 404, body: "" } }));

/** Names of the canaries that run with the policy; null for none. */
async function ran(server: TestServer, policy: string | null, withNonce = false) {
  const canaries = canaryPage(token, policy === null ? [] : [policy], pageUrl);
  const headers = [{ name: "content-security-policy", value: policy }];
  const observer = new PageObserver({ origin, headers, nonce: withNonce ? nonce : null, canaries });
  const asked = new Map<string, string | null>();
  const inspect = (proxy: { failureOf(host: string, port: number): string | null }) => {
    for (const host of ["assay-canary.invalid", "own.invalid", "accounts.google.com"]) asked.set(host, proxy.failureOf(host, 443));
  };
  await visit(browser, pageUrl, { egress: egressTo({ "site.test:443": server }), deadlines: patientDeadlines, observer, inspect });
  return { names: observer.observation().canaries, asked };
}

test("all run without a policy, and no host gets a request for them", async () => {
  const server = await startSite(plain);
  const { names, asked } = await ran(server, null);
  expect([names, asked.get("assay-canary.invalid")]).toEqual([all, null]);
  expect(server.requests.map(({ path }) => path).filter((path) => path !== "/favicon.ico")).toEqual(["/"]);
});

test("a host that the page itself asks for is seen at the proxy", async () => {
  const server = await startSite(plain.replace("<h1>", '<script src="https://own.invalid/x.js"></script><h1>'));
  expect((await ran(server, null)).asked.get("own.invalid")).not.toBe(null);
});

test("none run with a strict policy", async () => {
  const rest = "object-src 'none'; base-uri 'none'; form-action 'self'";
  const server = await startSite(plain);
  expect((await ran(server, `default-src 'self'; script-src 'nonce-${nonce}' 'strict-dynamic'; ${rest}`, true)).names).toEqual([]);
  expect((await ran(server, `default-src 'self'; ${rest}`)).names).toEqual([]);
});

describe("a weak policy is named by what runs", () => {
  const rest = "base-uri 'none'; form-action 'self'";
  const inline = ["event-handler", "frame-document", "inline-script", "javascript-link"];
  test.each<[string, readonly string[]]>([
    ["img-src 'self'", all],
    [`script-src 'self' 'unsafe-inline'; ${rest}`, inline],
    [`script-src-elem 'self' 'unsafe-inline'; script-src-attr 'none'; ${rest}`, ["frame-document", "inline-script", "javascript-link"]],
    [`script-src-elem 'self'; script-src-attr 'unsafe-inline'; ${rest}`, ["event-handler"]],
    [`script-src 'self' data:; ${rest}`, ["data-script"]],
    [`script-src 'self' https:; ${rest}`, ["script-host"]],
    [`script-src *; ${rest}`, ["script-host"]],
    [`script-src https://*.invalid; ${rest}`, ["script-host"]],
    [`script-src 'self'; form-action 'self'`, ["base"]],
    [`script-src 'self'; base-uri *; form-action 'self'`, ["base"]],
    [`script-src 'self'; base-uri 'none'`, ["form"]],
    [`script-src 'self'; base-uri 'none'; form-action https:`, ["form"]],
    [`default-src 'self' 'unsafe-inline' data: *; ${rest}`, [...inline, "data-script", "script-host"]],
    [`script-src 'self' 'unsafe-inline' 'nonce-${nonce}'; ${rest}`, []],
    [`script-src 'self' 'unsafe-inline' 'strict-dynamic'; ${rest}`, []],
    [`sandbox; ${rest}`, []],
  ])("%s", async (policy, expected) => {
    const { names, asked } = await ran(await startSite(plain), policy);
    expect([names, asked.get("assay-canary.invalid")]).toEqual([[...expected].sort(), null]);
  });

  test("JSONP on an allowed host, which is not asked", async () => {
    const { names, asked } = await ran(await startSite(plain), `script-src 'self' https://accounts.google.com; ${rest}`);
    expect([names, asked.get("accounts.google.com")]).toEqual([["jsonp accounts.google.com"], null]);
  });
});

test("a page cannot claim that a canary ran, and one that ends in a comment has none", async () => {
  const claiming = plain.replace("window.own = 1", "console.debug('inline-script'); console.debug('token inline-script')");
  expect((await ran(await startSite(claiming), "default-src 'self'; base-uri 'none'; form-action 'self'")).names).toEqual([]);
  expect((await ran(await startSite(`${plain}<!-- open`), null)).names).toEqual([]);
});

test("a canary that does not run without the policy is left out", () => {
  const page = canaryPage(token, ["script-src https://accounts.google.com"], pageUrl);
  const outcomes = canaryResults(page, ["inline-script", "form", "jsonp accounts.google.com"], ["form"]).map(
    ({ name, outcome }) => `${name} ${outcome}`,
  );
  expect(outcomes).toEqual(
    expect.arrayContaining(["inline-script stopped", "form runs", "base left-out", "jsonp accounts.google.com stopped"]),
  );
});
