/** Common to all pages: headers, languages, CSRF protection and error pages. */
import { request } from "node:http";
import { afterAll, describe, expect, test } from "vitest";
import { startPages } from "../../support/pages.ts";

const pages = await startPages();
afterAll(() => pages.stop());

describe("every response", () => {
  test("has the security headers, and a CSP that allows files of this server alone", async () => {
    const answer = await fetch(`${pages.url}/`);
    const html = await answer.text();
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(html).not.toMatch(/<style|<script(?![^>]* src="\/assets\/)| style="| on\w+="/);
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
    expect(answer.headers.get("referrer-policy")).toBe("same-origin");
    expect(answer.headers.get("x-frame-options")).toBe("DENY");
    expect(answer.headers.get("strict-transport-security")).toBeNull();
  });

  test("on https has HSTS and `__Host-` cookies", async () => {
    const secure = await startPages({ publicUrl: "https://assay.test" });
    const answer = await fetch(`${secure.url}/?locale=de-de`, { headers: { host: "assay.test" } });
    expect(answer.headers.get("strict-transport-security")).toBe("max-age=63072000; includeSubDomains");
    expect(answer.headers.getSetCookie()).toEqual(["__Host-locale=de-de; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=31536000"]);
    await secure.stop();
  });

  test("has no product header; style, script and icon are cacheable", async () => {
    const html = await (await fetch(`${pages.url}/`)).text();
    const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+|\/favicon\.svg)"/g)].map(([, path]) => path);
    expect(paths).toHaveLength(3);
    for (const path of paths) {
      const answer = await fetch(`${pages.url}${path}`);
      expect([answer.status, answer.headers.get("server"), answer.headers.get("x-powered-by")]).toEqual([200, null, null]);
      expect(answer.headers.get("cache-control")).toContain("max-age");
    }
  });
});

describe("the language", () => {
  const titleOf = async (path: string, headers: Record<string, string> = {}) =>
    /<html lang="(\w\w)/.exec(await (await fetch(`${pages.url}${path}`, { headers })).text())?.[1];

  test.each([
    ["default without a preference", "/", {}, "en"],
    ["from Accept-Language", "/", { "accept-language": "fr, de-AT;q=0.8, en;q=0.7" }, "de"],
    ["from Accept-Language by quality", "/", { "accept-language": "de;q=0.1, en-US;q=0.9" }, "en"],
    ["from the cookie", "/", { cookie: "locale=de-de", "accept-language": "en" }, "de"],
    ["from the URL, before all others", "/?locale=en-gb", { cookie: "locale=de-de" }, "en"],
    ["default for an invalid Accept-Language", "/", { "accept-language": ";;q=x,,de;q=7" }, "en"],
  ])("%s", async (_case, path, headers, language) => {
    expect(await titleOf(path, headers as Record<string, string>)).toBe(language);
  });

  test("reports an unsupported language and stores nothing", async () => {
    const answer = await fetch(`${pages.url}/?locale=fr-fr`);
    expect(await answer.text()).toContain("That language is not available here");
    expect(answer.headers.getSetCookie().some((line) => line.startsWith("locale="))).toBe(false);
  });
});

test("logs a failure before the visit exists", async () => {
  const broken = await startPages({
    now: () => {
      throw new Error("the clock has stopped");
    },
  });
  const answer = await fetch(`${broken.url}/`);
  expect([answer.status, await answer.text()]).toEqual([500, '{"errorMessage":"Something went wrong on our side."}']);
  expect(broken.logged.splice(0)).toEqual([expect.stringContaining("the clock has stopped")]);
  await broken.stop();
});

describe("error pages", () => {
  test.each([
    ["unknown path", "GET", "/no-such-page", 404],
    ["encoded markup", "GET", "/%3Cscript%3E", 404],
    ["unsupported method", "DELETE", "/", 405],
  ])("%s", async (_case, method, path, status) => {
    const answer = await fetch(`${pages.url}${path}`, { method });
    expect(answer.status).toBe(status);
    const html = await answer.text();
    expect(html).toContain("<h1>");
    expect(html).toContain(answer.headers.get("x-request-id") ?? "absent");
  });

  test.each([
    ["/scans/?band=good", "/scans?band=good"],
    ["/api/", "/api"],
    ["/hosts/site.test/", "/hosts/site.test"],
  ])("%s has a trailing slash and redirects to the page", async (path, page) => {
    const answer = await fetch(`${pages.url}${path}`, { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, page]);
  });

  test.each(["//example.com/", "/no-such-page/", "/scans//", "/\\example.com/"])("%s is not a link", async (path) => {
    const answer = await fetch(`${pages.url}${path}`, { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([404, null]);
  });

  test("refuse an invalid Host header", async () => {
    const { port } = new URL(pages.url);
    const status = await new Promise((resolve) =>
      request({ port, host: "127.0.0.1", setHost: false, headers: { host: "a b" } }, (answer) => resolve(answer.statusCode)).end(),
    );
    expect(status).toBe(400);
  });

  test("OPTIONS lists the allowed methods", async () => {
    expect((await fetch(`${pages.url}/`, { method: "OPTIONS" })).headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });
});
