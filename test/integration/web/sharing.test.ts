/** Link previews: tags in the head, and the picture of a result. */
import { afterAll, describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { workerFiles } from "../../../src/app/placement.ts";
import { createLog } from "../../../src/base/log.ts";
import { openPictures } from "../../../src/web/picture/pictures.ts";
import { sharePicture } from "../../../src/web/picture/share-picture.ts";
import { type SiteName, storeSite } from "../../support/finished-scans.ts";
import { startPages } from "../../support/pages.ts";

const { means } = enGb.pages.report.verdict;
const publicUrl = "https://assay.test";
const pages = await startPages({ publicUrl });
afterAll(async () => {
  expect(pages.logged).toEqual([]);
  await pages.stop();
});
const get = (path: string) => fetch(`${pages.url}${path}`, { headers: { host: "assay.test" }, redirect: "manual" });
const scanOf = (name: SiteName, url: string) => storeSite(pages.store, name, { at: new Date(), url });
const soundScan = await scanOf("sound", "https://sound.example/");

/** Attributes of the tags in the head that `pattern` finds, by name. */
function tagsOf(html: string, pattern: RegExp): Readonly<Record<string, string>> {
  return Object.fromEntries([...html.matchAll(pattern)].map(([, name = "", value = ""]) => [name, value]));
}
const metaTags = (html: string) => tagsOf(html, /<meta (?:name|property)="([^"]+)" content="([^"]*)"/g);
const alternates = (html: string) => tagsOf(html, /<link rel="alternate" hreflang="([^"]+)" href="([^"]*)"/g);
const canonicalOf = (html: string) => /<link rel="canonical" href="([^"]*)"/.exec(html)?.[1];

describe("a report", () => {
  test("has a title, a sentence and a picture for link previews, with absolute URLs", async () => {
    const { token } = await scanOf("bare", "https://shop.example/path?secret=value");
    const meta = metaTags(await (await get(`/scans/${token}`)).text());
    expect(meta).toMatchObject({
      description: `shop.example: 15 of 100. ${means.critical}`,
      robots: "noindex",
      "og:title": "shop.example: 15 of 100",
      "og:description": meta.description,
      "og:url": `${publicUrl}/scans/${token}`,
      "og:image": `${publicUrl}/scans/${token}/image.png?in=en-gb`,
      "og:image:width": "1200",
      "og:image:height": "630",
      "og:image:alt": "shop.example: 15 of 100, alarming",
      "og:locale": "en_GB",
      "twitter:card": "summary_large_image",
    });
    expect(JSON.stringify(meta)).not.toContain("secret");
  });

  test("speaks the language of the link", async () => {
    const { token } = await scanOf("sound", "https://gut.example/");
    const meta = metaTags(await (await get(`/scans/${token}?locale=de-de`)).text());
    expect(meta["og:title"]).toBe("gut.example: 100 von 100");
    expect(meta["og:image"]).toBe(`${publicUrl}/scans/${token}/image.png?in=de-de`);
    expect(meta["og:locale"]).toBe("de_DE");
  });

  test("that was not measured says so", async () => {
    const { token } = await scanOf("old", "https://old.example/");
    const meta = metaTags(await (await get(`/scans/${token}`)).text());
    expect(meta.description).toBe(`old.example: not measured. ${means.unknown}`);
  });

  test("shortens the host of an attacker", async () => {
    const { token } = await scanOf("bare", `https://${"a".repeat(63)}.${"b".repeat(63)}.example/`);
    const meta = metaTags(await (await get(`/scans/${token}`)).text());
    expect(meta["og:title"]?.length).toBeLessThan(60);
  });
});

test("the home page has a sentence and no picture", async () => {
  const meta = metaTags(await (await get("/")).text());
  expect(meta).toMatchObject({ description: enGb.pages.home.lead, "og:url": `${publicUrl}/`, "twitter:card": "summary" });
  expect(meta).not.toHaveProperty("og:image");
});

describe("search engines", () => {
  test("find absolute alternates with a default, and a canonical URL", async () => {
    const html = await (await get("/checks")).text();
    expect(canonicalOf(html)).toBe(`${publicUrl}/checks`);
    expect(alternates(html)).toEqual({
      "en-GB": `${publicUrl}/checks?locale=en-gb`,
      "de-DE": `${publicUrl}/checks?locale=de-de`,
      "x-default": `${publicUrl}/checks`,
    });
    expect(canonicalOf(await (await get("/checks?locale=de-de")).text())).toBe(`${publicUrl}/checks?locale=de-de`);
  });

  test("find no canonical URL where another query may be another page, or where there is no page", async () => {
    expect(canonicalOf(await (await get("/scans?band=good")).text())).toBeUndefined();
    expect(canonicalOf(await (await get("/no-such-page")).text())).toBeUndefined();
  });

  test("find the address of the visit without a configured one", async () => {
    const local = await startPages();
    expect(canonicalOf(await (await fetch(`${local.url}/about`)).text())).toBe(`${local.url}/about`);
    await local.stop();
  });
});

describe("the picture", () => {
  const pngHead = "\x89PNG\r\n\x1a\n";

  test.each<[SiteName, string]>([
    ["bare", "https://shop.example/"],
    ["sound", "https://xn--80aswg.xn--p1ai/"],
    ["old", `https://${"long-".repeat(11)}x.${"label.".repeat(30)}example/`],
    ["plain", "http://[2001:db8::1]:8080/"],
  ])("of %s at %s is a PNG of 1200 x 630", async (name, url) => {
    const { token } = await scanOf(name, url);
    const answer = await get(`/scans/${token}/image.png`);
    const png = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect([png.toString("latin1", 0, 8), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([pngHead, 1_200, 630]);
    // An empty picture has some 5 KB.
    expect(png.length).toBeGreaterThan(15_000);
    expect(png.length).toBeLessThan(200_000);
  });

  test("differs by language, and is English for an unknown one", async () => {
    const { token } = await scanOf("bare", "https://shop.example/");
    const read = async (query: string) => Buffer.from(await (await get(`/scans/${token}/image.png${query}`)).arrayBuffer());
    const [german, english, other] = [await read("?in=de-de"), await read("?in=en-gb"), await read("?in=%3Csvg%3E")];
    expect(german.equals(english)).toBe(false);
    expect(other.equals(english)).toBe(true);
  });

  test("exists for finished scans only", async () => {
    const queued = await pages.store.scans.queue({
      accountId: null,
      url: "https://waiting.example/",
      // Scans of this appliance are stored through its queue, which must stay empty.
      location: "elsewhere",
      now: new Date(),
    });
    if (queued === "full") throw new Error("the queue is full");
    expect((await get(`/scans/${queued.token}/image.png`)).status).toBe(404);
    expect((await get(`/scans/${"0".repeat(22)}/image.png`)).status).toBe(404);
  });
});

test("a host cannot add markup to the picture", () => {
  const svg = sharePicture({ score: 1, rank: "critical", host: '"><script/>&', texts: { verdict: "<b>", of: "&", at: "'" } });
  expect(svg.match(/<[a-z]+/g)?.filter((tag) => !["<svg", "<rect", "<circle", "<text"].includes(tag))).toEqual([]);
});

describe("the thread that draws", () => {
  const svg = (text: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><title>${text}</title></svg>`;

  test("shares one drawing among equal requests, and refuses too many others", async () => {
    const logged: string[] = [];
    const log = createLog({ level: "info", format: "json", write: (line) => void logged.push(line) });
    const pictures = openPictures({ workerFile: workerFiles.picture, log });
    const equal = await Promise.all([pictures.pngOf(svg("a"), 10), pictures.pngOf(svg("a"), 10)]);
    expect(equal[0]).toBe(equal[1] as Uint8Array);
    expect(await pictures.pngOf(svg("a"), 10)).toBe(equal[0] as Uint8Array);
    const many = await Promise.all(Array.from({ length: 80 }, (_none, at) => pictures.pngOf(svg(String(at)), 10)));
    expect(many.filter((outcome) => outcome === "busy")).toHaveLength(30);
    expect(many.filter((outcome) => typeof outcome !== "string")).toHaveLength(50);
    expect(logged).toEqual([]);
  });

  test("reports what it cannot draw, and goes on", async () => {
    const logged: string[] = [];
    const log = createLog({ level: "info", format: "json", write: (line) => void logged.push(line) });
    const pictures = openPictures({ workerFile: workerFiles.picture, log });
    expect(await pictures.pngOf("no markup", 10)).toBe("failed");
    expect(logged).toEqual([expect.stringContaining("picture not drawn")]);
    expect(await pictures.pngOf(svg("a"), 10)).toBeInstanceOf(Uint8Array);
  });

  test.each(["/nowhere/picture-worker.ts", ""])("that does not start makes the picture fail, not the server: %j", async (workerFile) => {
    const logged: string[] = [];
    const log = createLog({ level: "info", format: "json", write: (line) => void logged.push(line) });
    const pictures = openPictures({ workerFile, log });
    expect(await pictures.pngOf(svg("a"), 10)).toBe("failed");
    const broken = await startPages({ store: pages.store, pictures });
    const answer = await fetch(`${broken.url}/scans/${soundScan.token}/image.png`);
    expect([answer.status, answer.headers.get("retry-after"), answer.headers.get("cache-control")]).toEqual([503, "5", "no-store"]);
    await broken.stop();
    expect(logged.length).toBeGreaterThan(0);
  });
});
