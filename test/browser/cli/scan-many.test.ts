/** Scans of many pages: each once, with a table of all at the end. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { run } from "../../support/program.ts";
import { startHttps, type TestServer } from "../../support/servers.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-many-"));
const scanMsMax = 300_000;
const pagesOfSitemap = 11;
const secret = "gate-secret-5d31c07e";
const closedPort = portWithoutListener();

let site: TestServer;
const written = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};

beforeAll(async () => {
  const locations = Array.from({ length: pagesOfSitemap }, (_, at) => `<url><loc>https://site.test/${at}</loc></url>`);
  const good = {
    "strict-transport-security": "max-age=31536000",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'none'",
  };
  site = await startHttps(siteIdentity("site.test"), {
    "/good": { headers: good, body: "<!doctype html><title>good</title>" },
    "/sitemap.xml": (request, response) => {
      response.writeHead(request.headers["x-gate"] === secret ? 200 : 403);
      response.end(`<urlset>${locations.join("")}</urlset>`);
    },
    "/index.xml": {
      body: `<sitemapindex>${["gone", "one"].map((name) => `<sitemap><loc>https://site.test/${name}.xml</loc></sitemap>`).join("")}</sitemapindex>`,
    },
    "/gone.xml": { status: 410 },
    "/one.xml": { body: "<urlset><url><loc>https://site.test/good</loc></url></urlset>" },
    "*": { body: "<!doctype html><title>bad</title>" },
  });
  written("root.pem", testAuthority().root.pem);
});
afterAll(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

function scan(...args: readonly string[]) {
  const reached = ["--allow-cidr", "127.0.0.1", "--allow-port", String(closedPort), "--connect-to", `site.test:443=127.0.0.1:${site.port}`];
  return run(["scan", "--data", join(folder, "data"), "--ca-file", join(folder, "root.pem"), ...reached, ...args]);
}

describe("many pages", () => {
  test(
    "are scanned once each, and end with a table, the worst first",
    async () => {
      const closed = `https://127.0.0.1:${closedPort}/`;
      const list = written("urls", `# pages\nsite.test/good\n\n${closed}\r\nhttps://site.test/bad\nhttps://SITE.test/good#top\n`);
      const { code, stdout, stderr } = await scan("--urls", list, "site.test/bad");
      expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining("2 of 5 URLs are repeated, and scanned once") });
      expect(stderr).toContain("[3/3]");
      expect(stdout.match(/^https:\/\/site\.test\/bad$/gm)).toHaveLength(1);
      const [title, , head, ...rows] = stdout.slice(stdout.indexOf("3 pages, the worst first:")).trimEnd().split("\n");
      expect(title).toBe("3 pages, the worst first:");
      expect(head).toMatch(/^Score {2}Rank +Critical {2}High {2}Page$/);
      expect(rows.map((row) => row.split(/ {2,}/).at(-1))).toEqual([closed, "https://site.test/bad", "https://site.test/good"]);
      expect(rows[0]).toMatch(/^- +failed +- +- +https/);
      const [bad, good] = rows.slice(1).map((row) => Number.parseInt(row, 10));
      expect(bad).toBeLessThan(good ?? 0);
    },
    scanMsMax,
  );

  test(
    "of a sitemap behind a sign-in are too many for reports on a terminal",
    async () => {
      const gate = written("gate", `X-Gate: ${secret}\n`);
      const json = join(folder, "all.json");
      const { code, stdout, stderr } = await scan(
        "--from-sitemap",
        "https://site.test/sitemap.xml",
        "--header-file",
        gate,
        "-o",
        `json=${json}`,
      );
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stdout.startsWith(`${pagesOfSitemap} pages, the worst first:`)).toBe(true);
      expect(stdout.trimEnd().split("\n")).toHaveLength(pagesOfSitemap + 3);
      expect(stderr).toContain("reports of more than 10 pages are not printed");
      expect(readFileSync(json, "utf8")).toContain("https://site.test/10");
      expect(stdout + stderr + readFileSync(json, "utf8")).not.toContain(secret);
    },
    scanMsMax,
  );

  test(
    "of a sitemap that could be read in part only are exit code 5",
    async () => {
      const { code, stdout, stderr } = await scan("--from-sitemap", "https://site.test/index.xml", "--quiet");
      const reason = "assay: https://site.test/gone.xml cannot be read as a sitemap: the server answers with status 410";
      expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(reason) });
      expect(stdout.startsWith("https://site.test/good\n")).toBe(true);
    },
    scanMsMax,
  );

  test(
    "have no table in JSON",
    async () => {
      const { stdout } = await scan("site.test/good", "site.test/bad", "--format", "json");
      expect(
        stdout
          .trimEnd()
          .split("\n")
          .map((line) => (JSON.parse(line) as { url: string }).url),
      ).toEqual(["https://site.test/good", "https://site.test/bad"]);
    },
    scanMsMax,
  );
});
