/** Pages that open dialogs and windows or navigate endlessly. Each probe ends in time, and the browser still works afterwards. */
import { afterAll, beforeAll, describe, test } from "vitest";
import {
  type HostilePage,
  type HostileSite,
  html,
  isAnswered,
  isRead,
  openHostileSite,
  respond,
  script,
  testMs,
} from "../../support/hostile-site.ts";

const hostilePages: readonly HostilePage[] = [
  ...["alert('x')", "confirm('x')", "prompt('x')", "print()"].map((dialog) => ({
    words: `${dialog} in a loop`,
    answer: script(`for (let i = 0; i < 50; i++) ${dialog}; setInterval(() => ${dialog}, 1)`),
    expect: isAnswered,
  })),
  {
    words: "a beforeunload dialog with endless navigation",
    answer: script(
      "onbeforeunload = (event) => { event.preventDefault(); return 'stay'; }; setInterval(() => { location.href = '/away' + Math.random(); }, 5)",
    ),
    expect: isAnswered,
  },
  { words: "an alert on leaving", answer: script("onpagehide = onunload = () => { alert('x'); for (;;) ; }"), expect: isRead },
  {
    words: "popups",
    answer: script("for (let i = 0; i < 100; i++) open('/popup' + i); setInterval(() => open('/', '_blank', 'popup'), 10)"),
    expect: isAnswered,
  },
  {
    words: "downloads by script",
    answer: script(
      "for (let i = 0; i < 50; i++) { const a = document.createElement('a'); a.href = URL.createObjectURL(new Blob(['x'.repeat(1e6)])); a.download = 'x' + i; a.click(); }",
    ),
    expect: isRead,
  },
  { words: "an endless refresh by a meta element", answer: html(`<meta http-equiv="refresh" content="0">`), expect: isAnswered },
  { words: "an endless refresh by a header field", answer: html("", ["Refresh: 0"]), expect: isAnswered },
  { words: "endless reloads during the load", answer: script("location.reload()"), expect: isAnswered },
  {
    words: "endless reloads after the load",
    answer: script("onload = () => setTimeout(() => location.reload(), 10)"),
    expect: isAnswered,
  },
  { words: "endless replacements of its location", answer: script("location.replace('/' + Math.random())"), expect: isAnswered },
  {
    words: "a flood of history entries",
    answer: script("for (let i = 0; i < 100_000; i++) try { history.pushState(i, '', '/' + i) } catch {}"),
    expect: isAnswered,
  },
  {
    words: "a flood of fragment navigations",
    answer: script("for (let i = 0; i < 10_000; i++) location.hash = i; setInterval(() => { location.hash = Math.random() }, 1)"),
    expect: isAnswered,
  },
  {
    words: "frames within frames",
    answer: html("<iframe src='/a'></iframe><iframe src='/b'></iframe>"),
    others: html("<iframe src='/c'></iframe><iframe src='/d'></iframe>"),
    expect: isRead,
  },
  {
    words: "a service worker that answers for the site",
    answer: script("navigator.serviceWorker.register('/sw.js')"),
    others: (socket) =>
      respond(socket, "onfetch = (event) => event.respondWith(new Response('hers')); oninstall = () => { for (;;) ; }", [
        "Content-Type: text/javascript",
      ]),
    expect: isRead,
  },
  {
    words: "permission prompts",
    answer: script(
      "navigator.geolocation.getCurrentPosition(() => {}); Notification.requestPermission(); navigator.mediaDevices.getUserMedia({ audio: true, video: true }); navigator.requestMIDIAccess?.(); navigator.clipboard.readText(); document.documentElement.requestFullscreen(); document.body.requestPointerLock()",
    ),
    expect: isRead,
  },
  { words: "closing its own window", answer: script("window.close(); setInterval(() => close(), 1)"), expect: () => {} },
  {
    words: "opening its own URL and closing the opener",
    answer: script("open('/', '_self'); close(); open('', '_self').close()"),
    expect: () => {},
  },
  ...[
    "chrome://crash",
    "file:///etc/passwd",
    "about:blank",
    "data:text/html,<title>other</title>",
    "mailto:x@site.test",
    "javascript:for(;;);",
    "view-source:https://site.test/",
  ].map((goal) => ({
    words: `leaving for ${goal}`,
    answer: script(`location.href = ${JSON.stringify(goal)}; open(${JSON.stringify(goal)})`),
    expect: isAnswered,
  })),
  {
    words: "navigation to its own blob",
    answer: script("location.href = URL.createObjectURL(new Blob(['<title>other</title>'], { type: 'text/html' }))"),
    expect: isAnswered,
  },
];

describe("a hostile page", () => {
  let site: HostileSite;
  beforeAll(async () => {
    site = await openHostileSite();
  });
  afterAll(() => site?.stop());

  for (const page of hostilePages) test(page.words, () => site.check(page), testMs);

  test("leaves neither context nor window behind", () => site.expectNothingLeft());
});
