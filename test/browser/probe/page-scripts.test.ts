/** Script files and libraries of real pages, with hostile variables and files. The fixtures have the marks of libraries, not their code. */
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { egressTo, type Routes, startHttps } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { factsOf, visit } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

const script = (body: string) => ({ headers: { "content-type": "text/javascript" }, body });
const jquery = (version: string) => script(`/*! jQuery v${version} | (c) */\nwindow.jQuery = { fn: { jquery: "${version}" } };`);
const page = (head: string) => ({ body: `<!doctype html><html><head><title>page</title>${head}</head><body></body></html>` });

/** Loads https://site.test/ with these paths. Every host of the test is served by one server. */
async function load(routes: Routes) {
  const hosts = ["site.test", "cdn.test", "www.site.test"];
  const server = keep(await startHttps(siteIdentity("site.test"), routes));
  return visit(browser, "https://site.test/", { egress: egressTo(Object.fromEntries(hosts.map((host) => [`${host}:443`, server]))) });
}

async function libraries(routes: Routes) {
  const { libraries: all, ...others } = factsOf(await load(routes), "scriptLibraries");
  return { ...others, found: all.map(({ name, version, detectedBy }) => `${name} ${version} ${detectedBy}`) };
}

describe("libraries", () => {
  test("are recognised by URL, by the start of the file and by the page", async () => {
    const { found, bannersUnread, variablesRead } = await libraries({
      "/": page(`<script src="/jquery-1.12.4.min.js"></script><script src="/app.js"></script><script src="/angular-1.5.0.js"></script>
        <script>window.Vue = { version: "2.6.10" }</script>`),
      "/jquery-1.12.4.min.js": jquery("1.12.4"),
      "/app.js": script("/*!\n * Bootstrap v3.3.7 (http://getbootstrap.com)\n */"),
      "/angular-1.5.0.js": script("1"),
    });
    expect(found).toEqual(["angularjs 1.5.0 url", "bootstrap 3.3.7 banner", "jquery 1.12.4 url,banner,page", "vue 2.6.10 page"]);
    expect([bannersUnread, variablesRead]).toEqual([0, true]);
  });

  test("in modules, and in files that scripts add later, are recognised", async () => {
    const { found } = await libraries({
      "/": page(`<script type=module>import "/module.js"</script>
        <script>const late = document.createElement("script"); late.src = "/late.js"; document.head.append(late)</script>`),
      "/module.js": script("/* axios v0.21.1 | (c) 2020 by Matt Zabriskie */ export default 1"),
      "/late.js": jquery("3.4.1"),
    });
    expect(found).toEqual(["axios 0.21.1 banner", "jquery 3.4.1 banner,page"]);
  });

  test("in compressed, empty and repeated files and in those of other sites are read", async () => {
    const { found, bannersUnread } = await libraries({
      "/": page(`<script src="/packed.js"></script><script src="/empty.js"></script><script src="/twice.js"></script><script src="/twice.js"></script>
        <script src="https://cdn.test/other.js"></script><script src="https://cdn.test/cors.js" crossorigin></script>`),
      "/packed.js": {
        headers: { "content-type": "text/javascript", "content-encoding": "gzip" },
        body: gzipSync("\ufeff/*! jQuery v3.4.1 | (c) */"),
      },
      "/empty.js": script(""),
      "/twice.js": script("//     Underscore.js 1.8.3\n"),
      "/other.js": script("/*!\n * Bootstrap v3.3.7 (http://getbootstrap.com)\n */"),
      "/cors.js": {
        headers: { "content-type": "application/javascript", "access-control-allow-origin": "*" },
        body: "/* axios v0.21.1 | (c) 2020 */",
      },
    });
    expect(found).toEqual(["axios 0.21.1 banner", "bootstrap 3.3.7 banner", "jquery 3.4.1 banner", "underscore.js 1.8.3 banner"]);
    expect(bannersUnread).toBe(0);
  });

  test("of a policy that forbids inline scripts and eval are recognised", async () => {
    const { found, variablesRead } = await libraries({
      "/": {
        ...page('<script src="/a.js"></script>'),
        headers: { "content-type": "text/html", "content-security-policy": "script-src 'self'" },
      },
      "/a.js": jquery("3.4.1"),
    });
    expect([found, variablesRead]).toEqual([["jquery 3.4.1 banner,page"], true]);
  });

  test("in files that are missing, no scripts, in data: URLs or in frames are not recognised", async () => {
    const { found, bannersUnread } = await libraries({
      "/": page(`<script src="/jquery-1.0.1.js"></script><script src="/jquery-1.0.2.js"></script><iframe src="/frame"></iframe>
        <script src="data:text/javascript,/*! jQuery v1.0.3 | (c) */1"></script><script src="/jquery-1.0.4.js" integrity="sha256-${"A".repeat(43)}="></script>
        <link rel=preload as=script href="/jquery-1.0.5.js"><link rel=prefetch href="/jquery-1.0.6.js">`),
      "/jquery-1.0.2.js": page("not found"),
      "/frame": page('<script src="/jquery-1.0.7.js"></script>'),
      "/jquery-1.0.4.js": jquery("1.0.4"),
      "/jquery-1.0.5.js": jquery("1.0.5"),
      "/jquery-1.0.6.js": jquery("1.0.6"),
      "/jquery-1.0.7.js": jquery("1.0.7"),
    });
    expect([found, bannersUnread]).toEqual([[], 0]);
  });

  test("in a preloaded file that an element uses are recognised", async () => {
    const { found } = await libraries({
      "/": page('<link rel=preload as=script href="/jquery-3.4.1.js"><script src="/jquery-3.4.1.js"></script>'),
      "/jquery-3.4.1.js": jquery("3.4.1"),
    });
    expect(found).toEqual(["jquery 3.4.1 url,banner,page"]);
  });

  test("in a file that is too large to read are recognised by its URL", async () => {
    const { found, bannersUnread } = await libraries({
      "/": page('<script src="/jquery-3.4.1.js"></script>'),
      "/jquery-3.4.1.js": script(`/*! jQuery v3.4.0 | (c) */\n//${"x".repeat(2_100_000)}`),
    });
    expect([found, bannersUnread]).toEqual([["jquery 3.4.1 url"], 1]);
  });

  test("in a file that is large only when unpacked are recognised by its URL, also if a frame loaded it before", async () => {
    const packed = {
      headers: { "content-type": "text/javascript", "content-encoding": "gzip", "cache-control": "max-age=60" },
      body: gzipSync(`/*! jQuery v3.4.0 | (c) */\n//${"x".repeat(3_000_000)}`),
    };
    const again = "const again = document.createElement('script'); again.src = '/jquery-3.4.1.js'; document.head.append(again)";
    const { found, bannersUnread } = await libraries({
      "/": page(`<iframe src="/frame"></iframe><script>onload = () => { ${again} }</script>`),
      "/frame": page('<script src="/jquery-3.4.1.js"></script>'),
      "/jquery-3.4.1.js": packed,
    });
    expect([found, bannersUnread]).toEqual([["jquery 3.4.1 url"], 1]);
  });

  test("of a document that the page left are not recognised", async () => {
    const { found } = await libraries({
      "/": page('<script src="/jquery-1.0.1.js"></script><script>location.replace("/next")</script>'),
      "/next": page('<script src="/jquery-3.4.1.js"></script>'),
      "/jquery-1.0.1.js": jquery("1.0.1"),
      "/jquery-3.4.1.js": jquery("3.4.1"),
    });
    expect(found).toEqual(["jquery 3.4.1 url,banner,page"]);
  });
});

// Chromium itself reads some variables, such as Vue, when a page has loaded.
describe("hostile variables", () => {
  const files = { "/jquery-3.4.1.js": jquery("3.4.1") };
  const withFile = (inline: string) => page(`<script src="/jquery-3.4.1.js"></script><script>${inline}</script>`);
  const fromFile = "jquery 3.4.1 url,banner";

  test("that never return leave the other readings whole", async () => {
    const readings = await load({ ...files, "/": withFile("Object.defineProperty(window, 'Backbone', { get() { for (;;); } })") });
    expect(factsOf(readings, "scriptLibraries")).toMatchObject({ variablesRead: false, libraries: [{ name: "jquery", version: "3.4.1" }] });
    expect(factsOf(readings, "dom").title).toBe("page");
    expect(factsOf(readings, "scripts").files).toHaveLength(1);
  });

  test.each([
    ["that throw", "Object.defineProperty(window, 'Backbone', { get() { throw 1 } })"],
    ["that return endless texts", "window.Backbone = { VERSION: '2'.repeat(50_000_000) }"],
    ["that are no versions", "window.Backbone = { VERSION: '<img src=x>' }; window.ko = { version: 16 }"],
    ["that turn into a text", "window.Backbone = { VERSION: { toString: () => '2.6.10', valueOf: () => '2.6.10' } }"],
    ["that are elements", "document.head.innerHTML += '<form id=Backbone><input name=VERSION value=2.6.10></form>'"],
    ["that ask the reader", "Object.defineProperty(window, 'Backbone', { get() { alert(1); confirm(2); return {} } })"],
    ["of other built-in objects", "String.prototype.split = Array.prototype.join = () => { throw 1 }; Object.prototype.VERSION = 'x'"],
  ])("%s are ignored", async (_words, inline) => {
    const { found, variablesRead } = await libraries({ ...files, "/": withFile(inline) });
    expect([found, variablesRead]).toEqual([[`${fromFile},page`], true]);
  });

  test("that navigate away leave the readings whole", async () => {
    const readings = await load({
      ...files,
      "/": withFile("Object.defineProperty(window, 'Backbone', { get() { location.replace('/next'); return { VERSION: '2.6.10' } } })"),
      "/next": page(""),
    });
    expect(factsOf(readings, "page").url).toBe("https://site.test/");
    expect(factsOf(readings, "scriptLibraries").libraries.map(({ name }) => name)).toEqual(["backbone.js", "jquery"]);
  });
});

describe("script files", () => {
  test("are those that the page loaded, by URL, with the site that answered", async () => {
    const { files, filesDropped } = factsOf(
      await load({
        "/": page(`<script src="/own.js"></script><script src="https://www.site.test/b.js"></script><script src="https://cdn.test/a.js"></script>
          <script src="/moved.js"></script><script src="https://cdn.test/missing.js"></script><script>1</script>`),
        "/own.js": script("1"),
        "/a.js": script("2"),
        "/b.js": script("3"),
        "/moved.js": { status: 302, headers: { location: "https://cdn.test/a.js?x" } },
      }),
      "scripts",
    );
    expect(files).toEqual([
      { url: "https://cdn.test/a.js", answeredBy: null, sameSite: false },
      { url: "https://site.test/moved.js", answeredBy: "https://cdn.test/a.js?x", sameSite: false },
      { url: "https://site.test/own.js", answeredBy: null, sameSite: true },
      { url: "https://www.site.test/b.js", answeredBy: null, sameSite: true },
    ]);
    expect(filesDropped).toBe(0);
  });

  test("are limited", async () => {
    const add =
      "for (let at = 0; at < 230; at++) { const one = document.createElement('script'); one.src = '/a.js?' + at; document.head.append(one) }";
    const readings = await load({ "/": page(`<script>${add}</script>`), "/a.js": script("1") });
    const { files, filesDropped } = factsOf(readings, "scripts");
    expect([files.length, filesDropped]).toEqual([200, 30]);
    expect(factsOf(readings, "scriptLibraries").bannersUnread).toBe(230 - 60);
  });

  test("behind a thousand failed requests are counted as unread", async () => {
    const add = `for (let at = 0; at < 1_000; at++) { const one = document.createElement("script"); one.src = "/missing?" + at; document.head.append(one) }
      const last = document.createElement("script"); last.src = "/jquery.js"; document.head.append(last)`;
    const readings = await load({ "/": page(`<script>${add}</script>`), "/jquery.js": script("/*! jQuery v1.12.4 | (c) */") });
    expect(factsOf(readings, "scripts")).toEqual({ files: [], filesDropped: 1 });
    expect(factsOf(readings, "scriptLibraries")).toMatchObject({ libraries: [], bannersUnread: 1 });
  });
});
