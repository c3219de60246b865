/** Pages that try to block, crash or flood the browser: each probe ends in time, and the browser still works afterwards. */
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { connect } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BrowserHost } from "../../../src/browser/browser.ts";
import type { ProbeFailure } from "../../../src/evidence/evidence.ts";
import {
  headerFieldsMax,
  headerValueCharsMax,
  integrityCharsMax,
  setCookieLinesMax,
  subresourcesMax,
  urlCharsMax,
} from "../../../src/evidence/limits.ts";
import type { PageReadings } from "../../../src/probe/browser/page.ts";
import { siteIdentity } from "../../support/certificates.ts";
import { egressTo } from "../../support/servers.ts";
import { deadlines, factsOf, openTestBrowser, visit } from "../../support/visits.ts";

/** Overhead of a machine under load, beyond the deadlines. A page that holds the browser does so without end. */
const allowanceMs = 60_000;
const endMs = deadlines.navigationMs + deadlines.settleMaxMs + deadlines.documentMs + allowanceMs;

/** For the hostile visit and the healthy one after it, on a machine under load. */
const testMs = 300_000;
/** For visits that must not end by a deadline, however slow the machine. */
const unhurried = { ...deadlines, navigationMs: testMs, documentMs: testMs };

/** Behaviour of a hostile server after the head of a request. */
type Answer = (socket: Socket, target: string) => void;

interface Hostile {
  readonly words: string;
  /** Answers the main document, and other requests unless `others` is given. */
  readonly answer: Answer;
  readonly others?: Answer;
  readonly url?: string;
  readonly deadlines?: typeof deadlines;
  readonly expect: (readings: PageReadings) => void;
}

const crlf = "\r\n";

function respond(socket: Socket, body: string | Uint8Array, fields: readonly string[] = [], status = "200 OK"): void {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const type = fields.some((field) => /^content-type:/i.test(field)) ? [] : ["Content-Type: text/html; charset=utf-8"];
  const head = [`HTTP/1.1 ${status}`, ...type, ...fields, `Content-Length: ${bytes.length}`, "Connection: close", "", ""].join(crlf);
  socket.write(head);
  socket.end(bytes);
}

/** A document with this body, and 404 for other requests. */
const html =
  (body: string, fields: readonly string[] = []): Answer =>
  (socket) =>
    respond(socket, `<!doctype html><html><head><title>hostile</title></head><body>${body}</body></html>`, fields);

const script = (code: string, fields: readonly string[] = []): Answer => html(`<script>${code}</script>`, fields);

const notFound: Answer = (socket) => respond(socket, "", ["Content-Type: text/plain"], "404 Not Found");

/** Writes endlessly, as fast as the other side reads. */
const forever =
  (head: string, chunk: string): Answer =>
  (socket) => {
    socket.write(head);
    const more = () => {
      if (socket.destroyed) return;
      if (socket.write(chunk)) setTimeout(more, 1);
      else socket.once("drain", more);
    };
    more();
  };

const htmlHead = `HTTP/1.1 200 OK${crlf}Content-Type: text/html${crlf}`;

/** The document was answered and read, in spite of its scripts. */
const isRead = (readings: PageReadings) => {
  expect(factsOf(readings, "navigation").finalStatus).toBe(200);
  expect(factsOf(readings, "page").url).toMatch(/^https:\/\/site\.test\//);
  expect(factsOf(readings, "dom").title).toBe("hostile");
  expect(readings.requests.status).toBe("read");
};

/** The answer is known. The document may be unreadable, but no other page replaced it. */
const isAnswered = (readings: PageReadings) => {
  expect(factsOf(readings, "navigation").finalUrl).toMatch(/^https:\/\/(site|certificate)\.test\//);
  expect(factsOf(readings, "page").status).toBe(200);
  if (readings.dom.status === "read") expect(readings.dom.facts.title).toBe("hostile");
  else expect(readings.requests).toEqual(readings.dom);
};

const hasNoDom = (readings: PageReadings) => {
  isAnswered(readings);
  expect(readings.dom).toEqual({ status: "failed", because: "timeout" });
};

const hasCrashed = (readings: PageReadings) => {
  isAnswered(readings);
  expect(readings.dom).toEqual({ status: "failed", because: "crashed" });
};

const isNothing =
  (...because: readonly ProbeFailure[]) =>
  ({ navigation, page, dom, requests }: PageReadings) => {
    for (const reading of [navigation, page, dom, requests]) {
      expect(reading.status).toBe("failed");
      expect(because).toContain(reading.status === "failed" ? reading.because : "");
    }
  };

const hostiles: readonly Hostile[] = [
  {
    words: "endless redirects",
    answer: (socket, target) => respond(socket, "", [`Location: ${target}x`], "302 Found"),
    expect: isNothing("redirects"),
  },
  {
    words: "an endless body",
    answer: forever(`${htmlHead}${crlf}<!doctype html><title>hostile</title>`, "<p>on and on</p>"),
    expect: isAnswered,
  },
  {
    words: "a body of gigabytes",
    answer: forever(`${htmlHead}${crlf}`, "<p>on and on</p>".repeat(10_000)),
    expect: ({ navigation }) => expect(navigation.status === "read" || navigation.because === "too-large").toBe(true),
  },
  {
    words: "a small answer that decompresses to a gigabyte",
    answer: (socket) => respond(socket, bomb(), ["Content-Encoding: gzip"]),
    expect: ({ page }) => expect(page.status).toBe("read"),
  },
  {
    words: "a response that never ends",
    answer: (socket) => socket.write(`${htmlHead}Content-Length: 1000${crlf}${crlf}<!doctype html><title>hostile</title>`),
    expect: isRead,
  },
  { words: "a server that accepts and says nothing", answer: () => {}, expect: isNothing("timeout") },
  { words: "a head that never ends", answer: forever(htmlHead, `X-More: and more${crlf}`), expect: isNothing("timeout", "invalid") },
  {
    words: "endless early hints",
    answer: forever("", `HTTP/1.1 103 Early Hints${crlf}Link: </x.css>; rel=preload; as=style${crlf}${crlf}`),
    expect: isNothing("timeout", "invalid", "too-large"),
  },
  { words: "a connection closed at once", answer: (socket) => socket.destroy(), expect: isNothing("invalid", "unreachable") },
  { words: "an answer that is not HTTP", answer: (socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"), expect: isNothing("invalid") },
  { words: "no content", answer: (socket) => respond(socket, "", [], "204 No Content"), expect: () => {} },
  {
    words: "endless multipart replacements",
    answer: forever(
      `HTTP/1.1 200 OK${crlf}Content-Type: multipart/x-mixed-replace; boundary=x${crlf}${crlf}`,
      `--x${crlf}Content-Type: text/html${crlf}${crlf}<title>hostile</title>part${crlf}`,
    ),
    expect: ({ page }) => expect(page.status).toBe("read"),
  },
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
    words: "a download instead of a document",
    answer: (socket) =>
      respond(socket, "binary", ["Content-Type: application/octet-stream", "Content-Disposition: attachment; filename=x.exe"]),
    expect: () => {},
  },
  {
    words: "downloads by script",
    answer: script(
      "for (let i = 0; i < 50; i++) { const a = document.createElement('a'); a.href = URL.createObjectURL(new Blob(['x'.repeat(1e6)])); a.download = 'x' + i; a.click(); }",
    ),
    expect: isRead,
  },
  { words: "a document of 100 MB", answer: (socket) => respond(socket, "<p>word</p>".repeat(10_000_000)), expect: () => {} },
  {
    words: "a document of 100 MB made by script",
    answer: script(
      "const big = '<p>word</p>'.repeat(100_000); for (let i = 0; i < 100; i++) document.body.insertAdjacentHTML('beforeend', big)",
    ),
    expect: isAnswered,
  },
  { words: "elements a million deep", answer: html("<div>".repeat(1_000_000)), expect: isRead },
  { words: "a script without end", answer: script("for (;;) ;"), expect: hasNoDom },
  { words: "a script without end after the load", answer: script("onload = () => setTimeout(() => { for (;;) ; }, 20)"), expect: hasNoDom },
  { words: "a script file that never comes", answer: html("<script src=/never></script>"), others: () => {}, expect: isAnswered },
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
    words: "an event stream and requests without pause",
    answer: script("new EventSource('/stream'); const again = () => fetch('/x' + Math.random()).finally(again); again()"),
    others: (socket, target) =>
      target === "/stream"
        ? forever(`HTTP/1.1 200 OK${crlf}Content-Type: text/event-stream${crlf}${crlf}`, "data: x\n\n")(socket, target)
        : notFound(socket, target),
    expect: isRead,
  },
  {
    words: "all memory",
    answer: script("const all = []; for (;;) all.push(new Array(1_000_000).fill(Math.random()))"),
    expect: hasCrashed,
  },
  {
    words: "all memory in buffers",
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
    words: "three hundred cookies in the answer",
    answer: html(
      "",
      Array.from({ length: 300 }, (_, at) => `Set-Cookie: c${at}=secret; Path=/`),
    ),
    expect: (readings) => {
      isRead(readings);
      const page = factsOf(readings, "page");
      expect(page.setCookies).toHaveLength(setCookieLinesMax);
      expect(page.setCookiesDropped).toBe(300 - setCookieLinesMax);
      expect(page.headers).toHaveLength(headerFieldsMax);
      expect(page.headersDropped).toBeGreaterThanOrEqual(300 - headerFieldsMax);
      expect(JSON.stringify(page.setCookies)).not.toContain("secret");
    },
  },
  {
    words: "a field of 100 KB",
    answer: html("", [`X-Long: ${"v".repeat(100 * 1_024)}`]),
    expect: (readings) => {
      isRead(readings);
      const field = factsOf(readings, "page").headers.find(({ name }) => name.toLowerCase() === "x-long");
      expect(field?.truncated).toBe(true);
      expect(field?.value).toHaveLength(headerValueCharsMax);
    },
  },
  {
    words: "fields of 1 MB",
    answer: html(
      "",
      Array.from({ length: 100 }, (_, at) => `X-Long-${at}: ${"v".repeat(10_240)}`),
    ),
    expect: isNothing("invalid"),
  },
  {
    words: "a document of invalid UTF-8",
    answer: (socket) =>
      respond(
        socket,
        Buffer.concat([
          Buffer.from("<!doctype html><title>hostile"),
          Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x00]),
          Buffer.from("</title><form action='/\x00\uD800'>"),
        ]),
      ),
    expect: (readings) => expect(factsOf(readings, "dom").title).toMatch(/^hostile\ufffd/),
  },
  {
    words: "a field of binary bytes",
    answer: (socket) =>
      socket.end(
        Buffer.concat([
          Buffer.from(`${htmlHead}X-Bytes: `),
          Buffer.from([0xff, 0xfe, 0x80, 0xc3, 0x28]),
          Buffer.from(`${crlf}Content-Length: 22${crlf}${crlf}<title>hostile</title>`),
        ]),
      ),
    expect: (readings) => {
      isRead(readings);
      expect(factsOf(readings, "page").headers.some(({ name }) => name.toLowerCase() === "x-bytes")).toBe(true);
    },
  },
  { words: "a field with NUL bytes", answer: html("", ["X-Nul: a\x00b", "X-After: c"]), expect: () => {} },
  { words: "a refresh without end, by element", answer: html(`<meta http-equiv="refresh" content="0">`), expect: isAnswered },
  { words: "a refresh without end, by field", answer: html("", ["Refresh: 0"]), expect: isAnswered },
  { words: "reloading without end", answer: script("location.reload()"), expect: isAnswered },
  {
    words: "endless reloads after the load",
    answer: script("onload = () => setTimeout(() => location.reload(), 10)"),
    expect: isAnswered,
  },
  { words: "replacing itself without end", answer: script("location.replace('/' + Math.random())"), expect: isAnswered },
  {
    words: "a flood of history",
    answer: script("for (let i = 0; i < 100_000; i++) try { history.pushState(i, '', '/' + i) } catch {}"),
    expect: isAnswered,
  },
  {
    words: "a flood of fragments",
    answer: script("for (let i = 0; i < 10_000; i++) location.hash = i; setInterval(() => { location.hash = Math.random() }, 1)"),
    expect: isAnswered,
  },
  {
    words: "ten thousand subresources",
    answer: html(Array.from({ length: 10_000 }, (_, at) => `<script src="/s${at}.js" async></script>`).join("")),
    others: notFound,
    deadlines: { ...deadlines, documentMs: testMs },
    expect: (readings) => {
      isAnswered(readings);
      const dom = factsOf(readings, "dom");
      // Fewer than all where the deadline came before the end of the document.
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
    words: "frames within frames",
    answer: html("<iframe src='/a'></iframe><iframe src='/b'></iframe>"),
    others: html("<iframe src='/c'></iframe><iframe src='/d'></iframe>"),
    expect: isRead,
  },
  {
    words: "busy workers",
    answer: script("for (let i = 0; i < 4; i++) new Worker(URL.createObjectURL(new Blob(['for (;;) ;'])))"),
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
    words: "opening itself and closing the opener",
    answer: script("open('/', '_self'); close(); open('', '_self').close()"),
    expect: () => {},
  },
  { words: "a question for a password", answer: html("", ['WWW-Authenticate: Basic realm="x"']), expect: isRead },
  {
    words: "a password prompt with status 401",
    answer: (socket) => respond(socket, "<title>hostile</title>", ['WWW-Authenticate: Basic realm="x"'], "401 Unauthorized"),
    expect: (readings) => expect(factsOf(readings, "page").status).toBe(401),
  },
  {
    words: "a prompt for the proxy's password",
    answer: (socket) =>
      respond(socket, "<title>hostile</title>", ['Proxy-Authenticate: Basic realm="x"'], "407 Proxy Authentication Required"),
    expect: () => {},
  },
  // With TLS 1.3 the server refuses after the client's part of the handshake, and the reset may overtake its alert.
  {
    words: "a required client certificate",
    url: "https://demand.test/",
    answer: html(""),
    expect: isNothing("tls", "invalid", "unreachable"),
  },
  { words: "an optional client certificate", url: "https://certificate.test/", answer: html(""), expect: isAnswered },
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
    expect: isAnswered,
  },
  {
    words: "endless errors",
    answer: script("setInterval(() => { throw new Error('x'.repeat(1e6)) }, 1); const f = () => Promise.reject(f).finally(f); f()"),
    expect: isAnswered,
  },
  {
    words: "repeated requests of long data: URLs",
    answer: script("const long = 'data:,' + 'x'.repeat(20_000_000); const again = () => fetch(long).finally(again); again(); again()"),
    expect: isAnswered,
  },
  {
    words: "repeated uploads of megabytes",
    answer: script(
      "const long = 'x'.repeat(20_000_000); const again = () => fetch('/p', { method: 'POST', body: long }).finally(again); again(); again()",
    ),
    others: notFound,
    expect: isAnswered,
  },
  {
    words: "breakpoints in a loop",
    answer: script("for (let i = 0; i < 1000; i++) debugger; setInterval(() => { debugger }, 1)"),
    expect: isRead,
  },
  { words: "catastrophic backtracking of a pattern", answer: script("/^(a+)+$/.test('a'.repeat(50) + 'b')"), expect: hasNoDom },
  {
    words: "a title, a base and an integrity of megabytes",
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

const bomb = () => {
  bombBytes ??= gzipSync(Buffer.alloc(1_024 * 1_024 * 1_024, "<p>word</p>"));
  return bombBytes;
};
let bombBytes: Uint8Array | undefined;

describe("a hostile page", () => {
  let browser: BrowserHost;
  let current: Hostile | null = null;
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const ports = { site: 0, certificate: 0, demand: 0 };

  /** Answers `/healthy` correctly, and everything else like the current hostile page. */
  function serve(socket: Socket): void {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    let head = "";
    socket.on("data", (chunk: Buffer) => {
      if (head.includes(crlf + crlf)) return;
      head += chunk.toString("latin1");
      if (!head.includes(crlf + crlf)) return;
      const target = head.split(" ")[1] ?? "/";
      if (target.startsWith("/healthy")) return healthy(socket, target);
      const isDocument = /sec-fetch-dest: document/i.test(head);
      const answer = isDocument ? current?.answer : (current?.others ?? notFound);
      answer?.(socket, target);
    });
  }

  const healthy: Answer = (socket, target) => {
    if (target !== "/healthy") return respond(socket, "document.title = 'healthy'", ["Content-Type: text/javascript"]);
    respond(socket, "<!doctype html><title></title><script src=/healthy.js></script>", ["X-Mark: healthy", "Set-Cookie: a=b; Secure"]);
  };

  async function listen(server: Server): Promise<number> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  }

  beforeAll(async () => {
    browser = openTestBrowser();
    const identity = siteIdentity("site.test");
    const tls = { cert: identity.certificateChainPem, key: identity.privateKeyPem };
    ports.site = await listen(createTlsServer(tls, serve));
    ports.certificate = await listen(createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: false }, serve));
    ports.demand = await listen(createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true }, serve));
    await browser.endpoint();
  });

  afterAll(async () => {
    await browser?.stop();
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
  });

  async function scan(url: string, given = deadlines): Promise<{ readonly readings: PageReadings; readonly tookMs: number }> {
    const egress = egressTo({
      "site.test:443": { port: ports.site },
      "certificate.test:443": { port: ports.certificate },
      "demand.test:443": { port: ports.demand },
    });
    const fromMs = performance.now();
    const readings = await visit(browser, url, {
      egress,
      deadlines: given,
      signal: AbortSignal.timeout(given === deadlines ? endMs : testMs),
    });
    return { readings, tookMs: performance.now() - fromMs };
  }

  async function expectHealthy(): Promise<void> {
    const { readings } = await scan("https://site.test/healthy", unhurried);
    expect(factsOf(readings, "navigation")).toMatchObject({
      hops: [],
      finalUrl: "https://site.test/healthy",
      finalStatus: 200,
      remoteAddress: "127.0.0.1",
    });
    const page = factsOf(readings, "page");
    expect(page.headers).toContainEqual({ name: "X-Mark", value: "healthy", truncated: false });
    expect(page.setCookies.map(({ line }) => line)).toEqual(["a=<redacted>; Secure"]);
    const dom = factsOf(readings, "dom");
    expect(dom.title).toBe("healthy");
    expect(dom.subresources.map(({ url }) => url)).toEqual(["https://site.test/healthy.js"]);
    expect(factsOf(readings, "requests")).toEqual({ total: 1, insecure: [], insecureDropped: 0, integrityBlocked: [] });
  }

  for (const hostile of hostiles) {
    test(
      hostile.words,
      async () => {
        current = hostile;
        const { readings, tookMs } = await scan(hostile.url ?? "https://site.test/", hostile.deadlines);
        expect(tookMs).toBeLessThan(endMs);
        await expectHealthy();
        hostile.expect(readings);
      },
      testMs,
    );
  }

  /** Scans a page that loads until `breakIt` is called. */
  async function scanBroken(breakIt: () => unknown): Promise<PageReadings> {
    current = {
      words: "",
      answer: html("<script src=/never></script>"),
      others: () => void breakIt(),
      expect: () => {},
    };
    // Noticed, since no deadline ends this visit within the time of the test.
    const { readings } = await scan("https://site.test/", unhurried);
    await expectHealthy();
    return readings;
  }

  test("loses its process: answered, but crashed", async () => {
    const watcher = await connect({ browserWSEndpoint: await browser.endpoint() });
    const session = await watcher.target().createCDPSession();
    const readings = await scanBroken(async () => {
      const { processInfo } = await session.send("SystemInfo.getProcessInfo");
      for (const { type, id } of processInfo) if (type === "renderer") process.kill(id, "SIGKILL");
    });
    await watcher.disconnect();
    hasCrashed(readings);
  });

  test("loses its browser: crashed", async () => {
    const { navigation } = await scanBroken(() => process.kill(browser.state()?.pid ?? 0, "SIGKILL"));
    expect(navigation).toEqual({ status: "failed", because: "crashed" });
  });

  test("leaves neither context nor window behind", async () => {
    const watcher = await connect({ browserWSEndpoint: await browser.endpoint() });
    const left = () => [
      watcher.browserContexts().length - 1,
      watcher.targets().filter((target) => target.url().includes("site.test")).length,
    ];
    for (let tries = 0; tries < 100 && left().some((count) => count > 0); tries++) await Bun.sleep(100);
    expect(left()).toEqual([0, 0]);
    await watcher.disconnect();
  });
});
