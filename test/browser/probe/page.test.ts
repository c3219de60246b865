/** Page probe with real pages over real TLS. */
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { headerValueCharsMax, loadedOriginsMax } from "../../../src/evidence/limits.ts";
import { type Flaw, siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { egressTo, type Routes, startHttp, startHttps, type TestServer } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { factsOf, patientDeadlines, visit } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

const site = async (routes: Routes, host = "site.test") => keep(await startHttps(siteIdentity(host), routes));
const plain = async (routes: Routes) => keep(await startHttp(routes));
const load = (url: string, places: Record<string, { readonly port: number }>) =>
  visit(browser, url, { egress: egressTo(places), deadlines: patientDeadlines });

const document = (head: string, body = "") => `<!doctype html><html><head><title>page</title>${head}</head><body>${body}</body></html>`;

describe("a page", () => {
  test("has an answer with header fields in order and with duplicates, and TLS parameters", async () => {
    const server = keep(
      await startTcpTls((path) =>
        path === "/"
          ? [
              "HTTP/1.1 200 OK",
              "X-Twice: one",
              "Content-Type: Text/HTML; charset=utf-8",
              "x-twice: two",
              "X-TWICE: three",
              "X-Empty:",
              "",
              document(""),
            ].join("\r\n")
          : "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
      ),
    );
    const readings = await load("https://site.test/", { "site.test:443": server });
    expect(factsOf(readings, "navigation")).toEqual({
      hops: [],
      finalUrl: "https://site.test/",
      finalStatus: 200,
      remoteAddress: "127.0.0.1",
      security: {
        protocol: "TLS 1.3",
        cipher: expect.stringMatching(/^(AES|CHACHA)/),
        keyExchange: expect.any(String),
        certificateTransparency: expect.any(String),
      },
    });
    const page = factsOf(readings, "page");
    expect(page).toMatchObject({
      url: "https://site.test/",
      status: 200,
      mediaType: "text/html",
      headersDropped: 0,
      setCookies: [],
      setCookiesDropped: 0,
    });
    const valuesOf = (name: string) => page.headers.filter((field) => field.name.toLowerCase() === name).map(({ value }) => value);
    expect(valuesOf("x-twice")).toEqual(["one", "two", "three"]);
    expect(valuesOf("x-empty")).toEqual([""]);
    expect(valuesOf("content-type")).toEqual(["Text/HTML; charset=utf-8"]);
    expect(factsOf(readings, "requests")).toEqual({
      total: 0,
      insecure: [],
      insecureDropped: 0,
      integrityBlocked: [],
      integrityPolicyBlocked: [],
      loadedOrigins: [],
      loadedOriginsDropped: 0,
      cspViolations: [],
      cspViolationsDropped: 0,
    });
    expect(readings.hstsPreload.status).toBe("read");
  });

  test("over HTTP/2 also has its header fields, with separate duplicates", async () => {
    const { certificateChainPem: cert, privateKeyPem: key } = siteIdentity("site.test");
    const versions: string[] = [];
    const server = createSecureServer({ cert, key }, ({ httpVersion }, response) => {
      versions.push(httpVersion);
      response.writeHead(200, { "content-type": "text/html", "x-mark": "two", "set-cookie": ["a=secret; Secure", "b=secret"] });
      response.end(document(""));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    keep({ stop: () => server.close() });
    const readings = await load("https://site.test/", { "site.test:443": server.address() as AddressInfo });
    expect(versions).toEqual(["2.0"]);
    const { headers, setCookies } = factsOf(readings, "page");
    expect(headers.filter(({ name }) => name === "x-mark").map(({ value }) => value)).toEqual(["two"]);
    expect(headers.filter(({ name }) => name === "set-cookie")).toHaveLength(2);
    expect(setCookies.map(({ line }) => line)).toEqual(["a=<redacted>; Secure", "b=<redacted>"]);
    expect(JSON.stringify(readings)).not.toContain("secret");
    expect(factsOf(readings, "dom").title).toBe("page");
  });

  test("has the content of its document as the browser built it", async () => {
    const server = await site({
      "/": {
        body: document(
          `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="img-src *"><meta name=Referrer content=origin><meta name=viewport content=x>
           <link rel="Stylesheet alternate" href="/style.css" integrity="sha256-x"><link rel=preload as=script href="//cdn.site.test/lib.js"><link rel=icon href=/i.png>
           <script src="https://other.test/x.js" crossorigin></script><script>const late = document.createElement("script"); late.src = "/late.js"; document.head.append(late)</script>`,
          `<meta http-equiv="content-security-policy" content="script-src 'none'"><form action="http://plain.test/in" method=POST></form><form name=head></form>`,
        ),
      },
    });
    const readings = await load("https://site.test/", { "site.test:443": server });
    const { metas, subresources, forms, title } = factsOf(readings, "dom");
    expect(title).toBe("page");
    expect(metas).toEqual([
      { httpEquiv: null, name: "charset", content: "utf-8", truncated: false },
      { httpEquiv: "content-security-policy", name: null, content: "img-src *", truncated: false },
      { httpEquiv: null, name: "referrer", content: "origin", truncated: false },
    ]);
    const same = { sameSite: true, sameOrigin: true };
    expect(subresources).toEqual([
      { url: "https://site.test/style.css", kind: "style", integrity: "sha256-x", crossOrigin: null, ...same },
      { url: "https://cdn.site.test/lib.js", kind: "preload", integrity: null, crossOrigin: null, sameSite: true, sameOrigin: false },
      { url: "https://other.test/x.js", kind: "script", integrity: null, crossOrigin: "", sameSite: false, sameOrigin: false },
      { url: "https://site.test/late.js", kind: "script", integrity: null, crossOrigin: null, ...same },
    ]);
    expect(forms).toEqual([
      { action: "http://plain.test/in", method: "post" },
      { action: "https://site.test/", method: "get" },
    ]);
  });

  test("has each redirect with its header fields, also navigation by script and by meta element", async () => {
    const secure = await site({
      "/start": { status: 308, headers: { location: "/script", "x-mark": "two" } },
      "/script": { body: `<script>location.replace("/refresh")</script>` },
      "/refresh": { body: `<meta http-equiv=refresh content="0;url=/end">` },
      "/end": { body: document("") },
    });
    const insecure = await plain({ "/": { status: 301, headers: { location: "https://site.test/start", "x-mark": "one" } } });
    const readings = await load("http://site.test/", { "site.test:80": insecure, "site.test:443": secure });
    const { hops, finalUrl, finalStatus } = factsOf(readings, "navigation");
    expect(hops.map(({ url, status, internal }) => [url, status, internal])).toEqual([
      ["http://site.test/", 301, false],
      ["https://site.test/start", 308, false],
      ["https://site.test/script", 200, false],
      ["https://site.test/refresh", 200, false],
    ]);
    expect(hops.flatMap(({ headers }) => headers.filter(({ name }) => name === "x-mark").map(({ value }) => value))).toEqual([
      "one",
      "two",
    ]);
    expect([finalUrl, finalStatus]).toEqual(["https://site.test/end", 200]);
    expect(factsOf(readings, "dom").title).toBe("page");
  });

  test("over plain http has no TLS parameters", async () => {
    const readings = await load("http://site.test/", { "site.test:80": await plain({ "/": { body: document("") } }) });
    expect(factsOf(readings, "navigation").security).toBeNull();
  });

  test("has the cookies of first-party answers without values", async () => {
    const long = "s".repeat(headerValueCharsMax);
    const server = await site({
      "/": { status: 302, headers: { location: "/in", "set-cookie": "hop=secret; Path=/" } },
      "/in": {
        headers: {
          "set-cookie": [
            "sid=secret=secret; Secure; HttpOnly; SameSite=Lax",
            "secret",
            `long=${long}; Secure`,
            "__Host-x=secret; Domain=other.test",
            "=secret; Path=/",
          ],
        },
        body: document(`<script src=/sub.js></script><script src="https://other.test/third.js"></script>`),
      },
      "/sub.js": { headers: { "set-cookie": "sub=secret" } },
    });
    const other = await site({ "/third.js": { headers: { "set-cookie": "third=secret" } } }, "other.test");
    const { setCookies } = factsOf(await load("https://site.test/", { "site.test:443": server, "other.test:443": other }), "page");
    expect(setCookies.map(({ line, truncated }) => [line, truncated])).toEqual([
      ["hop=<redacted>; Path=/", false],
      ["sid=<redacted>; Secure; HttpOnly; SameSite=Lax", false],
      ["<redacted>", false],
      ["long=<redacted>", true],
      ["__Host-x=<redacted>; Domain=other.test", false],
      ["=<redacted>; Path=/", false],
      ["sub=<redacted>", false],
    ]);
    expect(setCookies.every(({ host, overHttps }) => host === "site.test" && overHttps)).toBe(true);
  });

  test("misses no cookies of answers from the caches of the browser", async () => {
    const kept = { "cache-control": "max-age=1000", "set-cookie": "kept=secret" };
    const parts = `<link rel=stylesheet href=/kept.css><script src=/kept.js></script><script>fetch("/kept.txt")</script>`;
    const server = await plain({
      "/": {
        body: document(
          parts,
          `<script>onload = () => { document.body.append(Object.assign(document.createElement("iframe"), { src: "/frame" })) }</script>`,
        ),
      },
      "/frame": { headers: { "set-cookie": "frame=secret" }, body: document(parts) },
      "/kept.css": { headers: { ...kept, "content-type": "text/css" }, body: "a {}" },
      "/kept.js": { headers: { ...kept, "content-type": "text/javascript" }, body: "1" },
      "/kept.txt": { headers: kept, body: "1" },
    });
    const { setCookies, setCookiesDropped } = factsOf(await load("http://site.test/", { "site.test:80": server }), "page");
    const asked = server.requests.map(({ path }) => path).filter((path) => path.startsWith("/kept"));
    expect(asked.sort()).toEqual(["/kept.css", "/kept.js", "/kept.txt"]);
    expect(setCookies.map(({ line }) => line)).toEqual(["frame=<redacted>", ...asked.map(() => "kept=<redacted>")]);
    expect(setCookiesDropped).toBe(0);
  });

  test("has the origins that it loads from by kind, before redirects too, without those of frames of other sites", async () => {
    const flood = `for (let i = 0; i < 300; i++) fetch("https://host-" + i + ".other.test/").catch(() => {})`;
    const secure = await site({
      "/": {
        body: document(
          "",
          `<img src="https://cdn.test/to-image"><iframe src="https://other.test/frame"></iframe><link rel=stylesheet href=/s.css><script>new WebSocket("wss://live.test/x")</script>`,
        ),
      },
      "/to-image": { status: 302, headers: { location: "https://image.test/i.png" } },
      "/frame": { body: document("", '<img src="https://inside.test/i.png">') },
      "/flood": { body: document("", `<script>${flood}</script>`) },
      "*": { body: "" },
    });
    const places = Object.fromEntries(["site", "cdn", "image", "other", "inside", "live"].map((name) => [`${name}.test:443`, secure]));
    const { loadedOrigins } = factsOf(await load("https://site.test/", places), "requests");
    expect(loadedOrigins).toEqual([
      { kind: "document", origin: "https://other.test" },
      { kind: "image", origin: "https://cdn.test" },
      { kind: "image", origin: "https://image.test" },
      { kind: "stylesheet", origin: "https://site.test" },
      { kind: "websocket", origin: "wss://live.test" },
    ]);
    const flooded = factsOf(await load("https://site.test/flood", places), "requests");
    expect(flooded.loadedOrigins?.length).toBeLessThanOrEqual(loadedOriginsMax);
    expect(flooded.loadedOriginsDropped).toBeGreaterThan(0);
  });

  test("has its insecure requests and their outcomes", async () => {
    const secure = await site({
      "/": {
        body: document(
          `<script src="http://other.test/active.js"></script><link rel=stylesheet href="http://other.test/active.css">`,
          `<img src="http://other.test/passive.png"><iframe src="http://other.test/frame"></iframe><script>fetch("http://other.test/fetch").catch(() => {})</script>`,
        ),
      },
    });
    const readings = await load("https://site.test/", { "site.test:443": secure, "other.test:80": await plain({}) });
    const { insecure } = factsOf(readings, "requests");
    const outcomes = Object.fromEntries(insecure.map(({ url, outcome }) => [new URL(url).pathname, outcome]));
    expect(outcomes).toEqual({
      "/active.js": "blocked",
      "/active.css": "blocked",
      "/passive.png": "upgraded",
      "/frame": "blocked",
      "/fetch": "blocked",
    });
  });

  test("has the resources that the browser refused because of integrity", async () => {
    const server = await site({
      "/": {
        body: document(
          `<script src=/wrong.js integrity="sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="></script>
           <script src=/right.js integrity="sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="></script>
           <script>console.error("Failed to find a valid digest in the 'integrity' attribute for resource 'https://site.test/forged.js'")</script>`,
        ),
      },
      "/wrong.js": { body: "1" },
      "/right.js": { body: "" },
    });
    const { integrityBlocked } = factsOf(await load("https://site.test/", { "site.test:443": server }), "requests");
    expect(integrityBlocked).toEqual(["https://site.test/wrong.js"]);
  });

  for (const flaw of [
    "expired",
    "not-yet-valid",
    "wrong-host",
    "self-signed",
    "unknown-root",
    "missing-intermediate",
    "no-names",
  ] satisfies Flaw[]) {
    test(`with a certificate that is ${flaw} is read with all its requests`, async () => {
      const server = keep(
        await startHttps(siteIdentity("site.test", { flaw }), { "/": { body: document("<script src=/a.js></script>") }, "/a.js": {} }),
      );
      const readings = await load("https://site.test/", { "site.test:443": server });
      expect(factsOf(readings, "dom").title).toBe("page");
      expect(server.requests.map(({ path }) => path)).toContain("/a.js");
    });
  }

  test("gets a browser context without state", async () => {
    const server = await site({
      "/": {
        headers: { "set-cookie": "a=b; Max-Age=1000", "cache-control": "max-age=1000" },
        body: document("<script src=/a.js></script>"),
      },
      "/a.js": { headers: { "cache-control": "max-age=1000" } },
    });
    for (let time = 0; time < 2; time++) await load("https://site.test/", { "site.test:443": server });
    expect(server.requests.filter(({ path }) => path !== "/favicon.ico").map(({ path }) => path)).toEqual(["/", "/a.js", "/", "/a.js"]);
    const documents = server.requests.filter(({ path }) => path === "/");
    expect(documents.every(({ headers }) => headers.cookie === undefined)).toBe(true);
  });

  test("is isolated from concurrent pages", async () => {
    const places = {
      "site.test:443": await site({
        "*": (request, response) =>
          response.setHeader("set-cookie", `c=${request.url}; Path=${request.url}`).end(document("<script src=?x></script>")),
      }),
    };
    const names = Array.from({ length: 8 }, (_, at) => `/page${at}`);
    const all = await Promise.all(names.map((name) => load(`https://site.test${name}`, places)));
    for (const [at, readings] of all.entries()) {
      const { url, setCookies } = factsOf(readings, "page");
      expect(url).toBe(`https://site.test${names[at]}`);
      expect(
        setCookies.every(({ line }) => line === `c=<redacted>; Path=${names[at]}` || line === `c=<redacted>; Path=${names[at]}?x`),
      ).toBe(true);
    }
  });
});

/** TLS server that answers each path with raw bytes and closes the connection. */
async function startTcpTls(bytesOf: (path: string) => string): Promise<TestServer> {
  const { certificateChainPem: cert, privateKeyPem: key } = siteIdentity("site.test");
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert, key },
    socket: {
      data: (socket, head) => {
        socket.end(bytesOf(head.toString().split(" ")[1] ?? "/"));
      },
    },
  });
  return { port: server.port, requests: [], connections: 0, stop: async () => server.stop(true) };
}
