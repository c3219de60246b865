/** Badges: the newest result of a host as SVG and JSON, for pages of other sites. */
import { afterAll, describe, expect, test } from "vitest";
import { dayMs } from "../../../src/base/units.ts";
import { parseAccent } from "../../../src/parse/accent-color.ts";
import { badgeSvg } from "../../../src/web/badge/badge.ts";
import { type SiteName, storeSite } from "../../support/finished-scans.ts";
import { startPages } from "../../support/pages.ts";

const pages = await startPages();
afterAll(async () => {
  expect(pages.logged).toEqual([]);
  await pages.stop();
});
const at = new Date();
const date = at.toISOString().slice(0, 10);
const store = (site: SiteName, host: string, daysAgo: number, location?: string) =>
  storeSite(pages.store, site, { at: new Date(at.getTime() - daysAgo * dayMs), url: `https://${host}/`, ...(location && { location }) });
const dateBefore = (days: number) => new Date(at.getTime() - days * dayMs).toISOString().slice(0, 10);

await store("bare", "sound.example", 10);
await store("sound", "sound.example", 0);
await store("bare", "bare.example", 0);
await store("sound", "failing.example", 3);
await store("old", "failing.example", 0);
await store("sound", "aged.example", 30);
await store("sound", "stale.example", 31);
await store("sound", "sub.parent.example", 0);
await store("sound", "elsewhere.example", 1);
await store("bare", "elsewhere.example", 0, "berlin");
await storeSite(pages.store, "sound", { at, url: "http://[2001:db8::1]:8080/" });

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${pages.url}/badge/${path}`, { headers });
const grey = "5c5952";

describe("the JSON of a badge", () => {
  test.each([
    ["sound.example", { message: `100 / ${date}`, color: "176b3a", cacheSeconds: 3_600 }],
    ["SOUND.example.", { message: `100 / ${date}`, color: "176b3a", cacheSeconds: 3_600 }],
    ["bare.example", { message: `15 / ${date}`, color: "b3261e", cacheSeconds: 3_600 }],
    ["failing.example", { message: `not measured / ${date}`, color: grey, cacheSeconds: 600 }],
    ["aged.example", { message: `100 / ${dateBefore(30)}`, color: "176b3a", cacheSeconds: 3_600 }],
    ["stale.example", { message: `stale / ${dateBefore(31)}`, color: grey, cacheSeconds: 600 }],
    ["unknown.example", { message: "unknown", color: grey, cacheSeconds: 600 }],
    ["parent.example", { message: "unknown", color: grey, cacheSeconds: 600 }],
    ["elsewhere.example", { message: `15 / ${date}`, color: "b3261e", cacheSeconds: 3_600 }],
    ["[2001:db8::1]", { message: `100 / ${date}`, color: "176b3a", cacheSeconds: 3_600 }],
  ])("of %s is that of a Shields endpoint", async (host, badge) => {
    const answer = await get(`${encodeURIComponent(host)}.json`);
    expect(await answer.json()).toEqual({ schemaVersion: 1, label: "security", ...badge });
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("access-control-allow-origin")]).toEqual([
      200,
      "application/json",
      "*",
    ]);
    expect(answer.headers.get("cache-control")).toBe(`public, max-age=${badge.cacheSeconds}`);
  });

  test("is about one location by its parameter", async () => {
    expect(await (await get("elsewhere.example.json?location=berlin")).json()).toMatchObject({ message: `15 / ${date}` });
    expect(await (await get("elsewhere.example.json?location=local")).json()).toMatchObject({ message: `100 / ${dateBefore(1)}` });
  });

  test("speaks the language of its parameter, and of nothing else", async () => {
    const messageOf = async (query: string, headers: Record<string, string> = {}) => {
      const answer = await get(`stale.example.json${query}`, headers);
      expect(answer.headers.getSetCookie()).toEqual([]);
      const { label, message } = (await answer.json()) as { readonly label: string; readonly message: string };
      return [label, message];
    };
    const [english, german] = [
      ["security", `stale / ${dateBefore(31)}`],
      ["Sicherheit", `veraltet / ${dateBefore(31)}`],
    ];
    expect(await messageOf("?locale=de-de")).toEqual(german ?? []);
    expect(await messageOf("", { "accept-language": "de", cookie: "locale=de-de" })).toEqual(english ?? []);
    expect(await messageOf("?locale=%3Csvg%3E")).toEqual(english ?? []);
  });
});

describe("the SVG of a badge", () => {
  test("may be shown by every site, and stores nothing at its visitors", async () => {
    const answer = await get("sound.example.svg?locale=de-de");
    const headers = [
      "content-type",
      "cross-origin-resource-policy",
      "content-security-policy",
      "cache-control",
      "access-control-allow-origin",
    ];
    expect([answer.status, ...headers.map((name) => answer.headers.get(name))]).toEqual([
      200,
      "image/svg+xml; charset=utf-8",
      "cross-origin",
      "default-src 'none'",
      "public, max-age=3600",
      null,
    ]);
    expect([answer.headers.getSetCookie(), answer.headers.get("x-content-type-options")]).toEqual([[], "nosniff"]);
  });

  test("has a name, both texts, and nothing that a policy would have to allow", async () => {
    const svg = await (await get("bare.example.svg")).text();
    expect(svg).toContain(`role="img" aria-label="security: 15 / ${date}"><title>security: 15 / ${date}</title>`);
    expect(svg).toContain('fill="#b3261e"');
    expect(svg).not.toMatch(/<style|style=|<script|href|url\(| on\w+=/);
    expect(svg.match(/>security<|>15 \/ [\d-]+</g)).toHaveLength(2);
    const [, width] = /^<svg [^>]*width="(\d+)"/.exec(svg) ?? [];
    expect(Number(width)).toBeGreaterThan(120);
    expect(Number(width)).toBeLessThan(220);
  });

  test.each(["sound", "bare", "failing", "stale", "unknown"])("of %s.example has texts that are readable", async (name) => {
    const svg = await (await get(`${name}.example.svg`)).text();
    const fills = [...svg.matchAll(/<rect [^>]*fill="(#\w+)"/g)].map(([, color = ""]) => color);
    expect(fills).toHaveLength(2);
    expect(fills.map(parseAccent)).toEqual(fills);
    expect(svg).toContain('<g fill="#fff"');
  });

  test("escapes and bounds its texts", () => {
    const svg = badgeSvg({ label: `"><script>&`, message: "x".repeat(10_000), color: "#000000" });
    expect(svg).not.toContain("<script");
    expect(svg).toContain("&quot;&gt;&lt;script&gt;&amp;");
    expect(svg.length).toBeLessThan(1_500);
  });
});

describe("there is no badge", () => {
  test.each([
    "sound.example",
    "sound.example.png",
    "sound.example.SVG",
    ".svg",
    "svg",
    "%20.svg",
    "a%20b.svg",
    "sound.example%2f.svg",
    "user@sound.example.svg",
    "sound.example%3a443.svg",
    "https%3a%2f%2fsound.example.svg",
    "%3Cscript%3E.svg",
    "%00.svg",
    "%ff.svg",
    `${"a".repeat(300)}.svg`,
  ])("at %s", async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get("cross-origin-resource-policy")]).toEqual([404, "same-origin"]);
  });
});

test("where only accounts read scans, every host is unknown", async () => {
  const closed = await startPages({ store: pages.store, config: { readers: "accounts" } });
  const read = async (host: string) => {
    const answer = await fetch(`${closed.url}/badge/${host}`);
    return [answer.status, answer.headers.get("cache-control"), await answer.text()];
  };
  expect(await read("sound.example.json")).toEqual(await read("unknown.example.json"));
  expect(await read("sound.example.svg")).toEqual(await read("unknown.example.svg"));
  expect((await read("sound.example.json"))[2]).toContain('"message":"unknown"');
  await closed.stop();
});
