/** Pages that block, fill or crash the browser. Each probe ends in time, and the browser still works afterwards. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { integrityCharsMax, subresourcesMax, urlCharsMax } from "../../../src/evidence/limits.ts";
import {
  crlf,
  forever,
  type HostilePage,
  type HostileSite,
  hasCrashed,
  hasNoDom,
  html,
  isAnswered,
  isAnsweredUnlessBroken,
  isRead,
  notFound,
  openHostileSite,
  script,
  testMs,
  unhurried,
} from "../../support/hostile-site.ts";
import { rendererPids } from "../../support/test-browser.ts";
import { deadlines, factsOf } from "../../support/visits.ts";

const hostilePages: readonly HostilePage[] = [
  {
    words: "a document of 100 MB made by script",
    answer: script(
      "const big = '<p>word</p>'.repeat(100_000); for (let i = 0; i < 100; i++) document.body.insertAdjacentHTML('beforeend', big)",
    ),
    expect: isAnswered,
  },
  { words: "a million nested elements", answer: html("<div>".repeat(1_000_000)), expect: isRead },
  { words: "an endless script", answer: script("for (;;) ;"), expect: hasNoDom },
  { words: "an endless script after the load", answer: script("onload = () => setTimeout(() => { for (;;) ; }, 20)"), expect: hasNoDom },
  { words: "a script file that never arrives", answer: html("<script src=/never></script>"), others: () => {}, expect: isAnswered },
  {
    words: "a synchronous request that never ends",
    answer: script("const x = new XMLHttpRequest(); x.open('GET', '/never', false); x.send()"),
    others: () => {},
    expect: hasNoDom,
  },
  {
    words: "requests that never end",
    answer: script("for (let i = 0; i < 4; i++) fetch('/never' + i)"),
    others: () => {},
    expect: isRead,
  },
  {
    words: "an event stream and endless requests",
    answer: script("new EventSource('/stream'); const again = () => fetch('/x' + Math.random()).finally(again); again()"),
    others: (socket, target) =>
      target === "/stream"
        ? forever(`HTTP/1.1 200 OK${crlf}Content-Type: text/event-stream${crlf}${crlf}`, "data: x\n\n")(socket, target)
        : notFound(socket, target),
    expect: isRead,
  },
  {
    words: "a script that fills the memory with arrays",
    answer: script("const all = []; for (;;) all.push(new Array(1_000_000).fill(Math.random()))"),
    expect: hasCrashed,
  },
  {
    words: "a script that fills the memory with buffers",
    answer: script("const all = []; for (let i = 0; i < 40; i++) { const b = new Uint8Array(100_000_000); b.fill(1); all.push(b); }"),
    expect: isAnswered,
  },
  {
    words: "five thousand cookies",
    answer: script("for (let i = 0; i < 5000; i++) document.cookie = 'c' + i + '=' + 'v'.repeat(3000); fetch('/x')"),
    others: notFound,
    expect: isRead,
  },
  {
    words: "ten thousand subresources",
    answer: html(Array.from({ length: 10_000 }, (_, at) => `<script src="/s${at}.js" async></script>`).join("")),
    others: notFound,
    // Long enough for a busy machine to parse as many elements as are listed.
    deadlines: { ...deadlines, navigationMs: 8_000, documentMs: testMs },
    expect: (readings) => {
      isAnswered(readings);
      const dom = factsOf(readings, "dom");
      // Fewer than all if the deadline came before the end of the document.
      expect(dom.subresources).toHaveLength(subresourcesMax);
      expect(dom.subresourcesDropped).toBeGreaterThan(0);
      expect(dom.subresourcesDropped).toBeLessThanOrEqual(10_000 - subresourcesMax);
    },
  },
  {
    words: "ten thousand subresources, none of them requested",
    answer: html('<script src="/s.js" nomodule></script>'.repeat(10_000)),
    others: notFound,
    deadlines: unhurried,
    expect: (readings) => {
      isRead(readings);
      const dom = factsOf(readings, "dom");
      expect(dom.subresources).toHaveLength(subresourcesMax);
      expect(dom.subresourcesDropped).toBe(10_000 - subresourcesMax);
    },
  },
  {
    words: "busy workers",
    answer: script("for (let i = 0; i < 4; i++) new Worker(URL.createObjectURL(new Blob(['for (;;) ;'])))"),
    expect: isRead,
  },
  {
    words: "endless rewriting of the document",
    answer: script(
      "setInterval(() => { document.open(); document.write('<title>hostile</title><script src=/x' + Math.random() + '></script>'); document.close(); }, 1)",
    ),
    others: notFound,
    expect: isAnswered,
  },
  {
    words: "named elements that shadow DOM methods",
    answer:
      html(`<form name=querySelectorAll></form><form name=baseURI></form><img name=title><form name=forms><input name=getAttribute><input name=action></form><script>
      Document.prototype.querySelectorAll = Element.prototype.getAttribute = Array.prototype.map = () => { throw 1 }; JSON.stringify = () => "{}"; Object.defineProperty(Document.prototype, "title", { get: () => "faked" });
    </script>`),
    expect: (readings) => {
      isRead(readings);
      expect(factsOf(readings, "dom").forms).toHaveLength(3);
    },
  },
  {
    words: "a flood of console messages",
    answer: script("for (let i = 0; i < 200_000; i++) console.error('x'.repeat(1000))"),
    expect: isAnsweredUnlessBroken,
  },
  {
    words: "endless errors",
    answer: script("setInterval(() => { throw new Error('x'.repeat(1e6)) }, 1); const f = () => Promise.reject(f).finally(f); f()"),
    expect: isAnswered,
  },
  {
    words: "repeated requests of long data: URLs",
    answer: script("const long = 'data:,' + 'x'.repeat(20_000_000); const again = () => fetch(long).finally(again); again(); again()"),
    expect: isAnsweredUnlessBroken,
  },
  {
    words: "repeated uploads of megabytes",
    answer: script(
      "const long = 'x'.repeat(20_000_000); const again = () => fetch('/p', { method: 'POST', body: long }).finally(again); again(); again()",
    ),
    others: notFound,
    expect: isAnsweredUnlessBroken,
  },
  {
    words: "breakpoints in a loop",
    answer: script("for (let i = 0; i < 1000; i++) debugger; setInterval(() => { debugger }, 1)"),
    expect: isRead,
  },
  { words: "catastrophic backtracking of a regular expression", answer: script("/^(a+)+$/.test('a'.repeat(50) + 'b')"), expect: hasNoDom },
  {
    words: "a title, a base URL and an integrity attribute of megabytes",
    answer: html(
      `<base href="https://site.test/${"b".repeat(1_000_000)}/"><script src=x integrity="${"i".repeat(3_000_000)}"></script><script>document.title = "t".repeat(30_000_000)</script>`,
    ),
    others: notFound,
    expect: (readings) => {
      const { title, subresources } = factsOf(readings, "dom");
      expect(title).toMatch(/^t+$/);
      expect(subresources[0]?.url.length).toBe(urlCharsMax);
      expect(subresources[0]?.integrity?.length).toBe(integrityCharsMax);
      expect(JSON.stringify(readings).length).toBeLessThan(20_000);
    },
  },
];

describe("a hostile page", () => {
  let site: HostileSite;
  beforeAll(async () => {
    site = await openHostileSite();
  });
  afterAll(() => site?.stop());

  for (const page of hostilePages) test(page.words, () => site.check(page), testMs);

  test("loses its process: crashed, whatever was read before", async () => {
    const readings = await site.visitBroken(() => {
      for (const pid of rendererPids(site.browser.pid())) process.kill(pid, "SIGKILL");
    });
    hasCrashed(readings);
  });

  test("loses its browser: crashed", async () => {
    const { navigation } = await site.visitBroken(() => process.kill(site.browser.pid(), "SIGKILL"));
    expect(navigation).toEqual({ status: "failed", because: "crashed" });
  });

  test("leaves neither context nor window behind", () => site.expectNothingLeft());
});
