/** Forms and files in shadow roots: closed ones are read like open ones, and the parts of the browser's own elements are left out. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { egressTo, startHttps } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { factsOf, patientDeadlines, verdictsOn, visit } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

const cdn = "https://cdn.other.test/lib@1.2.3";
const files = `<script src="${cdn}/lib.js"></script><link rel="stylesheet" href="${cdn}/lib.css">`;
const form = `<form action="http://login.other.test/session" method="get"><input type="password" name="p"><button formaction="/in">in</button></form>`;
/** Chromium itself reports forms that send over http. */
const encrypted = form.replace("http:", "https:");
const rows = ["subresource-integrity", "form-security", "mixed-content"];
const everything = {
  "subresource-integrity": ["violated", "security.content.script-without-integrity", "security.content.style-without-integrity"],
  "form-security": ["violated", "security.content.password-form-get"],
  "mixed-content": ["violated", "security.content.insecure-form-action"],
};
const nothing = { "subresource-integrity": ["notApplicable"], "form-security": ["notApplicable"], "mixed-content": ["passed"] };

async function load(body: string) {
  const typed = (type: string, text: string) => ({ headers: { "content-type": type }, body: text });
  const server = keep(
    await startHttps(siteIdentity("site.test"), {
      "/": { body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Case</title></head><body>${body}</body></html>` },
      "/lib@1.2.3/lib.js": typed("text/javascript", "1"),
      "/lib@1.2.3/lib.css": typed("text/css", "a { color: red }"),
      "/frame": { body: `<!doctype html><p>1 &lt; 2<div><template shadowrootmode="closed">${encrypted}</template></div>` },
    }),
  );
  const egress = egressTo(Object.fromEntries(["site.test", "cdn.other.test"].map((host) => [`${host}:443`, server])));
  return visit(browser, "https://site.test/", { egress, deadlines: patientDeadlines });
}

const verdicts = async (body: string) => verdictsOn(await load(body), "https://site.test/", rows);

const declared = (mode: string, content: string) => `<div><template shadowrootmode="${mode}">${content}</template></div>`;
/** A shadow root made by a script. Its scripts run, because the parser does not make them. */
const scripted = (mode: string, content: string) => `<script>{
  const root = document.body.appendChild(document.createElement("x-a")).attachShadow({ mode: "${mode}" });
  root.innerHTML = ${JSON.stringify(content).replace(/<\//g, "<\\/")};
  for (const old of root.querySelectorAll("script")) { const s = document.createElement("script"); s.src = old.src; old.replaceWith(s) }
}</script>`;

describe("everything is read", () => {
  test.each<[string, string]>([
    ["in an open root", declared("open", files + form)],
    ["in a closed root of the document", declared("closed", files + form)],
    ["in a closed root by script", scripted("closed", files + form)],
    ["in a closed root within an open one", declared("open", declared("closed", files + form))],
    ["in an open root within a closed one", declared("closed", declared("open", files + form))],
    ["in a closed root within a closed one", declared("closed", `<p>outer</p>${declared("closed", files + form)}`)],
    ["in several closed roots", declared("closed", files) + declared("closed", form)],
    ["in the last element of a page with frames", `<iframe src="/frame"></iframe>${declared("closed", files + form)}`],
    [
      "in a page with frames of other sites",
      `${declared("closed", files + form)}<iframe src="https://cdn.other.test/frame"></iframe><p>end`,
    ],
    [
      "in a page whose names hide methods",
      `<form><input name="nodeType"><img name="createTreeWalker"></form>${declared("closed", files + form)}`,
    ],
    [
      "in a page that lost its own methods",
      `<script>Node.prototype.getRootNode = Element.prototype.attachShadow = null</script>${declared("closed", files + form)}`,
    ],
  ])("%s", async (_words, body) => {
    expect(await verdicts(body)).toEqual(everything);
  });

  test("with the same facts as in an open root", async () => {
    const [open, closed] = [await load(declared("open", files + form)), await load(declared("closed", files + form))];
    expect([factsOf(closed, "dom"), factsOf(closed, "markup")]).toEqual([factsOf(open, "dom"), factsOf(open, "markup")]);
  });
});

describe("nothing is read", () => {
  test.each<[string, string]>([
    ["in a page without shadow roots", "<p>1 &lt; 2</p><!-- < --><script>1 < 2</script>"],
    [
      "in the parts of the browser's own elements",
      `<video controls></video><input type="date"><input type="file"><details><summary>a</summary></details>`,
    ],
    ["in a template", `<template><form><input type="password" name="p"></form>${files}</template>`],
    ["in a closed root without such elements", declared("closed", "<p>text</p>")],
    [
      "in a closed root that is not in the document",
      `<script>document.createElement("div").attachShadow({ mode: "closed" }).innerHTML = \`${encrypted}\`</script>`,
    ],
    ["in closed roots of frames", `<iframe src="/frame"></iframe><iframe src="https://cdn.other.test/frame"></iframe>`],
  ])("%s", async (_words, body) => {
    expect(await verdicts(body)).toEqual(nothing);
  });
});

describe("what is beyond a limit is not checked", () => {
  const many = (mode: string, count: number, content: string) =>
    `<script>for (let i = 0; i < ${count}; i++) document.body.appendChild(document.createElement("div")).attachShadow({ mode: "${mode}" }).innerHTML = "${content}"</script>`;

  test.each<[string, string]>([
    ["closed roots", many("closed", 501, "<input type=text>")],
    ["open roots", many("open", 2_001, "<p>")],
    ["elements", `${declared("closed", "<p>")}${many("open", 1_900, "<input><input><input>")}`],
  ])("%s", async (_words, body) => {
    const notChecked = Object.fromEntries(rows.map((row) => [row, ["notChecked"]]));
    expect(await verdicts(body)).toEqual(notChecked);
  });

  test("but what was found is told", async () => {
    expect(await verdicts(form + many("closed", 501, "<input type=text>"))).toMatchObject({ "form-security": everything["form-security"] });
  });
});
