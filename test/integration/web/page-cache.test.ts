/** Cached report pages: rendered once for all visitors in the same state, and never with anything of another visitor. */
import { gunzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { dayMs } from "../../../src/base/units.ts";
import { cachedPage } from "../../../src/web/page-cache.ts";
import { type SharedVisit, visitOf } from "../../../src/web/visit.ts";
import { pixelJpeg, storeSite } from "../../support/finished-scans.ts";
import { startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

/** A form that is accepted and then refused with 400, so that nothing is queued; one of another sender gets 403. */
const noUrl = { url: "ftp://site.example/" };
/** Rows that a retention run would have deleted. */
const deleted = new Set<string>();
/** Results read from the store: a page that is answered from memory reads none. */
let resultsRead = 0;

const pages = await startPages();
const { store } = pages;
const watched = await startPages({
  store: {
    ...store,
    results: {
      find: (token) => {
        resultsRead += 1;
        return store.results.find(token);
      },
    },
    evidence: {
      find: (token) => (deleted.has("evidence") ? undefined : store.evidence.find(token)),
      has: (token) => !deleted.has("evidence") && store.evidence.has(token),
    },
    screenshots: { ...store.screenshots, has: (token) => !deleted.has("screenshot") && store.screenshots.has(token) },
  },
});
const admin = await visitorAs("admin@assay.test");
const account = await visitorAs("someone@assay.test");
const other = await visitorAs("other@assay.test");
const guest = watched.visitor();
afterAll(async () => {
  await watched.stop();
  await pages.stop();
});

/** Both servers have one store, and so one table of sessions. */
async function visitorAs(email: string): Promise<Visitor> {
  const visitor = watched.visitor();
  for (const [name, value] of (await signedIn(pages, await accountIn(pages, email))).cookies) visitor.cookies.set(name, value);
  return visitor;
}

let path = "";
let scans = 0;
const scanOf = (url: string) => storeSite(store, "bare", { at: new Date(), url, screenshot: pixelJpeg });
beforeEach(async () => {
  deleted.clear();
  scans += 1;
  path = `/scans/${(await scanOf(`https://kept-${scans}.example/`)).token}`;
  resultsRead = 0;
});

async function read(visitor: Visitor, query = "", headers: Readonly<Record<string, string>> = {}) {
  const answer = await visitor.get(`${path}${query}`, headers);
  return { answer, html: await answer.text() };
}

/** Results read for one answer. */
async function readsOf(visitor: Visitor, query = ""): Promise<number> {
  const before = resultsRead;
  await read(visitor, query);
  return resultsRead - before;
}

describe("an answer from the cache", () => {
  test("reads no result, and is the same page, also for another visitor in the same state", async () => {
    const first = await read(guest);
    expect(resultsRead).toBeGreaterThan(0);
    resultsRead = 0;
    expect((await read(watched.visitor())).html).toBe(first.html);
    expect(resultsRead).toBe(0);
    expect(first.html).not.toMatch(/ nonce=| ago<|type="hidden" name="form"/);
  });

  test("is the same page with and without compression, and equals one that is not cached", async () => {
    const withoutQuery = (html: string) =>
      html
        .replaceAll("&amp;", "&")
        .replace(/<link rel="canonical"[^>]*>/, "")
        .replaceAll("unknown=1&", "")
        .replaceAll("?unknown=1", "");
    const packed = await fetch(`${watched.url}${path}?locale=en-gb`, { headers: { "accept-encoding": "gzip" }, decompress: false });
    const unpacked = gunzipSync(await packed.arrayBuffer()).toString();
    const plain = await fetch(`${watched.url}${path}?locale=en-gb`, { headers: { "accept-encoding": "identity" } });
    const uncached = await fetch(`${watched.url}${path}?unknown=1&locale=en-gb`);
    expect([packed.headers.get("content-encoding"), plain.headers.get("content-encoding")]).toEqual(["gzip", null]);
    const html = await plain.text();
    expect(Buffer.byteLength(html)).toBe(Buffer.byteLength(unpacked));
    expect(withoutQuery(unpacked)).toBe(withoutQuery(html));
    expect(withoutQuery(html)).toBe(withoutQuery(await uncached.text()));
    const headersOf = ({ headers }: Response) =>
      ["cache-control", "vary", "content-type", "content-language"].map((name) => headers.get(name));
    expect(headersOf(plain)).toEqual(headersOf(uncached));
  });

  test("has forms that work, and sets no cookie", async () => {
    const { answer } = await read(watched.visitor());
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await account.post("/scans", noUrl, path)).status).toBe(400);
    expect((await guest.post("/scans", noUrl, path)).status).toBe(400);
  });
});

describe("visitors", () => {
  test("of different states get different pages, in any order", async () => {
    for (const order of [
      [admin, account, guest],
      [guest, admin, account],
      [account, guest, admin],
    ]) {
      for (const visitor of order) {
        const { html } = await read(visitor);
        expect(html.includes('href="/admin"')).toBe(visitor === admin);
        expect(html.includes('href="/sign-in"')).toBe(visitor === guest);
        expect(html).not.toContain("@assay.test");
      }
    }
  });

  test("of the same state share a page", async () => {
    const mine = await read(account);
    expect(await readsOf(other)).toBe(0);
    expect((await read(other)).html).toBe(mine.html);
  });

  test("get their own theme and language", async () => {
    await read(account);
    const german = await visitorAs("german@assay.test");
    const id = store.accounts.findByEmail("german@assay.test")?.id ?? 0;
    await store.accounts.setPreferences(id, { theme: "dark", locale: "de-de" });
    expect((await read(german)).html).toContain('<html lang="de-DE" data-theme="dark"');
    expect((await read(account)).html).toContain('<html lang="en-GB" data-theme="system"');
    expect((await read(guest, "", { "accept-language": "de" })).html).toContain('lang="de-DE"');
    expect((await read(guest)).html).toContain('lang="en-GB"');
  });

  test("at once get the page of their own state", async () => {
    const visitors = Array.from({ length: 40 }, (_none, at) => [guest, account, admin, other][at % 4] ?? guest);
    const answers = await Promise.all(visitors.map((visitor) => read(visitor)));
    for (const [at, { html }] of answers.entries()) {
      expect(html.includes('href="/admin"')).toBe(visitors[at] === admin);
      expect(html.includes('href="/sign-in"')).toBe(visitors[at] === guest);
    }
  });
});

test("a visitor's choice of server is a page of its own, cached for others with the same choice", async () => {
  const chooser = watched.visitor();
  const caddy = (html: string) => /<option value="caddy" selected/.test(html);
  expect(caddy((await read(guest)).html)).toBe(false);
  expect(caddy((await read(chooser, "?server=caddy")).html)).toBe(true);
  expect(caddy((await read(chooser)).html)).toBe(true);
  expect(caddy((await read(guest)).html)).toBe(false);
  const alike = watched.visitor();
  alike.cookies.set("server", "caddy");
  expect(await readsOf(alike)).toBe(0);
});

describe("a cached page is replaced", () => {
  test.each(["evidence", "screenshot"])("after the %s was deleted", async (what) => {
    const before = (await read(guest)).html;
    deleted.add(what);
    const after = (await read(guest)).html;
    if (what === "screenshot") expect([before, after].map((html) => html.includes(`${path}/screenshot`))).toEqual([true, false]);
    else expect([before, after].map((html) => html.includes("no longer stored"))).toEqual([false, true]);
  });

  test("after another scan of the host", async () => {
    await read(guest);
    const { token } = await scanOf(`https://kept-${scans}.example/`);
    expect((await read(guest)).html).toContain(`/scans/${token}`);
    expect(await readsOf(guest)).toBe(0);
  });

  test("not after a scan of another host", async () => {
    await read(guest);
    await scanOf("https://elsewhere.example/");
    expect(await readsOf(guest)).toBe(0);
  });

  test("by the page of the filter that the query names", async () => {
    const all = (await read(guest)).html;
    expect((await read(guest, "?state=passed")).html.length).not.toBe(all.length);
    expect(await readsOf(guest, "?state=passed")).toBe(0);
  });

  test("by one of its own for a query that the page does not know", async () => {
    await read(guest, "?utm_source=mail");
    expect(await readsOf(guest, "?utm_source=mail")).toBeGreaterThan(0);
    expect(await readsOf(guest, `?state=${"x".repeat(300)}`)).toBeGreaterThan(0);
    expect(await readsOf(guest, `?state=${"x".repeat(300)}`)).toBeGreaterThan(0);
  });

  test("with its settings, which a reload of the checks replaces", async () => {
    const { visit } = visitOf(new Request(`${watched.url}${path}`), null, watched.settings);
    const bodyWith = async (version: string) => {
      const settings = { ...visit.settings, catalog: { ...visit.settings.catalog, version } };
      const content = (shared: SharedVisit) => ({ title: "t", children: shared.settings.catalog.version });
      return (await cachedPage({ ...visit, settings }, { key: [path], params: [], daysSince: visit.now.toISOString(), content })).text();
    };
    expect(await bodyWith("older")).toContain("older");
    expect(await bodyWith("newer")).toContain("newer");
  });
});

describe("times in a cached page", () => {
  test("are in UTC, and the page notices its age", async () => {
    const later = await scanOf(`https://kept-${scans}.example/`);
    const aging = await startPages({ store });
    const get = async () => (await fetch(`${aging.url}/scans/${later.token}`)).text();
    const first = await get();
    expect(first).toMatch(/<time datetime="[^"]+">[^<]+ UTC<\/time>/);
    aging.advanceMs(5 * 60_000);
    expect(await get()).toBe(first);
    aging.advanceMs(31 * dayMs);
    expect(await get()).toContain("31 days old");
    aging.advanceMs(dayMs);
    expect(await get()).toContain("32 days old");
    await aging.stop();
  });
});

test("the content gets nothing that identifies the visitor", async () => {
  const headers = { cookie: `sid=${account.cookies.get("sid")}` };
  const { visit } = visitOf(new Request(`${watched.url}${path}`, { headers }), null, watched.settings);
  expect(visit.account?.email).toBe("someone@assay.test");
  const given: SharedVisit[] = [];
  const content = (shared: SharedVisit) => {
    given.push(shared);
    return { title: "t", children: shared.account?.theme };
  };
  const page = { key: ["own"], params: [], daysSince: visit.now.toISOString(), content };
  for (let times = 0; times < 2; times++) expect(await cachedPage(visit, page).text()).toContain("system");
  expect(given.map(({ account: seen }) => seen)).toEqual([{ theme: "system", admin: false }]);
  const names = ["account", "i18n", "now", "server", "serverPreference", "settings", "unknownLocale", "url"];
  expect(Object.keys(given[0] ?? {}).sort()).toEqual(names);
});
