/** Files of other sites: what elements name is reconciled with what the browser requests. Judged by the rows that show it. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { type Answer, egressTo, type Routes, startHttps } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { factsOf, patientDeadlines, verdictsOn, visit } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

const cdn = "https://cdn.other.test";
const lib = `${cdn}/lib@1.2.3/lib.js`;
const script = { headers: { "content-type": "text/javascript", "access-control-allow-origin": "*" }, body: "export default 1;\n" };
/** SHA-384 of that body. */
const hash = "sha384-TfNfbmwP7o3QYLOKT2ylblYjdqWkjpHkmoyPgwQk/jxycBM1LOGLUePUz56+OBZF";
const key = "ed25519-JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=";
const importMap = (integrity = hash) => `<script type="importmap">${JSON.stringify({ integrity: { [lib]: integrity } })}</script>`;
const rows = ["subresource-integrity", "subresource-integrity-valid", "third-party-scripts", "form-security"];

async function load(head: string, routes: Routes = {}, headers: Readonly<Record<string, string>> = {}) {
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Case</title>${head}</head><body></body></html>`;
  const server = keep(
    await startHttps(siteIdentity("site.test"), {
      "/": { headers: { "content-type": "text/html", ...headers }, body },
      "/lib@1.2.3/lib.js": script,
      "/lib@1.2.3/other.js": script,
      "/lib@1.2.3/lib.css": { headers: { "content-type": "text/css", "access-control-allow-origin": "*" }, body: "a { color: red }" },
      ...routes,
    }),
  );
  const egress = egressTo(Object.fromEntries(["site.test", "cdn.other.test"].map((host) => [`${host}:443`, server])));
  return visit(browser, "https://site.test/", { egress, deadlines: patientDeadlines });
}

/** States of `rows` with their finding codes. */
async function verdicts(...given: Parameters<typeof load>): Promise<Readonly<Record<string, readonly string[]>>> {
  const found = verdictsOn(await load(...given), "https://site.test/", rows);
  const short = (words: readonly string[]) => words.map((word) => word.replace("security.content.", ""));
  return Object.fromEntries(Object.entries(found).map(([key, words]) => [key, short(words)]));
}

const nothing = { "subresource-integrity": ["notApplicable"], "third-party-scripts": ["passed"] };
const loose = {
  "subresource-integrity": ["violated", "script-without-integrity"],
  "third-party-scripts": ["violated", "third-party-scripts"],
};
const pinned = {
  "subresource-integrity": ["passed"],
  "subresource-integrity-valid": ["passed"],
  "third-party-scripts": ["violated", "third-party-scripts-pinned"],
};

test.each<[string, string, Readonly<Record<string, readonly string[]>>]>([
  ["the import map pins a module", `${importMap()}<script type="module" src="${lib}"></script>`, pinned],
  [
    "the import map pins a static import",
    `${importMap()}<script type="module">import "${lib}"</script>`,
    { ...pinned, "subresource-integrity-valid": ["notApplicable"] },
  ],
  [
    "the import map pins a dynamic import",
    `${importMap()}<script type="module">import("${lib}")</script>`,
    { ...pinned, "subresource-integrity-valid": ["notApplicable"] },
  ],
  [
    "the import map pins a preloaded module",
    `${importMap()}<link rel="modulepreload" href="${lib}"><script type="module">import "${lib}"</script>`,
    pinned,
  ],
  [
    "the attribute has priority over the import map",
    `${importMap("sha384-x")}<script type="module" src="${lib}" integrity="${hash}"></script>`,
    pinned,
  ],
  [
    "a hash of the import map that never matches",
    `${importMap("sha384-abc")}<script type="module" src="${lib}"></script>`,
    { "subresource-integrity-valid": ["violated", "integrity-malformed"] },
  ],
  [
    "another hash in the import map",
    `${importMap(hash.replace("Tf", "Sf"))}<script type="module" src="${lib}"></script>`,
    { "subresource-integrity-valid": ["violated", "integrity-mismatch"], "third-party-scripts": ["passed"] },
  ],
  ["the import map says nothing of classic scripts", `${importMap()}<script src="${lib}"></script>`, loose],
  ["a script for consent", `<script type="text/plain" data-consent="analytics" src="${lib}"></script>`, nothing],
  ["a script for old browsers", `<script nomodule src="${lib}"></script>`, nothing],
  ["data in a script element", `<script type="application/ld+json" src="${lib}"></script>`, nothing],
  ["a style sheet of another language", `<link rel="stylesheet" type="text/less" href="${cdn}/lib@1.2.3/lib.css">`, nothing],
  ["a script in a template", `<template><script src="${lib}"></script></template>`, nothing],
  [
    "a script that a parser inserted without running it",
    `<div id="a"></div><script>a.innerHTML = '<script src="${lib}"><\\/script>'</script>`,
    nothing,
  ],
  ["a script without integrity", `<script src="${lib}"></script>`, loose],
  ["a script in capitals", `<script type="TEXT/JavaScript" src="${lib}"></script>`, loose],
  ["a static import", `<script type="module">import "${lib}"</script>`, loose],
  ["a dynamic import", `<script>import("${lib}")</script>`, loose],
  ["a preloaded module", `<link rel="modulepreload" href="${lib}"><script type="module">import "${lib}"</script>`, loose],
  [
    "a script that removes its element",
    `<script>const e = document.createElement("script"); e.src = "${lib}"; document.head.append(e); e.remove()</script>`,
    loose,
  ],
  ["an svg script", `<svg><script href="${lib}"></script></svg>`, loose],
  ["an svg script by xlink", `<svg><script xlink:href="${lib}"></script></svg>`, loose],
  ["@import", `<style>@import url("${cdn}/lib@1.2.3/lib.css");</style>`, { "subresource-integrity": ["violated", "style-unpinnable"] }],
  ["only a preload", `<link rel="preload" as="script" href="${lib}">`, nothing],
  [
    "a signature that is missing",
    `<script src="${lib}" integrity="${key}" crossorigin></script>`,
    {
      "subresource-integrity": ["passed"],
      "subresource-integrity-valid": ["violated", "integrity-mismatch", "integrity-signature-only"],
      "third-party-scripts": ["passed"],
    },
  ],
  [
    "an open shadow root in the document",
    `<div><template shadowrootmode="open"><form action="https://login.other.test/" method="get"><input type="password" name="p"></form>
     <script src="${lib}"></script><link rel="stylesheet" href="${cdn}/lib@1.2.3/lib.css"></template></div>`,
    {
      "subresource-integrity": ["violated", "script-without-integrity", "style-without-integrity"],
      "form-security": ["violated", "password-form-get"],
    },
  ],
  [
    "an open shadow root within another, by script",
    `<script>addEventListener("load", () => { const outer = document.body.appendChild(document.createElement("x-a")).attachShadow({ mode: "open" });
     const inner = outer.appendChild(document.createElement("x-b")).attachShadow({ mode: "open" });
     inner.innerHTML = '<form action="/in" method="get"><input type="password" name="p"></form>' })</script>`,
    { "form-security": ["violated", "password-form-get"] },
  ],
  [
    "a frame of the page itself",
    `<iframe srcdoc="<script src='${lib}'></script>"></iframe>`,
    { "subresource-integrity": ["notChecked"], "third-party-scripts": ["violated", "third-party-scripts"] },
  ],
  [
    "a frame of the page's origin",
    `<iframe src="/inner.html"></iframe>`,
    { "subresource-integrity": ["notChecked"], "third-party-scripts": ["violated", "third-party-scripts"] },
  ],
  [
    "a frame that a script fills",
    `<iframe></iframe><script>addEventListener("load", () => { const d = frames[0].document; const s = d.createElement("script"); s.src = "${lib}"; d.body.append(s) })</script>`,
    { "third-party-scripts": ["violated", "third-party-scripts"] },
  ],
  ["an address of the site that leads to another site", '<script src="/moved.js"></script>', loose],
  [
    "an address of the site that leads to another site, with integrity",
    `<script src="/moved.js" integrity="${hash}" crossorigin></script>`,
    pinned,
  ],
  ["a sandboxed frame", `<iframe sandbox="allow-scripts" srcdoc="<script src='${lib}'></script>"></iframe>`, nothing],
  ["a sandboxed frame of the page's origin", `<iframe sandbox="allow-scripts" src="/inner.html"></iframe>`, nothing],
  ["a frame inside of a sandboxed one", `<iframe sandbox="allow-scripts" srcdoc="<iframe src='/inner.html'></iframe>"></iframe>`, nothing],
  [
    "a sandboxed frame that keeps the origin",
    `<iframe sandbox="allow-scripts Allow-Same-Origin" srcdoc="<script src='${lib}'></script>"></iframe>`,
    { "third-party-scripts": ["violated", "third-party-scripts"] },
  ],
])("%s", async (_words, head, expected) => {
  const inner = { headers: { "content-type": "text/html" }, body: `<!doctype html><title>inner</title><script src="${lib}"></script>` };
  const moved = { status: 302, headers: { location: lib, "access-control-allow-origin": "*" } };
  expect(await verdicts(head, { "/inner.html": inner, "/moved.js": moved })).toMatchObject(expected);
});

test("a script that the page's own policy blocks is not requested", async () => {
  const found = await verdicts(`<script src="${lib}"></script>`, {}, { "content-security-policy": "script-src 'self'" });
  expect(found).toMatchObject(nothing);
});

test.each<[string, string, Answer | undefined, Readonly<Record<string, readonly string[]>>]>([
  ["the host answers with an error", `<script src="${lib}"></script>`, { status: 503, body: "" }, loose],
  ["the host answers with a page", `<script src="${lib}"></script>`, { headers: { "content-type": "text/html" }, body: "" }, loose],
  ["no host of that name", `<script src="https://absent.test/lib@1.2.3/lib.js"></script>`, undefined, loose],
  [
    "a script adds the element",
    `<script>document.head.append(Object.assign(document.createElement("script"), { src: "${lib}" }))</script>`,
    { status: 404, body: "" },
    loose,
  ],
  [
    "an element with integrity",
    `<script src="${lib}" integrity="${hash}" crossorigin></script>`,
    { status: 503, body: "" },
    { "third-party-scripts": ["passed"] },
  ],
  ["an import", `<script>import("${lib}").catch(() => {})</script>`, { status: 503, body: "" }, { "third-party-scripts": ["notChecked"] }],
  [
    "a frame of the page itself",
    `<iframe srcdoc="<script src='${lib}'></script>"></iframe>`,
    { status: 503, body: "" },
    { "third-party-scripts": ["notChecked"] },
  ],
  ["a preload", `<link rel="preload" as="script" href="${lib}">`, { status: 503, body: "" }, nothing],
  ["an inert type", `<script type="text/plain" src="${lib}"></script>`, { status: 503, body: "" }, nothing],
])("a script that did not arrive: %s", async (_words, head, answer, expected) => {
  expect(await verdicts(head, answer === undefined ? {} : { "/lib@1.2.3/lib.js": answer })).toMatchObject(expected);
});

test("a frame that navigates elsewhere is no frame of the page", async () => {
  const readings = await load(`<iframe src="https://cdn.other.test/frame.html"></iframe>`, {
    "/frame.html": { headers: { "content-type": "text/html" }, body: `<script src="${lib}"></script>` },
  });
  expect([factsOf(readings, "dom").otherSites, factsOf(readings, "scripts").files]).toEqual([[], []]);
});
