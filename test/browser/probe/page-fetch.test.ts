/** Documents of the scanned origin with other headers than their server sent, in the real browser. */
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { documentBytesMax, type ReplacedHeader } from "../../../src/probe/browser/page-fetch.ts";
import { PageObserver } from "../../../src/probe/browser/page-observer.ts";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { egressTo, type Routes, startHttps, type TestServer } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { factsOf, patientDeadlines, type VisitOptions, visit } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

const origin = "https://site.test";
const csp = "content-security-policy";
const noScripts: readonly ReplacedHeader[] = [{ name: "Content-Security-Policy", value: "script-src 'none'" }];

/** Its title is "ran" where its script runs. */
const titled = (more = "") => `<!doctype html><html lang="en"><head><title>T\u00fcr</title></head><body>${more}
<script>document.title = "ran " + document.title</script></body></html>`;
const html = (body: string | Uint8Array, headers: Record<string, string | readonly string[]> = {}) => ({
  headers: { "content-type": "text/html; charset=utf-8", ...headers },
  body,
});

async function startSite(routes: Routes): Promise<TestServer> {
  return keep(await startHttps(siteIdentity("site.test"), { ...routes, "*": { status: 404, body: "" } }));
}

/** `headers` undefined: an ordinary visit. */
async function visited(
  server: TestServer,
  headers?: readonly ReplacedHeader[],
  { nonce = null, ...more }: Partial<VisitOptions> & { readonly nonce?: string | null } = {},
) {
  const observer = new PageObserver(headers === undefined ? null : { origin, headers, nonce, canaries: null });
  const egress = egressTo({ "site.test:443": server, "other.test:443": server });
  const readings = await visit(browser, `${origin}/`, { egress, deadlines: patientDeadlines, observer, ...more });
  return { readings, unchanged: observer.observation().unchanged };
}

async function titleOf(server: TestServer, headers?: readonly ReplacedHeader[]): Promise<string> {
  const { readings, unchanged } = await visited(server, headers);
  expect(unchanged).toBe(null);
  return factsOf(readings, "dom").title;
}

const compressed = { gzip: gzipSync(titled()), br: brotliCompressSync(titled()), zstd: zstdCompressSync(titled()) };
const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(titled(), "utf16le")]);

test.each<[string, ReturnType<typeof html>]>([
  ["as it is", html(titled())],
  ...Object.entries(compressed).map(([name, body]): [string, ReturnType<typeof html>] => [name, html(body, { "content-encoding": name })]),
  ["in UTF-16", html(utf16, { "content-type": "text/html" })],
  ["in windows-1252", html(Buffer.from(titled(), "latin1"), { "content-type": "text/html; charset=windows-1252" })],
  [
    "as XHTML",
    html(titled().replace("<!doctype html><html", '<html xmlns="http://www.w3.org/1999/xhtml"'), {
      "content-type": "application/xhtml+xml",
    }),
  ],
])("a document %s gets the headers and stays as it is", async (_words, page) => {
  const server = await startSite({ "/": page });
  expect([await titleOf(server), await titleOf(server, []), await titleOf(server, noScripts)]).toEqual([
    "ran T\u00fcr",
    "ran T\u00fcr",
    "T\u00fcr",
  ]);
});

test("the fields replace those of their name, in any case, and null takes them away", async () => {
  const server = await startSite({ "/": html(titled(), { [csp]: ["script-src 'none'", "img-src 'none'"] }) });
  expect(await titleOf(server, [{ name: "CONTENT-SECURITY-POLICY", value: "img-src 'none'" }])).toBe("ran T\u00fcr");
  expect(await titleOf(server, [{ name: csp, value: null }])).toBe("ran T\u00fcr");
  expect(await titleOf(server, [])).toBe("T\u00fcr");
});

test("cookies, redirects and the other fields stay", async () => {
  const page = html(`<script>document.title = document.cookie</script>`, {
    "set-cookie": ["a=1; Secure", "b=2; Secure; HttpOnly"],
    "x-own": "1",
  });
  const server = await startSite({ "/": { status: 302, headers: { location: "/page", "set-cookie": "c=3; Secure" } }, "/page": page });
  const { readings } = await visited(server, [{ name: "x-added", value: "2" }]);
  expect(factsOf(readings, "dom").title).toBe("c=3; a=1");
  expect(factsOf(readings, "navigation")).toMatchObject({ finalUrl: `${origin}/page`, finalStatus: 200, hops: [{ status: 302 }] });
  const names = factsOf(readings, "page").headers.map(({ name }) => name.toLowerCase());
  expect(names).toEqual(expect.arrayContaining(["x-own", "x-added"]));
});

describe("only documents of the origin are changed", () => {
  const framed = (target: string) =>
    html(`<iframe src="${target}"></iframe><script>addEventListener("message", ({ data }) => { document.title = data })</script>`);
  const telling = html(`<script>parent.postMessage("frame ran", "*")</script>`);
  const open: readonly ReplacedHeader[] = [{ name: csp, value: null }];

  test("frames of it too", async () => {
    const server = await startSite({
      "/": framed("/frame"),
      "/frame": { ...telling, headers: { ...telling.headers, [csp]: "script-src 'none'" } },
    });
    expect([await titleOf(server), await titleOf(server, open)]).toEqual(["", "frame ran"]);
  });

  test("frames of another one not", async () => {
    const closed = { ...telling, headers: { ...telling.headers, [csp]: "script-src 'none'" } };
    const server = await startSite({ "/": framed("https://other.test/frame"), "/frame": closed });
    expect(await titleOf(server, open)).toBe("");
  });

  test("a page that goes to another one not", async () => {
    const server = await startSite({ "/": { status: 302, headers: { location: "https://other.test/page" } }, "/page": html(titled()) });
    expect(await titleOf(server, noScripts)).toBe("ran T\u00fcr");
  });
});

describe("a document that cannot be changed is told", () => {
  const large = titled(`<!--${"x".repeat(documentBytesMax)}-->`);

  test("above the limit, by its length", async () => {
    const server = await startSite({ "/": html(large, { "content-length": String(Buffer.byteLength(large)) }) });
    const { readings, unchanged } = await visited(server, noScripts);
    expect([factsOf(readings, "dom").title, unchanged]).toEqual(["ran T\u00fcr", "document-too-large"]);
  });

  test.each([
    ["without a length", html(large)],
    ["compressed", html(gzipSync(large), { "content-encoding": "gzip" })],
  ])("above the limit, %s", async (_words, page) => {
    expect((await visited(await startSite({ "/": page }), noScripts)).unchanged).toBe("document-too-large");
  });
});

test("frames that are gone before their answer are no fault", async () => {
  const held: (() => void)[] = [];
  const server = await startSite({
    "/": html(
      `<iframe id="f" src="/held"></iframe><script>fetch("/drop").then(() => { f.remove(); document.title = "dropped"; return fetch("/free"); })</script>`,
    ),
    "/held": (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.write("<p>begun");
      held.push(() => response.end());
    },
    "/drop": { body: "" },
    "/free": (_request, response) => {
      for (const free of held) free();
      response.end();
    },
  });
  expect(await titleOf(server, [])).toBe("dropped");
});

describe("a nonce", () => {
  const nonce = "bm9uY2Vub25jZW5vbmNl";
  const policy = [{ name: csp, value: `script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'` }];

  test("is written into the elements of the document, not into its texts", async () => {
    const body = titled(
      `<!-- <script> --><script nonce="own-nonce">window.text = "<script src='x'>"; document.title = text.length</script>
       <script src="/add.js"></script><template><script>1</script></template><style>p { color: red }</style><p>t`,
    );
    const server = await startSite({
      "/": html(body),
      "/add.js": { headers: { "content-type": "text/javascript" }, body: "document.title += 'file '" },
    });
    const { readings, unchanged } = await visited(server, policy, { nonce });
    expect([factsOf(readings, "dom").title, factsOf(readings, "requests").cspViolations, unchanged]).toEqual(["ran 16file", [], null]);
    expect(factsOf((await visited(server, policy)).readings, "dom").title).toBe("T\u00fcr");
  });

  const [little, plain] = [Buffer.from(titled(), "utf16le"), { "content-type": "text/html" }];
  test.each([
    ["UTF-16 with a mark", html(utf16, plain)],
    ["UTF-16 of the other order", html(Buffer.from(utf16).swap16(), plain)],
    ["UTF-16 by its type", html(little, { "content-type": "text/html; charset=utf-16" })],
    ["UTF-16 of the other order by its type", html(Buffer.from(little).swap16(), { "content-type": 'text/html; charset="UTF-16BE"' })],
    ["UTF-8 with a mark, and a wrong type", html(`\ufeff${titled()}`, { "content-type": "text/html; charset=utf-16" })],
    [
      "windows-1252 by an unknown type",
      html(Buffer.from(titled().replace("\u00fc", "u"), "latin1"), { "content-type": "text/html; charset=x-own" }),
    ],
  ])("is written into %s", async (_words, page) => {
    const { readings, unchanged } = await visited(await startSite({ "/": page }), policy, { nonce });
    expect([factsOf(readings, "dom").title.replace("u", "\u00fc"), unchanged]).toEqual(["ran T\u00fcr", null]);
  });
});

test("a script that asks for a document reads the headers of the visit, and other files keep theirs", async () => {
  const asking = `const own = (path, options) => fetch(path, options).then((answer) => answer.headers.get("${csp}"));
    const xhr = new XMLHttpRequest(); xhr.open("GET", "/", false); xhr.send();
    Promise.all([own("/"), own("/", { method: "HEAD" }), own("/data"), own("/gone").catch(() => "gone"), own("/moved")])
      .then((values) => { document.title = [...values, xhr.getResponseHeader("${csp}"), xhr.responseText.length > 99].join(" ") })`;
  const server = await startSite({
    "/": html(`<script>${asking}</script>`, { [csp]: "img-src *" }),
    "/data": { headers: { "content-type": "application/json", [csp]: "img-src data:" }, body: "{}" },
    "/gone": (request) => void request.socket.destroy(),
    "/moved": { status: 302, headers: { location: "/", [csp]: "img-src blob:" } },
  });
  expect(await titleOf(server)).toBe("img-src * img-src * img-src data: gone img-src * img-src * true");
  expect(await titleOf(server, [{ name: csp, value: "img-src new:" }])).toBe(
    "img-src new: img-src new: img-src data: gone img-src new: img-src new: true",
  );
});

test("a header that the browser refuses is told, and the page does not wait for it", async () => {
  expect((await visited(await startSite({ "/": html(titled()) }), [{ name: "x y", value: "1\u0000" }])).unchanged).toBe(
    "document-unreadable",
  );
});

test("credentials are sent in the same visit", async () => {
  const server = await startSite({
    "/": (request, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(request.headers["x-gate"] === "secret-of-the-gate" ? titled() : "closed");
    },
  });
  const credentials = { origin, headers: [{ name: "X-Gate", value: "secret-of-the-gate" }], cookies: [], browserVerifies: false };
  const { readings } = await visited(server, noScripts, { credentials });
  expect(factsOf(readings, "dom").title).toBe("T\u00fcr");
});
