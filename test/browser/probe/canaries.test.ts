/** Injected code in the real browser: it runs without a policy, weak policies let some of it run, and no host hears of it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PageObserver } from "../../../src/probe/browser/page-observer.ts";
import { canaryPage, canaryResults, hidesCode } from "../../../src/prove/canaries.ts";
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
  const attacked = { policies: policy === null ? [] : [policy], pageUrl, freshNonce: withNonce ? nonce : null };
  const canaries = { ...canaryPage(token, attacked), withoutMetaPolicies: policy === null };
  const headers = [{ name: "content-security-policy", value: policy }];
  const observer = new PageObserver({ origin, headers, nonce: withNonce ? nonce : null, canaries });
  const asked = new Map<string, string | null>();
  const inspect = (proxy: { failureOf(host: string, port: number): string | null }) => {
    for (const host of [...canaries.answers.map(({ url }) => new URL(url).hostname), "own.invalid"])
      asked.set(host, proxy.failureOf(host, 443));
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

test("all run in XHTML", async () => {
  const body = plain.replace("<!doctype html><html", `<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"`);
  const page = { headers: { "content-type": "application/xhtml+xml" }, body };
  const server = keep(await startHttps(siteIdentity("site.test"), { "/": page, "*": { status: 404, body: "" } }));
  expect((await ran(server, null)).names).toEqual(all);
  expect((await ran(server, "default-src 'self'; base-uri 'none'; form-action 'self'")).names).toEqual([]);
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

test("policies in meta elements are taken away only with the others", async () => {
  const meta = `<META HTTP-EQUIV="Content-Security-Policy" content="script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'self'">`;
  const server = await startSite(plain.replace("<head>", `<head>${meta}`));
  expect((await ran(server, null)).names).toEqual(all);
  expect((await ran(server, "img-src 'self'")).names).toEqual([]);
});

describe("a page that answers keys itself", () => {
  const withScript = (script: string, form = "") => plain.replace("<h1>", `${form}<script>${script}</script><h1>`);

  test("by taking over all clicks and forms of its document, as database tools do", async () => {
    const script = 'for (const name of ["click", "submit"]) addEventListener(name, (event) => event.preventDefault(), true)';
    expect((await ran(await startSite(withScript(script)), null)).names).toEqual(all);
  });

  test("never sends its own form, also if it draws the focus to it", async () => {
    const form = '<form method="post" action="/order"><input id="mail"></form>';
    const server = await startSite(withScript("setInterval(() => mail.focus(), 1)", form));
    await ran(server, null);
    expect(server.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });
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
    [`script-src 'self' http:; ${rest}`, ["script-host"]],
    [`script-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; ${rest}`, [...inline, "data-script"]],
    [`default-src https: 'unsafe-inline'; ${rest}`, [...inline, "script-host"]],
    [`script-src 'unsafe-inline', script-src 'self' 'unsafe-inline'; ${rest}`, inline],
    [`script-src data: 'unsafe-inline', script-src 'self' data:; ${rest}`, ["data-script"]],
    [`sandbox allow-scripts allow-forms; ${rest}`, all.filter((name) => name !== "base" && name !== "form")],
    [`script-src 'self'; base-uri 'self' https:; form-action 'self'`, ["base"]],
    [`script-src 'self'; base-uri https://*.invalid; form-action 'self'`, ["base"]],
    [`script-src 'self'; base-uri 'none'; form-action 'self' *.invalid`, ["form"]],
    [`script-src 'self' https://accounts.google.com; ${rest}`, ["jsonp accounts.google.com"]],
    [`script-src 'self' *.yandex.ru; ${rest}`, ["jsonp"]],
    [`script-src https://*.googleapis.com; ${rest}`, ["open-host assay-canary.googleapis.com"]],
    [`script-src 'self' cdnjs.cloudflare.com; ${rest}`, ["angular cdnjs.cloudflare.com"]],
    [`script-src 'self' https://*.cloudfront.net; ${rest}`, ["open-host assay-canary.cloudfront.net"]],
    [`script-src 'self' *.s3.amazonaws.com; ${rest}`, ["open-host assay-canary.s3.amazonaws.com"]],
    [`script-src 'self' *.vercel.app *.netlify.app; ${rest}`, ["open-host assay-canary.netlify.app", "open-host assay-canary.vercel.app"]],
    [`script-src 'self' https://*.blob.core.windows.net; ${rest}`, ["open-host assay-canary.blob.core.windows.net"]],
    [`script-src 'self' https://unpkg.com; ${rest}`, ["open-host unpkg.com"]],
    [`script-src 'self' cdn.jsdelivr.net/npm/; ${rest}`, ["open-host cdn.jsdelivr.net"]],
    [`script-src 'nonce-${nonce}'; ${rest}`, ["known-nonce"]],
    [`script-src 'nonce-${nonce}' 'strict-dynamic' https: 'unsafe-inline'; ${rest}`, ["known-nonce"]],
    [`script-src 'self' 'unsafe-inline' 'nonce-${nonce}'; ${rest}`, ["known-nonce"]],
    [`script-src 'self' 'unsafe-inline' 'strict-dynamic'; ${rest}`, []],
    [`script-src 'self' cdn.jsdelivr.net/npm/vue@3.5.0/ https://acme.vercel.app; ${rest}`, []],
    [`script-src 'strict-dynamic' https://accounts.google.com *.vercel.app; ${rest}`, []],
    [`script-src *.vercel.app, script-src 'self'; ${rest}`, []],
    [`sandbox; ${rest}`, []],
  ])("%s", async (policy, expected) => {
    const server = await startSite(plain);
    const { names, asked } = await ran(server, policy);
    // Lists of known addresses grow: a kind alone stands for each of its hosts.
    const seen = [...new Set(names.map((name) => (expected.includes(name) ? name : name.split(" ")[0])))];
    expect(seen).toEqual([...expected].sort());
    expect([...new Set(asked.values())]).toEqual([null]);
    expect(server.requests.map(({ path }) => path).filter((path) => path !== "/favicon.ico")).toEqual(["/"]);
  });
});

test("a page that silences its console does not hide canaries, and one that takes their function away does", async () => {
  const withScript = (code: string) => startSite(plain.replace("window.own = 1", code));
  expect((await ran(await withScript("for (const name of Object.keys(console)) console[name] = () => {}"), null)).names).toEqual(all);
  const taken = `for (const name of Object.getOwnPropertyNames(window)) if (name.startsWith("token-")) window[name] = () => {}`;
  const { names } = await ran(await withScript(taken), null);
  expect([names.includes("inline-script"), hidesCode(names)]).toEqual([false, true]);
});

test("a page cannot claim that a canary ran, and one that ends in a comment has none", async () => {
  const claiming = plain.replace("window.own = 1", "window.token = (name) => console.debug(name); window.token('inline-script')");
  expect((await ran(await startSite(claiming), "default-src 'self'; base-uri 'none'; form-action 'self'")).names).toEqual([]);
  expect((await ran(await startSite(`${plain}<!-- open`), null)).names).toEqual([]);
});

test("a canary that does not run without the policy is left out", () => {
  const page = canaryPage(token, { policies: ["script-src https://accounts.google.com https://unpkg.com"], pageUrl, freshNonce: null });
  const without = ["inline-script", "form", "jsonp accounts.google.com", "open-host unpkg.com"];
  const outcomes = canaryResults(page, without, ["form", "open-host unpkg.com"]).map(({ name, outcome }) => `${name} ${outcome}`);
  expect(outcomes).toEqual(
    expect.arrayContaining([
      "inline-script stopped",
      "form runs",
      "base left-out",
      "jsonp accounts.google.com stopped",
      "open-host unpkg.com would-run",
    ]),
  );
});
