/** Scripts that workers of the page import from other sites, as the row that lists them judges real pages. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { egressTo, type Routes, startHttps } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { factsOf, patientDeadlines, verdictsOn, visit, visitAndShoot } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

const cdn = "https://cdn.other.test";
const lib = `${cdn}/lib@1.2.3/lib.js`;
const script = (body: string) => ({ headers: { "content-type": "text/javascript", "access-control-allow-origin": "*" }, body });
const html = (body: string) => ({ headers: { "content-type": "text/html" }, body: `<!doctype html><title>page</title>${body}` });
const imports = `importScripts("${lib}")`;
const blobWorker = `new Worker(URL.createObjectURL(new Blob(['${imports}'])))`;
/** SHA-384 of the library. */
const integrity = "sha384-TfNfbmwP7o3QYLOKT2ylblYjdqWkjpHkmoyPgwQk/jxycBM1LOGLUePUz56+OBZF";

const workers: Routes = {
  "/lib@1.2.3/lib.js": script("export default 1;\n"),
  "/classic.js": script("1;"),
  "/imports.js": script(`importScripts("${cdn}/classic.js"); self.postMessage?.(1)`),
  "/static.js": script(`import "${lib}"`),
  "/dynamic.js": script(`import("${lib}")`),
  "/nested.js": script('new Worker("/imports.js")'),
  "/own.js": script('importScripts("/classic.js")'),
  "/moved.js": script('importScripts("/away")'),
  "/away": { status: 302, headers: { location: `${cdn}/classic.js` } },
  "/data.js": script(`const r = new XMLHttpRequest(); r.open("GET", "${lib}", false); r.send(); fetch("${cdn}/data")`),
  "/install.js": script(`oninstall = (e) => e.waitUntil(caches.open("x").then((cache) => cache.add("${lib}")))`),
  "/endless.js": script(`importScripts("${cdn}/classic.js"); for (;;);`),
  "/broken.js": (_request, response) => void response.destroy(),
  "/strict.js": {
    headers: { "content-type": "text/javascript", "content-security-policy": "script-src 'self'" },
    body: `importScripts("${cdn}/classic.js")`,
  },
  "/again.js": script('for (let i = 0; i < 2; i++) new Worker("/again.js")'),
  "/frame": html('<script>new Worker("/imports.js")</script>'),
  "/data": { headers: { "access-control-allow-origin": "*" }, body: "{}" },
};

async function siteOf(body: string) {
  const server = keep(await startHttps(siteIdentity("site.test"), { "/": html(body), ...workers }));
  return egressTo(Object.fromEntries(["site.test", "cdn.other.test"].map((host) => [`${host}:443`, server])));
}

async function load(body: string) {
  return visit(browser, "https://site.test/", { egress: await siteOf(body), deadlines: patientDeadlines });
}

const states = async (...given: Parameters<typeof load>) =>
  verdictsOn(await load(...given), "https://site.test/", ["third-party-scripts"])["third-party-scripts"];

const listed = ["violated", "security.content.third-party-scripts"];

describe("a worker with the origin of the page", () => {
  test.each<[string, string]>([
    ["that imports a script", '<script>new Worker("/imports.js")</script>'],
    ["whose import is redirected to another site", '<script>new Worker("/moved.js")</script>'],
    ["that is a module", '<script>new Worker("/static.js", { type: "module" })</script>'],
    ["that imports a module later", '<script>new Worker("/dynamic.js", { type: "module" })</script>'],
    ["inside of a worker", '<script>new Worker("/nested.js")</script>'],
    ["of a blob: address", `<script>${blobWorker}</script>`],
    ["in a frame of the page itself", `<iframe srcdoc="<script>new Worker('/imports.js')</script>"></iframe>`],
    ["in a frame of its origin", '<iframe src="/frame"></iframe>'],
    ["that several pages share", '<script>new SharedWorker("/imports.js")</script>'],
    ["that several pages share, a module", '<script>new SharedWorker("/static.js", { type: "module" })</script>'],
    ["that serves the page", '<script>navigator.serviceWorker.register("/imports.js")</script>'],
    ["that serves the page, a module", '<script>navigator.serviceWorker.register("/static.js", { type: "module" })</script>'],
    [
      "that serves the page, from a document before it",
      "<script>location.search || navigator.serviceWorker.register('/imports.js').then(() => location.replace('/?2'))</script>",
    ],
    ["that serves the page, from a frame", `<iframe srcdoc="<script>navigator.serviceWorker.register('/imports.js')</script>"></iframe>`],
  ])("%s", async (_words, body) => {
    expect(await states(body)).toEqual(listed);
  });

  test("that the document's integrity attribute cannot pin", async () => {
    const pinned = `<script type="module" src="${lib}" integrity="${integrity}"></script>`;
    expect(await states(pinned)).toEqual(["violated", "security.content.third-party-scripts-pinned"]);
    expect(await states(`${pinned}<script>new Worker("/static.js", { type: "module" })</script>`)).toEqual(listed);
  });

  test("whose requests are requests of the page", async () => {
    const [without, within] = [await load("<p>page</p>"), await load('<script>new Worker("/data.js")</script>')];
    expect([without, within].map((readings) => factsOf(readings, "requests").total)).toEqual([0, 3]);
  });
});

describe("not listed", () => {
  test.each<[string, string]>([
    ["a page without a worker", "<p>page</p>"],
    ["imports of its own site", '<script>new Worker("/own.js")</script>'],
    ["a data: worker, whose origin is opaque", `<script>new Worker('data:text/javascript,${imports}')</script>`],
    [
      "a worker of a sandboxed frame",
      `<iframe sandbox="allow-scripts" srcdoc="<script>${blobWorker.replace(/"/g, "`")}</script>"></iframe>`,
    ],
    ["a worker of a frame of another site", `<iframe src="${cdn}/frame"></iframe>`],
    [
      "a worker of a document before the page",
      `<script>location.search || (new Worker("/imports.js").onmessage = () => location.replace("/?2"))</script>`,
    ],
    ["data that a worker requests", '<script>new Worker("/data.js")</script>'],
    ["files that a service worker keeps", '<script>navigator.serviceWorker.register("/install.js")</script>'],
    ["a worker whose script is missing", '<script>new Worker("/missing.js")</script>'],
    ["a worker whose script fails", '<script>new Worker("/broken.js")</script>'],
    [
      "workers that the page's own policy blocks",
      `<meta http-equiv="content-security-policy" content="worker-src 'none'">
      <script>new Worker("/imports.js"); new SharedWorker("/imports.js")</script>`,
    ],
    ["imports that the worker's own policy blocks", '<script>new Worker("/strict.js")</script>'],
    ["a service worker whose script is missing", '<script>navigator.serviceWorker.register("/missing.js")</script>'],
  ])("%s", async (_words, body) => {
    expect(await states(body)).toEqual(["passed"]);
  });
});

/** Short limits, because such pages never rest. */
const deadlines = { ...patientDeadlines, settleMaxMs: 2_000 };

describe("a hostile page is read, and the row is not passed", () => {
  test.each<[string, string]>([
    ["a worker that never ends", '<script>new Worker("/endless.js")</script>'],
    ["workers that never end", '<script>for (let i = 0; i < 8; i++) new Worker("/endless.js")</script>'],
    ["a shared worker that never ends", '<script>new SharedWorker("/endless.js")</script>'],
    ["a service worker that never starts", '<script>navigator.serviceWorker.register("/endless.js")</script>'],
    ["workers without end", `<script>for (let i = 0; i < 200; i++) new Worker("/own.js")</script>`],
    ["a worker that starts itself", '<script>new Worker("/again.js")</script>'],
  ])("%s", async (_words, body) => {
    const { readings, browserBroke } = await visitAndShoot(browser, "https://site.test/", { egress: await siteOf(body), deadlines });
    expect(browserBroke).toBe(false);
    const rows = verdictsOn(readings, "https://site.test/", ["third-party-scripts", "script-libraries"]);
    expect(rows).toEqual({ "third-party-scripts": ["notChecked"], "script-libraries": ["notApplicable"] });
  });
});

test("workers that end at once keep no page from being read", async () => {
  const body = '<script>for (let i = 0; i < 200; i++) new Worker("/own.js").terminate()</script>';
  const { readings, browserBroke } = await visitAndShoot(browser, "https://site.test/", { egress: await siteOf(body), deadlines });
  expect([browserBroke, factsOf(readings, "dom").title]).toEqual([false, "page"]);
});
