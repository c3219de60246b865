/**
 * Laws about files of other sites, on generated pages in the real browser. What the server of the other sites was asked for is the truth:
 * it does not come from the browser's protocol, as the readings do.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { siteIdentity } from "../../support/certificates.ts";
import { randomRuns } from "../../support/random-runs.ts";
import { egressTo, startHttps, type TestServer } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { judgedVisit, patientDeadlines, visit } from "../../support/visits.ts";

let browser: TestBrowser;
let server: TestServer;
beforeAll(async () => {
  browser = openTestBrowser();
  const javascript = { "content-type": "text/javascript", "access-control-allow-origin": "*" };
  server = await startHttps(siteIdentity("site.test"), {
    "*": ({ url = "", headers }, response) => {
      const { pathname, searchParams } = new URL(url, `https://${headers.host}`);
      const [, kind = ""] = /^\/\d+\/\d+\/([a-z]+)/.exec(pathname) ?? [];
      if (kind === "page") response.setHeader("content-type", "text/html").end(pages.get(pathname));
      else if (kind === "frame") response.setHeader("content-type", "text/html").end(`<!doctype html>${searchParams.get("html")}`);
      else if (kind === "worker") response.writeHead(200, javascript).end(searchParams.get("part"));
      else if (kind === "moved") response.writeHead(302, { location: searchParams.get("to") ?? "/" }).end();
      else if (pathname.endsWith(".css")) response.writeHead(200, { ...javascript, "content-type": "text/css" }).end("a { color: red }");
      else response.writeHead(200, javascript).end(scriptBody);
    },
  });
});
afterAll(async () => {
  await browser.stop();
  await server.stop();
});

const pages = new Map<string, string>();
const hosts = ["cdn.other.test", "third.example.test"] as const;
const scriptBody = "export default 1;\n";
const classicHash = `sha384-${new Bun.CryptoHasher("sha384").update(scriptBody).digest("base64")}`;
const styleHash = `sha384-${new Bun.CryptoHasher("sha384").update("a { color: red }").digest("base64")}`;

const escaped = (html: string) => html.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
const inserted = (url: string, more: string) =>
  `<script>{ const made = document.createElement('script'); made.src = '${url}'; ${more} }</script>`;
const pinned = `integrity="${classicHash}" crossorigin`;

/** Markup that may load the file at the address, by name. `own` is an address of the page's host, whose path says what it answers. */
const parts: Readonly<Record<string, (url: string, own: string) => string>> = {
  script: (url) => `<script src="${url}.js"></script>`,
  "script with a hash": (url) => `<script src="${url}.js" ${pinned}></script>`,
  "script with an empty hash": (url) => `<script src="${url}.js" integrity crossorigin></script>`,
  "async script": (url) => `<script async src="${url}.js"></script>`,
  "deferred script": (url) => `<script defer src="${url}.js"></script>`,
  "script for old browsers": (url) => `<script nomodule src="${url}.js"></script>`,
  "script that waits for consent": (url) => `<script type="text/plain" src="${url}.js"></script>`,
  "script of an unknown type": (url) => `<script type="text/x-template" src="${url}.js"></script>`,
  "script with a fragment": (url) => `<script src="${url}.js#part"></script>`,
  module: (url) => `<script type="module" src="${url}.js"></script>`,
  "module with a hash": (url) => `<script type="module" src="${url}.js" ${pinned}></script>`,
  "static import": (url) => `<script type="module">import "${url}.js"</script>`,
  "dynamic import": (url) => `<script>import("${url}.js")</script>`,
  "import map and import": (url) =>
    `<script type="importmap">{"integrity": {"${url}.js": "${classicHash}"}}</script><script type="module">import "${url}.js"</script>`,
  "preloaded module": (url) => `<link rel="modulepreload" href="${url}.js">`,
  "preloaded module with a hash": (url) => `<link rel="modulepreload" href="${url}.js" integrity="${classicHash}">`,
  "preloaded script": (url) => `<link rel="preload" as="script" href="${url}-preload.js">`,
  "preloaded style sheet": (url) => `<link rel="preload" as="style" href="${url}-preload.css">`,
  "prefetched script": (url) => `<link rel="prefetch" href="${url}-preload.js">`,
  "style sheet": (url) => `<link rel="stylesheet" href="${url}.css">`,
  "style sheet with a hash": (url) => `<link rel="stylesheet" href="${url}.css" integrity="${styleHash}" crossorigin>`,
  "style sheet for print": (url) => `<link rel="stylesheet" media="print" href="${url}.css">`,
  "disabled style sheet": (url) => `<link rel="stylesheet" disabled href="${url}.css">`,
  "alternate style sheet": (url) => `<link rel="alternate stylesheet" title="Dark" href="${url}.css">`,
  "imported style sheet": (url) => `<style>@import "${url}.css";</style>`,
  "script of a drawing": (url) => `<svg><script href="${url}.js"></script></svg>`,
  "inserted script": (url) => inserted(`${url}.js`, "document.head.append(made);"),
  "inserted script that is gone": (url) => inserted(`${url}.js`, "document.head.append(made); made.remove();"),
  "inserted script with a hash": (url) =>
    inserted(`${url}.js`, `made.integrity = '${classicHash}'; made.crossOrigin = ''; document.head.append(made);`),
  "script that is made and not inserted": (url) => inserted(`${url}.js`, ""),
  "written script": (url) => `<script>document.write('<script src="${url}.js"><\\/script>')</script>`,
  "late script": (url) =>
    `<script>setTimeout(() => { ${"const made = document.createElement('script');"} made.src = '${url}.js'; document.head.append(made) }, 900)</script>`,
  "script in a template": (url) => `<template><script src="${url}.js"></script></template>`,
  "script without scripting": (url) => `<noscript><script src="${url}.js"></script></noscript>`,
  "script in a comment": (url) => `<!-- <script src="${url}.js"></script> -->`,
  "script in a component": (url) =>
    `<p class="host"></p><script>{ const made = document.createElement('script'); made.src = '${url}.js'; document.querySelector('.host').attachShadow({ mode: 'open' }).append(made); document.querySelector('.host').className = '' }</script>`,
  "script of a srcdoc frame": (url) => `<iframe srcdoc="${escaped(`<script src="${url}.js"></script>`)}"></iframe>`,
  "script of an own frame": (url, own) =>
    `<iframe src="${own}/frame?html=${encodeURIComponent(`<script src="${url}.js"></script>`)}"></iframe>`,
  "script of a sandboxed frame": (url) =>
    `<iframe sandbox="allow-scripts" srcdoc="${escaped(`<script src="${url}-sandboxed.js"></script>`)}"></iframe>`,
  "script behind a redirect of the site": (url, own) => `<script src="${own}/moved?to=${encodeURIComponent(`${url}.js`)}"></script>`,
  "module behind a redirect of the site": (url, own) =>
    `<script type="module" src="${own}/moved?to=${encodeURIComponent(`${url}.js`)}"></script>`,
  "style sheet behind a redirect of the site": (url, own) =>
    `<link rel="stylesheet" href="${own}/moved?to=${encodeURIComponent(`${url}.css`)}">`,
  "script with a hash behind a redirect of the site": (url, own) =>
    `<script src="${own}/moved?to=${encodeURIComponent(`${url}.js`)}" ${pinned}></script>`,
  "script of a worker": (url) => `<script>new Worker(URL.createObjectURL(new Blob(['importScripts("${url}.js")'])))</script>`,
  "script of an own worker": (url, own) =>
    `<script>new Worker('${own}/worker.js?part=${encodeURIComponent(`importScripts("${url}.js")`)}')</script>`,
  "own script": (_url, own) => `<script src="${own}/own.js"></script>`,
  "script in its own address": () => '<script src="data:text/javascript,1"></script>',
};
const policies = [
  "",
  `script-src 'self' 'unsafe-inline' data: https://${hosts[0]}`,
  "style-src 'self' 'unsafe-inline'",
  "script-src 'none'",
];

const anyPage = fc.record({
  uses: fc.array(fc.record({ part: fc.constantFrom(...Object.keys(parts)), host: fc.constantFrom(...hosts) }), { maxLength: 5 }),
  policy: fc.oneof({ weight: 3, arbitrary: fc.constant("") }, fc.constantFrom(...policies)),
});

let count = 0;

async function visited({ uses, policy }: typeof anyPage extends fc.Arbitrary<infer P> ? P : never) {
  const root = `/${++count}`;
  const path = `${root}/0/page`;
  const markup = uses.map(({ part, host }, at) => parts[part]?.(`https://${host}${root}/${at}/file`, `${root}/${at}`) ?? "");
  const meta = policy === "" ? "" : `<meta http-equiv="content-security-policy" content="${policy}">`;
  pages.set(path, `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Law</title>${meta}${markup.join("\n")}</head></html>`);
  const egress = egressTo(Object.fromEntries(["site.test", ...hosts].map((host) => [`${host}:443`, server])));
  const url = `https://site.test${path}`;
  const readings = await visit(browser, url, { egress, deadlines: patientDeadlines });
  const { ledger, findings } = judgedVisit(readings, url, ["subresource-integrity", "third-party-scripts"]);
  // Preloaded files run nowhere, and sandboxed ones not with the origin of the page.
  const asked = server.requests
    .filter(({ path: of, headers }) => of.startsWith(`${root}/`) && headers.host !== "site.test" && !/-(preload|sandboxed)\./.test(of))
    .map(({ path: of, headers }) => `https://${headers.host}${of}`);
  return { asked, findings, states: Object.fromEntries(ledger.map(({ key, state }) => [key, state])) };
}

const pagesCount = randomRuns(300);

test(`${pagesCount} generated pages keep the laws`, async () => {
  await fc.assert(
    fc.asyncProperty(anyPage, async (page) => {
      const { asked, states, findings } = await visited(page);
      const resourcesOf = (row: string) =>
        findings
          .filter(({ checkKey }) => checkKey === row)
          .flatMap(({ values }) => String(values.resources).replaceAll("#part", "").split(", "));
      const integrity = states["subresource-integrity"];
      const loose = findings.filter(({ code }) => code === "security.content.third-party-scripts");
      const scripts = asked.filter((url) => url.endsWith(".js"));
      // A file that the row names was requested.
      expect(resourcesOf("subresource-integrity").filter((url) => !asked.includes(url))).toEqual([]);
      // Both rows agree that files of other sites are loaded.
      if (integrity === "notApplicable") expect({ asked, loose }).toEqual({ asked: [], loose: [] });
      // No script of another site is unnoticed.
      if (states["third-party-scripts"] === "passed") expect(scripts).toEqual([]);
      else expect(resourcesOf("third-party-scripts").toSorted()).toEqual([...new Set(scripts.map((url) => new URL(url).host))].toSorted());
    }),
    { numRuns: pagesCount, endOnFailure: true },
  );
});
