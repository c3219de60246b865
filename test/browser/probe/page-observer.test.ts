/** What a visit observes: requests, errors, violations with hash and place, and the shape of the document. */
import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  blockedMax,
  errorsObservedMax,
  inlineListedMax,
  type Observation,
  requestsObservedMax,
} from "../../../src/evidence/observation.ts";
import type { ReplacedHeader } from "../../../src/probe/browser/page-fetch.ts";
import { PageObserver } from "../../../src/probe/browser/page-observer.ts";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { egressTo, type Routes, startHttps } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { patientDeadlines, visit } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

const origin = "https://site.test";
const report: readonly ReplacedHeader[] = [
  { name: "content-security-policy-report-only", value: "default-src 'none' 'report-sample'; base-uri 'none'; form-action 'none'" },
];
const hashOf = (code: string) => `sha256-${createHash("sha256").update(code).digest("base64")}`;
const page = (head: string, body = "") =>
  `<!doctype html>\n<html lang="en"><head><title>Page</title>${head}</head><body>${body}</body></html>`;
const script = (body: string) => ({ headers: { "content-type": "text/javascript" }, body });

async function observed(routes: Routes, headers: readonly ReplacedHeader[] | null): Promise<Observation> {
  const server = keep(
    await startHttps(siteIdentity("site.test"), { "*": { headers: { "content-type": "text/plain" }, body: "" }, ...routes }),
  );
  const observer = new PageObserver(headers === null ? null : { origin, headers, nonce: null, canaries: null });
  const egress = egressTo({ "site.test:443": server, "cdn.test:443": server });
  await visit(browser, `${origin}/`, { egress, deadlines: patientDeadlines, observer });
  return observer.observation();
}

const words = ({ blocked }: Observation) =>
  blocked.map(({ directive, kind, url, hash, line, byScript }) =>
    [directive, kind, url ?? hash ?? "-", `line ${line}`, ...(byScript ? ["by script"] : [])].join(" "),
  );

test("violations have their directive, kind, address, hash and place", async () => {
  const inserted = "window.inserted = 1";
  const observation = await observed(
    {
      "/": {
        body: page(
          `\n<script src="/app.js"></script>\n<script>window.first = 1</script>\n<style>p { color: red }</style>`,
          `<p style="color: blue" onclick="go()">text</p>`,
        ),
      },
      "/app.js": script(`const s = document.createElement("script"); s.textContent = ${JSON.stringify(inserted)}; document.head.append(s);
        const t = document.createElement("script"); t.src = "https://cdn.test/lib.js"; document.head.append(t); try { eval("1"); } catch {}`),
      "/lib.js": script("fetch('https://cdn.test/api').catch(() => {})"),
    },
    report,
  );
  expect(words(observation).sort()).toEqual(
    [
      `script-src-elem url ${origin}/app.js line null`,
      `script-src-elem inline ${hashOf(inserted)} line 1 by script`,
      "script-src-elem url https://cdn.test/lib.js line 2 by script",
      "script-src eval - line 2 by script",
      `script-src-elem inline ${hashOf("window.first = 1")} line 4`,
      `style-src-elem inline ${hashOf("p { color: red }")} line 5`,
      `style-src-attr inline ${hashOf("color: blue")} line 5`,
      "connect-src url https://cdn.test/api line 1 by script",
    ].sort(),
  );
  expect(observation.blocked.every(({ reportOnly }) => reportOnly)).toBe(true);
  expect(observation.blocked.find(({ directive }) => directive === "connect-src")?.file).toBe("https://cdn.test/lib.js");
});

test("an enforced policy blocks, and the requests tell what was lost", async () => {
  const routes = {
    "/": { body: page(`<script src="/app.js"></script><link rel="stylesheet" href="/site.css"><img src="/gone.png">`) },
    "/app.js": script("fetch('/api')"),
    "/site.css": { headers: { "content-type": "text/css" }, body: "p { color: red }" },
    "/gone.png": { status: 404, body: "" },
  };
  const before = await observed(routes, null);
  const after = await observed(routes, [{ name: "content-security-policy", value: "script-src 'none'" }]);
  const outcomes = ({ requests }: Observation) =>
    requests.map(({ kind, url, outcome }) => `${kind} ${url.slice(origin.length)} ${outcome}`).sort();
  expect(outcomes(before)).toEqual(["fetch /api loaded", "image /gone.png failed", "script /app.js loaded", "stylesheet /site.css loaded"]);
  expect(outcomes(after).filter((line) => /loaded|failed/.test(line))).toEqual(["image /gone.png failed", "stylesheet /site.css loaded"]);
  expect(after.blocked).toMatchObject([{ directive: "script-src-elem", url: `${origin}/app.js`, reportOnly: false }]);
  expect([before.blocked, before.unchanged, after.unchanged]).toEqual([[], null, null]);
});

test.each([
  ["of a file gets the headers, too", `new Worker("/worker.js")`, `${origin}/worker.js`],
  [
    "of a blob has the policy of its page",
    `new Worker(URL.createObjectURL(new Blob(["fetch('https://cdn.test/api')"])))`,
    `blob:${origin}/`,
  ],
])("a worker %s", async (_words, start, file) => {
  const routes = {
    "/": { body: page(`<script>${start}</script>`) },
    "/worker.js": script("fetch('https://cdn.test/api')"),
    "/api": { headers: { "access-control-allow-origin": "*" }, body: "" },
  };
  const policy = "script-src 'unsafe-inline' 'self' blob:; connect-src 'self'";
  const { blocked, requests } = await observed(routes, [{ name: "content-security-policy", value: policy }]);
  expect(blocked).toMatchObject([{ directive: "connect-src", url: "https://cdn.test/api", file: expect.stringContaining(file) }]);
  expect(requests.filter(({ kind }) => kind === "fetch")).toEqual([]);
  expect((await observed(routes, null)).requests.filter(({ kind }) => kind === "fetch")).toMatchObject([{ outcome: "loaded" }]);
});

test("errors of scripts and of the console have their place", async () => {
  const { errors } = await observed(
    {
      "/": {
        body: page(
          "",
          "\n<script>console.error('told', 7)</script>\n<script>throw new TypeError('thrown')</script><script>Promise.reject('left')</script>",
        ),
      },
    },
    null,
  );
  expect(errors).toEqual([
    { text: "told 7", url: `${origin}/`, line: 3 },
    { text: "Uncaught TypeError: thrown", url: `${origin}/`, line: 4 },
    { text: "Uncaught (in promise) left", url: `${origin}/`, line: 4 },
  ]);
});

test("the shape has elements, shown text, inline code with hashes, handlers and style attributes", async () => {
  const body = page(
    `<script nonce="abcdefgh12">var a = 1</script><script type="application/json">{}</script><script src="/x.js"></script><style>p{}</style>`,
    `<p onclick="go()" onmouseover="stay()" style="color: red">shown</p><p hidden>hidden</p><x-box><template shadowrootmode="closed"><i style="x">in</i></template></x-box>`,
  );
  const first = await observed({ "/": { body } }, null);
  const again = await observed({ "/": { body } }, null);
  const other = await observed({ "/": { body: body.replace("<p hidden>", "<b hidden>").replace("hidden</p>", "hidden</b>") } }, null);
  const { shape } = first;
  expect(shape?.inline).toEqual([
    { kind: "script", hash: hashOf("var a = 1"), sample: "var a = 1", nonced: true },
    { kind: "style", hash: hashOf("p{}"), sample: "p{}", nonced: false },
    { kind: "handler", hash: hashOf("go()"), sample: "go()", nonced: false },
    { kind: "handler", hash: hashOf("stay()"), sample: "stay()", nonced: false },
  ]);
  expect(shape).toMatchObject({ inlineScripts: 1, inlineStyles: 1, handlers: 2, styleAttributes: 2 });
  expect(shape?.elements).toContainEqual({ name: "p", count: 2 });
  expect(shape?.textChars).toBeGreaterThan(0);
  expect(again.shape).toEqual(shape);
  expect([other.shape?.structure === shape?.structure, other.shape?.textChars]).toEqual([false, shape?.textChars]);
});

test.each<[string, string, boolean]>([
  ["of the document", "<script>document.addEventListener('securitypolicyviolation', () => {})</script>", true],
  ["of the window, as a property", "<script>onsecuritypolicyviolation = () => {}</script>", true],
  ["of the body, as an attribute", '</body><body onsecuritypolicyviolation="go()">', true],
  ["of another event", "<script>addEventListener('securitypolicyviolations', () => {})</script>", false],
  [
    "that was taken away",
    "<script>const f = () => {}; addEventListener('securitypolicyviolation', f); removeEventListener('securitypolicyviolation', f)</script>",
    false,
  ],
])("a listener %s hears of violations or not", async (_words, body, expected) => {
  expect((await observed({ "/": { body: page("", body) } }, null)).hearsViolations ?? false).toBe(expected);
});

test("a service worker is told", async () => {
  const { serviceWorker } = await observed(
    {
      "/": { body: page(`<script>navigator.serviceWorker.register("/sw.js")</script>`) },
      "/sw.js": script("self.addEventListener('fetch', () => {})"),
    },
    [],
  );
  expect(serviceWorker).toBe(true);
});

test("floods are bounded and counted", async () => {
  const flood = `for (let i = 0; i < 1500; i++) {
    new Image().src = "https://cdn.test/" + i; console.error("error " + i);
    const style = document.createElement("style"); style.textContent = "p { top: " + i + "px }"; document.head.append(style);
    document.body.insertAdjacentHTML("beforeend", "<x-" + i + "></x-" + i + ">");
  }`;
  const { requests, requestsDropped, errors, errorsDropped, blocked, blockedDropped, shape } = await observed(
    { "/": { body: page("", `<script>${flood}</script>`) } },
    report,
  );
  expect([requests.length, errors.length, blocked.length]).toEqual([requestsObservedMax, errorsObservedMax, blockedMax]);
  expect([requestsDropped, errorsDropped, blockedDropped].every((dropped) => dropped > 0)).toBe(true);
  expect(shape?.inlineStyles).toBe(1500);
  expect(shape?.inline.length).toBeLessThanOrEqual(inlineListedMax);
});
