/** `assay prove` on real pages: drafts that work when they are deployed, policies that break, and pages that allow no verdict. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { ProofBody } from "../../../src/evidence/proof.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { run } from "../../support/program.ts";
import { type Routes, startHttps, type TestServer } from "../../support/servers.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-prove-"));
const root = join(folder, "root.pem");
writeFileSync(root, testAuthority().root.pem);
afterEach(cleanUp);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const proofMsMax = 300_000;
const csp = "content-security-policy";
const html = (body: string, headers: Record<string, string> = {}) => ({
  headers: { "content-type": "text/html; charset=utf-8", ...headers },
  body,
});
const script = (body: string) => ({ headers: { "content-type": "text/javascript" }, body });
const page = (head: string, body = "") =>
  `<!doctype html><html lang="en"><head><title>Blog</title>${head}</head><body><h1>Blog</h1>${body}</body></html>`;
const inlineScripts = (count: number) => Array.from({ length: count }, (_, n) => `<script>window.value${n} = ${n}</script>`).join("\n");

async function start(routes: Routes): Promise<TestServer> {
  return keep(
    await startHttps(siteIdentity("site.test"), { "*": { status: 404, headers: { "content-type": "text/plain" }, body: "" }, ...routes }),
  );
}

interface ProofOutput {
  readonly verdict: string;
  readonly because: string | null;
  readonly rung: string | null;
  readonly usesNonce: boolean;
  readonly costs: readonly string[];
  readonly headers: readonly { readonly name: string; readonly value: string | null }[];
  readonly blocked: readonly Record<string, unknown>[];
  readonly lost: readonly { readonly url: string }[];
  readonly refused: readonly { readonly rung: string; readonly because: string }[];
  readonly unneeded?: ProofBody["unneeded"];
  readonly score: { readonly before: number; readonly after: number | null };
  readonly canaries: readonly { readonly name: string; readonly outcome: string }[];
  readonly visits: number;
}

async function prove(server: TestServer, ...args: readonly string[]) {
  const file = join(folder, "proof.json");
  const place = ["--connect-to", `site.test:443=127.0.0.1:${server.port}`, "--connect-to", `cdn.test:443=127.0.0.1:${server.port}`];
  const output = ["-o", `json=${file}`, "--data", join(folder, "data"), "--ca-file", root, "--allow-cidr", "127.0.0.1", ...place];
  rmSync(file, { force: true });
  const result = await run(["prove", "https://site.test/", ...output, ...args]);
  const all = (): ProofOutput & { readonly pages: readonly ProofOutput[] } => JSON.parse(readFileSync(file, "utf8"));
  const proof = (): ProofOutput => ({ ...all(), ...all().pages[0] });
  return { ...result, proof, all };
}

const policyOf = ({ headers }: ProofOutput) => headers.find(({ name }) => name.toLowerCase() === csp)?.value ?? "";

const blog: Routes = {
  "/": html(
    page(
      `<link rel="stylesheet" href="/site.css"><style>p { color: red }</style>${inlineScripts(4)}`,
      `<p style="margin: 1px">text</p><img src="/i.svg"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><form action="/send" method="post"></form>
       <script>const s = document.createElement("script"); s.src = "/app.js"; document.head.append(s)</script>`,
    ),
  ),
  "/site.css": { headers: { "content-type": "text/css" }, body: "h1 { color: blue }" },
  "/i.svg": { headers: { "content-type": "image/svg+xml" }, body: "<svg xmlns='http://www.w3.org/2000/svg'/>" },
  "/app.js": script("fetch('https://cdn.test/api').then(() => document.body.append(document.createElement('hr')))"),
  "/api": { headers: { "access-control-allow-origin": "*", "content-type": "text/plain" }, body: "ok" },
};

/** The page as its server would send it with the headers of the proof: a new nonce in each answer. */
function deployed(routes: Routes, body: string, { headers, usesNonce }: ProofOutput): Routes {
  return {
    ...routes,
    "/": (_request, response) => {
      const fresh = randomBytes(16).toString("base64url");
      const withNonce = (text: string) => text.replaceAll("{nonce}", fresh);
      const added = headers.flatMap(({ name, value }) => (value === null ? [] : [[name, withNonce(value)]]));
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...Object.fromEntries(added) });
      response.end(!usesNonce ? body : body.replaceAll(/<(script|style)/g, `<$1 nonce="${fresh}"`));
    },
  };
}

describe("a draft", () => {
  test.each<[string, Routes, string, readonly string[], readonly string[]]>([
    ["a blog with five inline scripts", blog, "strict-hash", [], []],
    ["one with thirty", { ...blog, "/": html(page(inlineScripts(30))) }, "strict-nonce", [], ["strict-hash many-hashes"]],
    [
      "a page with script files",
      { ...blog, "/": html(page(`<script src="/app.js"></script>${inlineScripts(1)}`)) },
      "strict-nonce",
      [],
      ["strict-hash external-scripts"],
    ],
    ["by hosts", { ...blog, "/": html(page(`<script src="/app.js"></script>${inlineScripts(1)}`)) }, "hosts", ["--draft", "hosts"], []],
  ])(
    "for %s works, also when its server sends it",
    async (_words, routes, rung, args, refused) => {
      const { code, stdout, proof } = await prove(await start(routes), ...args);
      const result = proof();
      expect({ code, ...result, refused: result.refused.map((one) => `${one.rung} ${one.because}`) }).toMatchObject({
        code: 0,
        verdict: "works",
        rung,
        refused,
      });
      expect(stdout).toContain("Works: nothing of the page is blocked");
      expect([stdout, result.unneeded]).toEqual([
        expect.stringContaining("'self' in form-action"),
        expect.arrayContaining([{ directive: "form-action", source: "'self'" }]),
      ]);
      expect(result.canaries.map(({ outcome }) => outcome)).toEqual(Array(8).fill("stopped"));
      expect(policyOf(result).length).toBeLessThanOrEqual(512);
      expect(result.visits).toBeLessThanOrEqual(8);
      const { body } = routes["/"] as { readonly body: string };
      const there = await prove(await start(deployed(routes, body, result)), "--header", "x-nothing: 1");
      expect(there.proof()).toMatchObject({ verdict: "works", score: { before: result.score.after } });
      expect(result.score.after).toBeGreaterThan(result.score.before);
    },
    proofMsMax,
  );

  test(
    "takes the place of the application's own nonce, also where its document repeats it",
    async () => {
      const answered = (_request: IncomingMessage, response: ServerResponse) => {
        const nonce = randomBytes(16).toString("base64");
        const written =
          "'<script nonce=\"' + document.querySelector('meta[name=csp-nonce]').content + '\">document.write(\"<hr>\")<\\/script>'";
        const code = `window.own = "${nonce}"; document.write(${written})`;
        const text = page(`<meta name="csp-nonce" content="${nonce}">`, `<script nonce="${nonce}">${code}</script>`);
        response.writeHead(200, { "content-type": "text/html; charset=utf-8", [csp]: `script-src 'nonce-${nonce}'` }).end(text);
      };
      const { code, proof } = await prove(await start({ "/": answered }));
      expect([code, proof().verdict, proof().rung, proof().refused.map(({ because }) => because)]).toEqual([
        0,
        "works",
        "strict-nonce",
        ["changing-scripts"],
      ]);
    },
    proofMsMax,
  );

  test(
    "is refused where handlers would need 'unsafe-inline', with the reason",
    async () => {
      const handlers = Array.from({ length: 6 }, (_, n) => `<button onclick="go(${n})">go</button>`).join("");
      const { code, stdout, proof } = await prove(await start({ "/": html(page("", handlers)) }));
      expect([code, proof().verdict, stdout]).toEqual([1, "no-draft", expect.stringContaining("event handlers in attributes")]);
    },
    proofMsMax,
  );
});

describe("a policy of the user", () => {
  const policyFile = join(folder, "policy.txt");
  const provePolicy = (server: TestServer, policy: string, ...args: readonly string[]) => {
    writeFileSync(policyFile, policy);
    return prove(server, "--policy", policyFile, ...args);
  };

  test(
    "that breaks the page is refused with directive, address, line and what to do",
    async () => {
      const { code, stdout, proof } = await provePolicy(await start(blog), "default-src 'none';\nimg-src 'self' data:;\nstyle-src 'self'");
      expect(code).toBe(1);
      const directives = proof().blocked.map(({ directive }) => directive);
      expect(directives.sort()).toEqual(
        ["script-src-elem", "style-src-attr", "style-src-elem"].flatMap((name) =>
          name === "script-src-elem" ? Array(5).fill(name) : [name],
        ),
      );
      expect(stdout).toMatch(/script-src-elem: inline code \(https:\/\/site\.test\/:\d+\)/);
      // `default-src 'none'` is no list to which a source could be added.
      expect(stdout).toMatch(/add a directive: script-src\s+'sha256-[^']+'\./);
      expect(stdout).toMatch(/^ {4}script-src( 'sha256-[^']+'){5}$/m);
      expect(proof().lost.map(({ url }) => url)).toEqual(["https://site.test/app.js", "https://cdn.test/api"]);
    },
    proofMsMax,
  );

  test(
    "in German",
    async () => {
      const { code, stdout } = await provePolicy(await start(blog), "default-src 'self'", "--locale", "de-de");
      expect([code, stdout]).toEqual([1, expect.stringContaining("Die Seite geht kaputt")]);
    },
    proofMsMax,
  );

  test(
    "that works but is weak names what runs, and fails",
    async () => {
      const policy = "default-src 'self' 'unsafe-inline' https://cdn.test; img-src 'self' data:; base-uri 'none'; form-action 'self'";
      const { code, stdout, proof } = await provePolicy(await start(blog), policy);
      expect([code, proof().verdict]).toEqual([1, "works"]);
      const running = proof().canaries.filter(({ outcome }) => outcome === "runs");
      expect(running.map(({ name }) => name)).toEqual(["inline-script", "event-handler", "frame-document", "javascript-link"]);
      expect(stdout).toContain("Breaks nothing, but injected code still runs.");
      expect(stdout).toContain("inline script: RUNS");
    },
    proofMsMax,
  );

  test(
    "is reported nowhere, neither what it blocks nor the injected code",
    async () => {
      const own = { [csp]: "img-src *; report-uri /today", [`${csp}-report-only`]: "default-src 'none'; report-uri /today", nel: "{}" };
      const server = await start({
        ...blog,
        "/": html((blog["/"] as { readonly body: string }).body.replace(/<script>const s.*?<\/script>/s, ""), own),
      });
      const before = server.requests.length;
      const { proof } = await provePolicy(
        server,
        "default-src 'self' 'unsafe-inline'; img-src 'self' data:; report-uri /planned; report-to planned",
      );
      expect(proof().canaries.map(({ outcome }) => outcome)).toContain("stopped");
      const paths = server.requests.slice(before).map(({ path }) => path);
      expect(paths).not.toContain("/planned");
      // The page itself reports as it does today: the scan, and the visits without changed headers.
      expect(paths.filter((path) => path === "/today").length).toBeGreaterThan(0);
      expect(JSON.stringify(server.requests)).not.toContain("canary");
    },
    proofMsMax,
  );

  test(
    "that a page reacts to by going elsewhere, or that it floods, is never a pass",
    async () => {
      const leaving = html(page("<script>window.ok = 1</script>", `<script src="/guard.js"></script>`));
      const guard = script("if (!window.ok) location.href = '/blocked'");
      const gone = await provePolicy(await start({ "/": leaving, "/guard.js": guard, "/blocked": html(page("")) }), "script-src 'self'");
      expect([gone.code, gone.proof().verdict]).toEqual([1, "blocks"]);
      const many = "for (let i = 0; i < 10000; i++) document.body.setAttribute('style', 'top: ' + i + 'px'); window.close()";
      const flooded = await provePolicy(await start({ "/": html(page("", `<script>${many}</script>`)) }), "style-src 'self'");
      expect([flooded.code, flooded.proof().verdict]).toEqual([1, "blocks"]);
    },
    proofMsMax,
  );

  test(
    "on a page of 5,000 inline scripts is answered",
    async () => {
      const { code, proof } = await prove(await start({ "/": html(page(inlineScripts(5_000))) }));
      expect([code, proof().verdict, proof().rung]).toEqual([0, "works", "strict-nonce"]);
    },
    proofMsMax,
  );

  test("with a fault is told by position, and nothing is visited", async () => {
    const server = await start(blog);
    const { code, stderr } = await provePolicy(server, "default-src 'self';\nscript-scr self");
    expect([code, server.requests]).toEqual([2, []]);
    expect(stderr).toContain('line 2, column 1: "script-scr" is no directive; did you mean script-src?');
  });
});

test(
  "mutation: a source of each kind that is dropped from a proven policy breaks it, and is named",
  async () => {
    const server = await start(blog);
    const policy = policyOf((await prove(server)).proof());
    const sources = [...policy.matchAll(/ ('sha256-[^']+'|data:|cdn\.test|'unsafe-inline')/g)].map(([word = ""]) => word);
    // The suite `proofs` drops each source of each application.
    const ofEachKind = [...Map.groupBy(sources, (source) => source.slice(0, "'sha256".length)).values()].map(([first = ""]) => first);
    expect([sources.length >= 8, ofEachKind.length]).toEqual([true, 4]);
    const file = join(folder, "mutated.txt");
    for (const source of ofEachKind) {
      writeFileSync(file, policy.replace(source, ""));
      const { code, proof } = await prove(server, "--policy", file);
      expect([source, code, proof().verdict, proof().blocked.length > 0]).toEqual([source, 1, "blocks", true]);
    }
  },
  2 * proofMsMax,
);

describe("no verdict", () => {
  let visits = 0;
  test.each<[string, Routes, string]>([
    [
      "a page that differs at every visit",
      {
        "/": (_request, response) =>
          void response.end(page("", Array.from({ length: 40 }, () => `<x-${++visits}></x-${visits}>`).join(""))),
      },
      "differs",
    ],
    [
      "a page that never settles",
      { "/": html(page("", "<script>setInterval(() => document.body.append(document.createElement('input')), 50)</script>")) },
      "never-settles",
    ],
    ["a document of 40 MB", { "/": html(page("", `<!--${"x".repeat(40_000_000)}-->`)) }, "document-too-large"],
  ])(
    "for %s",
    async (_words, routes, because) => {
      const { code, proof, stdout } = await prove(await start(routes), "--header", "x-frame-options: DENY");
      expect([code, proof().verdict, proof().because]).toEqual([1, "unknown", because]);
      expect(stdout).toContain("This cannot be told");
    },
    proofMsMax,
  );

  test("a page that is not reachable is no page to prove", async () => {
    const server = await start({ "/": (request) => void request.socket.destroy() });
    expect((await prove(server)).code).toBe(3);
  });
});

describe("several pages", () => {
  const site: Routes = {
    ...blog,
    "/about": html(page("", `<img src="https://cdn.test/about.svg">`)),
    "/contact": html(page("", `<form action="https://cdn.test/send" method="post"></form><script src="/app.js"></script>`)),
    "/about.svg": { headers: { "content-type": "image/svg+xml" }, body: "<svg xmlns='http://www.w3.org/2000/svg'/>" },
    "/moved": { status: 302, headers: { location: "https://cdn.test/" } },
    "/sitemap.xml": {
      headers: { "content-type": "application/xml" },
      body: `<urlset>${["", "about", "contact"].map((path) => `<url><loc>https://site.test/${path}</loc></url>`).join("")}</urlset>`,
    },
  };

  test(
    "of a sitemap get one policy, a table, and files",
    async () => {
      const [lines, file] = [join(folder, "headers.conf"), join(folder, "proof.html")];
      const { code, stdout, stderr, all } = await prove(
        await start(site),
        ...[
          "https://site.test/about",
          "--from-sitemap",
          "https://site.test/sitemap.xml",
          "--format",
          "nginx",
          "--write",
          lines,
          "-o",
          `html=${file}`,
        ],
      );
      expect([code, all().verdict, all().pages.length, all().rung]).toEqual([0, "works", 3, "strict-nonce"]);
      const policy = policyOf(all());
      expect(policy).toMatch(/img-src 'self' cdn\.test data:|img-src 'self' data: cdn\.test/);
      expect(policy).toContain("form-action 'self' cdn.test");
      expect(stdout).toContain("Works on all pages");
      expect(stdout).toMatch(/^ {2}works {3,}\d+ -> \d+ +stopped +https:\/\/site\.test\/about$/m);
      expect(readFileSync(lines, "utf8")).toBe(`add_header Content-Security-Policy "${policy}" always;\n`);
      expect(readFileSync(file, "utf8")).toContain("https://site.test/contact");
      expect(stderr).toMatch(/visit \d+, attack {2}https:\/\/site\.test\//);
    },
    proofMsMax,
  );

  test(
    "one that breaks fails the call, is told with what to do, and no headers are written",
    async () => {
      const [policy, lines] = [join(folder, "site-policy.txt"), join(folder, "unwritten.txt")];
      writeFileSync(policy, "default-src 'self' 'unsafe-inline' data: cdn.test; base-uri 'none'; img-src 'self' data:");
      const { code, stdout, stderr, all } = await prove(await start(site), "https://site.test/about", "--policy", policy, "--write", lines);
      expect([code, all().verdict, all().pages.map(({ verdict }) => verdict)]).toEqual([1, "blocks", ["works", "blocks"]]);
      expect(stdout).toMatch(/works +\d+ -> \d+ +- +https:\/\/site\.test\/\n/);
      expect(stdout).toContain("To allow it, add cdn.test to img-src.");
      expect([stderr, existsSync(lines)]).toEqual([expect.stringContaining("unwritten.txt was not written"), false]);
    },
    proofMsMax,
  );

  test(
    "one that leads to another origin is no pass",
    async () => {
      const { code, stdout, all } = await prove(await start(site), "https://site.test/moved", "--header", "x-frame-options: DENY");
      expect([code, all().pages.map(({ because }) => because)]).toEqual([1, [null, "other-origin"]]);
      expect(stdout).toContain("the page leads to another origin");
    },
    proofMsMax,
  );

  test.each<[string, readonly string[], string]>([
    ["another origin", ["https://other.test/"], "https://other.test/ is not of https://site.test"],
    ["another port", ["https://site.test:8443/"], "is not of https://site.test"],
    ["a sitemap of another origin", ["--from-sitemap", "https://other.test/sitemap.xml"], "is not of https://site.test"],
    ["too many pages", Array.from({ length: 25 }, (_, n) => `https://site.test/${n}`), "26 URLs are too many for one proof; it takes 25"],
    ["a policy and a draft", ["--policy", "p.txt", "--draft", "hosts"], "--policy and --draft exclude each other"],
    ["an unknown server", ["--format", "lighttpd"], "Allowed choices are nginx"],
    ["a file that is missing", ["--policy", join(folder, "missing.txt")], "missing.txt does not exist"],
    ["a format that is none", ["-o", "pdf=x.pdf"], "must be json=PATH or html=PATH"],
    ["a folder as file", ["--write", folder], "it is a folder"],
    ["a file that is read and written", ["--urls", root, "--write", root], "would be overwritten"],
  ])("%s is refused, and nothing is visited", async (_words, args, message) => {
    const server = await start(site);
    const { code, stderr } = await prove(server, ...args);
    expect([code, stderr, server.requests]).toEqual([2, expect.stringContaining(message), []]);
  });

  test("a sitemap without pages is refused with the reason", async () => {
    const empty = { headers: { "content-type": "application/xml" }, body: "<urlset></urlset>" };
    const { code, stderr } = await prove(
      await start({ ...site, "/sitemap.xml": empty }),
      "--from-sitemap",
      "https://site.test/sitemap.xml",
    );
    expect([code, stderr]).toEqual([3, expect.stringContaining("names no page of https://site.test")]);
  });
});

test(
  "a page behind a sign-in is proven by cookie file, and the cookie is in no output",
  async () => {
    const secret = "cookie-secret-51f0aa";
    const signedIn = (request: IncomingMessage) => (request.headers.cookie ?? "").includes(secret);
    const server = await start({
      "/": (request, response) => {
        response.writeHead(signedIn(request) ? 200 : 401, { "content-type": "text/html" });
        response.end(
          page("", signedIn(request) ? `<p>${secret}</p><img src="https://cdn.test/i.svg?${secret}"><script>go()</script>` : ""),
        );
      },
      "/i.svg": { headers: { "content-type": "image/svg+xml" }, body: "<svg xmlns='http://www.w3.org/2000/svg'/>" },
    });
    const file = join(folder, "cookies.txt");
    writeFileSync(file, `site.test\tFALSE\t/\tTRUE\t0\tsession\t${secret}\n`, { mode: 0o600 });
    const report = join(folder, "signed-in.html");
    const { code, stdout, stderr, all } = await prove(server, "--cookie-file", file, "-o", `html=${report}`);
    expect([code, all().verdict, policyOf(all())]).toEqual([0, "works", expect.stringContaining("img-src 'self' cdn.test")]);
    expect([stdout, stderr, JSON.stringify(all()), readFileSync(report, "utf8")].join("\n")).not.toContain(secret);
    writeFileSync(file, "site.test session\n");
    const malformed = await prove(server, "--cookie-file", file);
    expect([malformed.code, malformed.stderr]).toEqual([2, expect.stringMatching(/cookies\.txt, line 1: /)]);
  },
  proofMsMax,
);
