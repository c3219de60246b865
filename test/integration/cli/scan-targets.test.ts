/** Lists of URLs for `assay scan`: what is taken from files and sitemaps, and what is refused before a scan. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { runInProcess } from "../../support/program.ts";
import { type Routes, startHttp, type TestServer } from "../../support/servers.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-targets-"));
afterEach(cleanUp);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (text: string) => {
  const path = join(folder, `list-${Math.random().toString(36).slice(2)}`);
  writeFileSync(path, text);
  return path;
};
const scan = (...args: readonly string[]) => runInProcess(["scan", "--data", join(folder, "data"), ...args]);
const urlset = (...urls: readonly string[]) => `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;
const index = (...urls: readonly string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`;

describe("a file of URLs", () => {
  test("names the line of a fault", async () => {
    const list = file("# pages\r\n\r\nexample.com\r\nhttps://exa mple.com/\r\n");
    expect(await scan("--urls", list)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${list}, line 4: "https://exa mple.com/" cannot be scanned`),
    });
  });

  test("is refused if it names nothing, does not exist or is too long", async () => {
    expect(await scan("--urls", file("# none\n"))).toMatchObject({ code: 2, stderr: expect.stringContaining("names no URL") });
    expect(await scan("--urls", join(folder, "none"))).toMatchObject({ code: 2, stderr: expect.stringContaining("does not exist") });
    expect(await scan("--urls", folder)).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be read (EISDIR)") });
    const many = file(Array.from({ length: 1_001 }, (_, at) => `example.com/${at}`).join("\n"));
    expect(await scan("--urls", many)).toMatchObject({ code: 2, stderr: expect.stringContaining("1001 URLs are too many") });
    expect(await scan("--urls", file("#".repeat(4 * 1024 ** 2 + 1)))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("larger than 4 MiB"),
    });
  });

  test("is needed, if no page is named otherwise", async () => {
    expect(await scan()).toMatchObject({ code: 2, stderr: expect.stringContaining("no page is named") });
  });
});

/** The folder of checks does not exist, so the call ends after it has read the sitemap. */
async function read(routes: (origin: string) => Routes, path = "/sitemap.xml") {
  const holder: { routes: Routes } = { routes: {} };
  const site: TestServer = keep(
    await startHttp({
      "*": (request, response) => {
        const route = holder.routes[(request.url ?? "").replace(/\?.*$/, "")] ?? { status: 404 };
        if (typeof route === "function") return route(request, response);
        response.writeHead(route.status ?? 200, route.headers as Record<string, string>);
        response.end(route.body);
      },
    }),
  );
  const origin = `http://127.0.0.1:${site.port}`;
  holder.routes = routes(origin);
  const result = await scan(
    "--from-sitemap",
    origin + path,
    "--allow-cidr",
    "127.0.0.1",
    "--allow-port",
    String(site.port),
    "--checks-dir",
    join(folder, "no-such-folder"),
  );
  return { ...result, origin, requests: site.requests.map(({ path: asked }) => asked) };
}

describe("a sitemap", () => {
  test("is left out in parts, with the number of each", async () => {
    const { stderr, requests, origin } = await read((own) => ({
      "/sitemap.xml": { body: index(`${own}/a.xml.gz`, `${own}/b.xml`, `${own}/gone.xml`, `${own}/index.xml`, "https://other.test/c.xml") },
      "/a.xml.gz": { body: gzipSync(urlset(`${own}/1`, `${own}/1#again`, "https://other.test/", "ftp://x/", "relative")) },
      "/b.xml": { status: 301, headers: { location: "/c.xml" } },
      "/c.xml": { body: urlset(...Array.from({ length: 120 }, (_, at) => `${own}/page/${at}`)) },
      "/index.xml": { body: index(`${own}/a.xml.gz`) },
    }));
    expect(stderr).toContain("left out pages of other origins: 1");
    expect(stderr).toContain("left out pages without a valid address: 2");
    expect(stderr).toContain("left out files of other origins: 1");
    expect(stderr).toContain("left out pages beyond the first 100: 21");
    expect(stderr).toContain("left out files after the first 100 pages: 2");
    expect(requests).toEqual(["/sitemap.xml", "/a.xml.gz", "/b.xml", "/c.xml"]);
    expect(stderr).not.toContain(`${origin}/gone.xml`);
  });

  test("may have files that cannot be read, if another one can", async () => {
    const { stderr, origin } = await read((own) => ({
      "/sitemap.xml": { body: index(`${own}/gone.xml`, `${own}/index.xml`, `${own}/a.xml`) },
      "/index.xml": { body: index(`${own}/a.xml`) },
      "/a.xml": { body: urlset(`${own}/`) },
    }));
    expect(stderr).toContain(`${origin}/gone.xml cannot be read as a sitemap: the server answers with status 404`);
    expect(stderr).toContain("left out indexes within an index: 1");
  });

  test.each([
    [{ status: 404 }, "status 404"],
    [{ body: "<html></html>" }, "neither urlset nor sitemapindex"],
    [{ body: '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><url><loc>&e;</loc></url></urlset>' }, "document type"],
    [{ body: urlset("https://other.test/") }, "names no page of"],
    [{ status: 302, headers: { location: "https://other.test/sitemap.xml" } }, "redirects to another origin"],
    [{ status: 302, headers: { location: "/sitemap.xml" } }, "redirects more than 3 times"],
    [{ body: gzipSync(Buffer.alloc(21 * 1024 ** 2, " ")) }, "unpacks to more than 20 MiB"],
    [{ body: gzipSync("<urlset/>").subarray(0, 20) }, "compression is damaged"],
    [{ body: Buffer.alloc(11 * 1024 ** 2, " ") }, "larger than 10 MiB"],
    [{ body: Uint8Array.of(0xff, 0xfe, 0x3c) }, "not UTF-8"],
  ])("that cannot be used ends with exit code 3: %#", async (answer, reason) => {
    const { code, stdout, stderr } = await read(() => ({ "/sitemap.xml": answer }));
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(reason);
  });

  test("is refused by the SSRF guard like a page, and by its address", async () => {
    const site = keep(await startHttp({ "*": { body: urlset("http://127.0.0.1/") } }));
    const { code, stderr } = await scan("--from-sitemap", `http://127.0.0.1:${site.port}/sitemap.xml`);
    expect({ code, requests: site.requests }).toEqual({ code: 3, requests: [] });
    expect(stderr).toContain("cannot be read as a sitemap");
    expect(await scan("--from-sitemap", "ftp://example.com/sitemap.xml")).toMatchObject({ code: 2 });
  });
});
