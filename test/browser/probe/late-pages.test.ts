/** Pages that change after their load event: what a visitor meets a second later is read, too. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openPage } from "../../../src/browser/browser-page.ts";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { egressTo, startHttps } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { deadlines, factsOf, patientDeadlines, visit } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

const html = { "content-type": "text/html" };
const addForm = "document.body.insertAdjacentHTML('beforeend', '<form action=http://shop.test/pay></form>')";
const addScript = "document.head.append(Object.assign(document.createElement('script'), { src: 'https://cdn.other.test/late.js' }))";
const afterLoad = (action: string) => `addEventListener('load', () => { ${action} })`;
const delayed = (ms: number, action: string) => `setTimeout(() => { ${action} }, ${ms})`;

async function visitPage(script: string, signal = new AbortController().signal) {
  const server = keep(
    await startHttps(siteIdentity("site.test"), {
      "/": { headers: html, body: `<!doctype html><title>Late</title><body><p>Text</p><script>${script}</script></body>` },
      "/next": { headers: html, body: "<!doctype html><title>Next</title><form action=/login></form>" },
      "/frame": { headers: html, body: `<!doctype html><script>${delayed(900, `parent.${addForm}`)}</script>` },
      "/late.js": { headers: { "content-type": "text/javascript" }, body: addForm },
    }),
  );
  const egress = egressTo(Object.fromEntries(["site.test", "cdn.other.test"].map((host) => [`${host}:443`, server])));
  return visit(browser, "https://site.test/", { egress, deadlines: patientDeadlines, signal });
}

async function formsOf(script: string) {
  const { forms, stillChanging = false } = factsOf(await visitPage(script), "dom");
  return { forms: forms.map(({ action }) => action), stillChanging };
}

const late = { forms: ["http://shop.test/pay"], stillChanging: false };
const unchanged = { forms: [], stillChanging: false };

describe("is read", () => {
  test.each([
    ["a form, a second after the load event", afterLoad(delayed(1_000, addForm))],
    ["a form, by a timer that began before the load event", delayed(1_400, addForm)],
    ["a form, by an interval that fires for the first time", `setInterval(() => { if (!document.forms.length) ${addForm} }, 1_100)`],
    ["a form that a late script adds", afterLoad(delayed(900, addScript))],
    ["a form, by a frame of the page's origin", "document.body.insertAdjacentHTML('beforeend', '<iframe src=/frame></iframe>')"],
    [
      "a form of a component that builds in steps",
      afterLoad(delayed(300, `document.body.append(document.createElement('input')); ${delayed(400, addForm)}`)),
    ],
    [
      "the address of a form that changes late",
      `${addForm.replace("/pay", "/old")}; ${delayed(900, "document.forms[0].action = 'http://shop.test/pay'")}`,
    ],
  ])("%s", async (_words, script) => {
    expect(await formsOf(script)).toEqual(late);
  });

  test("a script of another site, a second after the load event", async () => {
    const { files } = factsOf(await visitPage(afterLoad(delayed(1_000, addScript))), "scripts");
    expect(files.map(({ url }) => url)).toEqual(["https://cdn.other.test/late.js"]);
  });

  test("the page to which a timer leads", async () => {
    const readings = await visitPage(afterLoad(delayed(800, "location.href = '/next'")));
    expect(factsOf(readings, "navigation").finalUrl).toBe("https://site.test/next");
    expect(factsOf(readings, "dom").forms).toEqual([{ action: "https://site.test/login", method: "get" }]);
  });
});

describe("is not awaited", () => {
  test.each([
    ["a timer of ten seconds", delayed(10_000, addForm)],
    ["a timer that the page takes back", `clearTimeout(${delayed(1_000, addForm)})`],
    ["a clock, which changes only text", "setInterval(() => { document.querySelector('p').innerHTML = '<b>' + Date.now() }, 50)"],
    ["a carousel, which changes only classes", "setInterval(() => { document.body.classList.toggle('next') }, 50)"],
  ])("%s", async (_words, script) => {
    expect(await formsOf(script)).toEqual(unchanged);
  });
});

test.each([
  ["adds fields without end", "setInterval(() => { document.body.append(document.createElement('input')) }, 50)"],
  ["changes an address without end", `${addForm}; setInterval(() => { document.forms[0].action = '/' + Date.now() }, 50)`],
  ["replaces its form without end", "setInterval(() => { document.querySelector('p').innerHTML = '<i><form></form></i>' }, 50)"],
])("a page that %s was still changing when it was read", async (_words, script) => {
  expect(factsOf(await visitPage(script), "dom").stillChanging).toBe(true);
});

test("more timers than can be followed take no timer from the page", async () => {
  const script = `for (let i = 0; i < 20_000; i++) setTimeout(() => {}, i % 1_000); ${delayed(1_000, addForm)}`;
  expect(await formsOf(script)).toEqual(late);
});

test("timers of a page that was given up do not keep those of the next one from being seen", async () => {
  const ending = new AbortController();
  const visited = visitPage(`fetch('/next').then(() => { for (;;); })`, ending.signal);
  setTimeout(() => ending.abort(), deadlines.navigationMs);
  await visited;
  expect(await formsOf(afterLoad(delayed(1_000, addForm)))).toEqual(late);
});

test("a timer is awaited while something else has the only trace of the browser", async () => {
  const other = await openPage(await browser.hold(), "http://127.0.0.1:1");
  try {
    await other.session.send("Tracing.start", {});
    expect(await formsOf(afterLoad(delayed(1_000, addForm)))).toEqual(late);
  } finally {
    other.close();
  }
});
