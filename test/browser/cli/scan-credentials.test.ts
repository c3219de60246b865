/** Headers and cookies of a user reach one origin over https alone, and no output. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Flaw, siteIdentity, testAuthority } from "../../support/certificates.ts";
import { run } from "../../support/program.ts";
import { type Routes, startHttp, startHttps, type TestServer } from "../../support/servers.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-credentials-"));
const headerSecret = "header-secret-4f1c9a77";
const cookieSecret = "cookie-secret-9be0d152";
const replacedSecret = "replaced-secret-77aa01";
const secrets = [headerSecret, cookieSecret, replacedSecret];
const scanMsMax = 300_000;

const html = (body: string, headers: Record<string, string | readonly string[]> = {}) => ({
  headers: { "content-type": "text/html", ...headers },
  body: `<!doctype html><title>page</title>${body}`,
});
const script = (body: string) => ({ headers: { "content-type": "text/javascript" }, body });
const to = (location: string) => ({ status: 302, headers: { location } });

const signedInPage = `
  <meta name="generator" content="${headerSecret}">
  <a href="https://other.test/?${cookieSecret}">echo</a><form action="/save/${headerSecret}"></form>
  <img src="/image"><img src="/silent-image" referrerpolicy="no-referrer"><img src="/to-other"><img src="https://other.test/image"><img src="https://site.test:8443/image">
  <img src="http://site.test/plain-image"><iframe src="/frame-to-other"></iframe><iframe src="https://other.test/frame"></iframe>
  <script src="https://other.test/${cookieSecret}.js"></script>
  <script>
    fetch("/api", { method: "POST", headers: { "x-gate": "own" } });
    fetch("/to-other", { mode: "no-cors" });
    navigator.serviceWorker.register("/worker.js").catch(() => {});
    new WebSocket("wss://other.test/socket");
  </script>`;

const routes: Routes = {
  "/": { status: 302, headers: { location: "/account", "set-cookie": ["rotated=new-value; Secure; Path=/", "own=1; Secure"] } },
  "/account": (request, response) => {
    const isSignedIn = request.headers["x-gate"] === headerSecret && (request.headers.cookie ?? "").includes(cookieSecret);
    response.writeHead(isSignedIn ? 200 : 401, {
      "content-type": "text/html",
      "x-echo": headerSecret,
      "content-security-policy": `report-uri /${cookieSecret}`,
    });
    response.end(`<!doctype html><title>${headerSecret}</title>${isSignedIn ? signedInPage : "sign in"}`);
  },
  "/to-other": to("https://other.test/from-redirect"),
  "/frame-to-other": to("https://other.test/from-frame"),
  "/away": to("https://other.test/landing"),
  "/worker.js": script("self.addEventListener('fetch', () => {}); fetch('https://other.test/from-worker');"),
  "*": html(""),
};
const otherRoutes: Routes = {
  "/frame": html(
    `<img src="https://site.test/from-foreign-frame"><img referrerpolicy="no-referrer" src="https://site.test/from-silent-frame"><form method="post" action="https://site.test/transfer"></form><script>document.forms[0].submit()</script>`,
  ),
  "/landing": html(`<img referrerpolicy="no-referrer" src="https://site.test/from-landing"><img src="https://site.test/named-landing">`),
  "*": html("", { "access-control-allow-origin": "*" }),
};

let site: TestServer;
let other: TestServer;
let otherPort: TestServer;
let plain: TestServer;
let headerFile: string;
let cookieFile: string;

const written = (name: string, text: string, mode = 0o600) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
};

beforeAll(async () => {
  const both = siteIdentity("site.test");
  [site, other, otherPort, plain] = await Promise.all([
    startHttps(both, routes),
    startHttps(siteIdentity("other.test"), otherRoutes),
    startHttps(both, otherRoutes),
    startHttp(otherRoutes),
  ]);
  written("root.pem", testAuthority().root.pem);
  headerFile = written("headers", `# gate of the test\nX-Gate: ${headerSecret}\nUser-Agent: gate\tagent\nAccept-Language: eo\n`);
  const cookies = [
    "# Netscape HTTP Cookie File",
    `#HttpOnly_site.test\tFALSE\t/\tTRUE\t0\tsession\t${cookieSecret}`,
    `.test\tTRUE\t/\tTRUE\t0\trotated\t${replacedSecret}`,
    "site.test\tFALSE\t/other-path\tTRUE\t0\tpathed\tnot-for-this-path",
    "site.test\tFALSE\t/\tTRUE\t1000000\texpired\tnot-any-more",
    "other.test\tFALSE\t/\tTRUE\t0\tforeign\tnot-of-the-target",
    "www.site.test\tTRUE\t/\tTRUE\t0\tbelow\tnot-of-a-subdomain",
  ];
  cookieFile = written("cookies", `${cookies.join("\r\n")}\r\n`);
});

afterAll(async () => {
  await Promise.all([site, other, otherPort, plain].map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

function scan(target: TestServer, ...args: readonly string[]) {
  const at = (endpoint: string, { port }: TestServer) => ["--connect-to", `${endpoint}=127.0.0.1:${port}`];
  const places = [
    ...at("site.test:443", target),
    ...at("site.test:8443", otherPort),
    ...at("site.test:80", plain),
    ...at("other.test:443", other),
  ];
  return run([
    "scan",
    "--data",
    join(folder, "data"),
    "--ca-file",
    join(folder, "root.pem"),
    "--allow-cidr",
    "127.0.0.1",
    "--allow-port",
    "8443",
    ...places,
    ...args,
  ]);
}

/** All fields of all requests as text. */
const received = (server: TestServer) => JSON.stringify(server.requests);
const filesBelow = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

describe("header and cookie files", () => {
  test(
    "open a page behind a sign-in, reach no other origin and are in no output",
    async () => {
      const outputs = ["json", "html", "sarif", "junit", "gitlab", "csv", "md"].flatMap((format) => [
        "-o",
        `${format}=${join(folder, `report.${format}`)}`,
      ]);
      const { code, stdout, stderr } = await run_(outputs);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const report = readFileSync(join(folder, "report.json"), "utf8");
      expect(report).toContain('"finalUrl":"https://site.test/account"');

      const fieldsAt = (path: string) => site.requests.filter((request) => request.path === path).map(({ headers }) => headers);
      const [page, probe] = fieldsAt("/account");
      expect(page).toMatchObject({
        "x-gate": headerSecret,
        "user-agent": "gate\tagent",
        "accept-language": "eo",
        cookie: `session=${cookieSecret}; rotated=new-value; own=1`,
      });
      // The site has set a cookie of that name since; the probe of CORS knows no cookies of the site.
      expect(probe).toMatchObject({ origin: "https://cross-origin-probe.invalid", "x-gate": headerSecret });
      for (const path of ["/image", "/silent-image"]) expect(fieldsAt(path)[0]).toMatchObject({ "x-gate": headerSecret });
      expect(fieldsAt("/api")[0]).toMatchObject({ "x-gate": "own", cookie: expect.stringContaining(cookieSecret) });
      expect(received(site)).not.toMatch(/not-for-this-path|not-any-more|not-of-/);
      for (const path of ["/transfer", "/from-foreign-frame", "/from-silent-frame", "/.well-known/security.txt", "/favicon.ico"])
        expect(JSON.stringify(fieldsAt(path))).not.toMatch(/-secret-/);

      for (const path of ["/from-redirect", "/from-frame", "/image", "/frame"])
        expect(other.requests.map((request) => request.path)).toContain(path);
      expect(otherPort.requests.map(({ path }) => path)).toContain("/image");
      expect(plain.requests.length).toBeGreaterThan(0);
      for (const server of [other, otherPort, plain])
        for (const { headers } of server.requests) expect(JSON.stringify({ ...headers, referer: "" })).not.toMatch(/-secret-/);

      const texts = [
        stdout,
        stderr,
        ...filesBelow(folder)
          .filter((file) => ![headerFile, cookieFile].includes(file))
          .map((file) => readFileSync(file, "latin1")),
      ];
      for (const text of texts) for (const secret of secrets) expect(text.includes(secret)).toBe(false);
      expect(report).toContain("/save/***");
      // Only what the site has set is judged.
      expect(report).toContain("rotated=");
      expect(report).not.toContain("session=");
    },
    scanMsMax,
  );

  test(
    "are not sent where the certificate is not valid",
    async () => {
      for (const flaw of ["expired", "unknown-root", "wrong-host"] satisfies readonly Flaw[]) {
        const server = await startHttps(siteIdentity("site.test", { flaw }), routes);
        const { stderr } = await scan(
          server,
          "https://site.test/",
          "--header-file",
          headerFile,
          "--cookie-file",
          cookieFile,
          "--format",
          "json",
        );
        expect(stderr).toContain("headers and cookies were not sent to https://site.test: its certificate is not valid");
        expect(received(server)).not.toMatch(/-secret-/);
        await server.stop();
      }
    },
    scanMsMax,
  );

  test(
    "do not follow the page to another origin",
    async () => {
      const before = other.requests.length;
      const { code } = await scan(site, "https://site.test/away", "--header-file", headerFile, "--cookie-file", cookieFile, "--quiet");
      expect(code).toBe(0);
      const landed = other.requests.slice(before);
      expect(landed.filter(({ path }) => path === "/landing").length).toBeGreaterThan(0);
      expect(JSON.stringify(landed)).not.toMatch(/-secret-/);
      const fromLanding = site.requests.filter(({ path }) => path.endsWith("-landing"));
      expect(fromLanding).toHaveLength(2);
      expect(JSON.stringify(fromLanding)).not.toMatch(/-secret-/);
    },
    scanMsMax,
  );
});

function run_(outputs: readonly string[]) {
  return scan(site, "https://site.test/", "--header-file", headerFile, "--cookie-file", cookieFile, "--log-level", "debug", ...outputs);
}
