/** Lists of scans: public, per host and per account. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../../src/check/check.ts";
import { hostFromSegment } from "../../../src/web/scans/list-query.ts";
import { storeSite } from "../../support/finished-scans.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const texts = { "en-gb": enGb.pages, "de-de": deDe.pages };
const shopScans = 130;
const longPath = `/${"folder/".repeat(20)}page.html`;

let pages: PagesUnderTest;
let empty: PagesUnderTest;
let visitor: Visitor;

beforeAll(async () => {
  [pages, empty] = await Promise.all([startPages(), startPages()]);
  visitor = pages.visitor();
  const { store } = pages;
  const at = (minute: number) => new Date(Date.now() - (10_000 - minute) * 60_000);
  for (let minute = 0; minute < shopScans; minute++) {
    const changed = minute >= 128 ? { result: { catalogVersion: "fedcba9876543210" } } : {};
    await storeSite(store, minute === 40 ? "old" : "bare", { at: at(minute), url: "https://shop.example.org/", ...changed });
  }
  await storeSite(store, "sound", { at: at(500), url: "https://example.org/a/b?token=secret#x" });
  await storeSite(store, "sound", { at: at(501), url: "http://[2001:db8::1]:8080/" });
  await storeSite(store, "plain", { at: at(502), url: "https://xn--bcher-kva.example/%3Cb%3E" });
  await storeSite(store, "plain", { at: at(503), url: `https://long.test${longPath}?token=secret` });
});
afterAll(() => Promise.all([pages.stop(), empty.stop()]));

async function read(path: string, { by = visitor, status = 200 } = {}): Promise<string> {
  const answer = await by.get(path);
  const html = await answer.text();
  expect([path, answer.status]).toEqual([path, status]);
  expect(html).not.toContain("{{");
  expect(html).not.toContain("undefined");
  return html;
}

const rowsIn = (html: string) =>
  [...html.matchAll(/<th scope="row"[^>]*><a href="\/scans\/([0-9A-Za-z]{22})">/g)].map(([, token]) => token);
const nextIn = (html: string) => /<a class="button" href="([^"]+)" rel="next">/.exec(html)?.[1]?.replaceAll("&amp;", "&");
/** Text without markup. */
const shown = (html: string) => html.replaceAll(/<[^>]+>/g, "");

async function allPages(path: string): Promise<{ tokens: (string | undefined)[]; pages: number; last: string }> {
  const tokens: (string | undefined)[] = [];
  for (let next: string | undefined = path, count = 1; ; count++) {
    const html = await read(next);
    tokens.push(...rowsIn(html));
    next = nextIn(html);
    if (next === undefined) return { tokens, pages: count, last: html };
  }
}

describe("the public list", () => {
  test("shows each scan's host and path, score, band, time and token, newest first", async () => {
    const html = await read("/scans");
    const [newest] = pages.store.publicScans.list({ limit: 1, cursor: null }).items;
    expect(rowsIn(html)).toHaveLength(50);
    expect(rowsIn(html)[0]).toBe(newest?.token);
    expect(shown(html)).toContain("https://example.org/a/b");
    expect(shown(html)).toContain("https://b\u00fccher.example/%3Cb%3E (in ASCII xn--bcher-kva.example)");
    expect(html).not.toContain("secret");
    expect(html).toContain(`<time datetime="${newest?.endedAt}">`);
    expect(html).toMatch(new RegExp(`<code class="break"><span class="unseen">Token </span>${newest?.token}</code>`));
    expect(html).toContain(enGb.pages.scans.lead);
    expect(html).toContain('name="robots" content="noindex"');
  });

  test("cuts a long path, and has the whole one beside it", async () => {
    const html = await read("/scans");
    const row = /<th scope="row">(?:(?!<\/th>).)*long\.test.*?<\/th>/s.exec(html)?.[0] ?? "";
    expect(shown(/<a .*?<\/a>/s.exec(row)?.[0] ?? "")).toBe("https://long.test/folder/folder/folder/folder/fold\u2026lder/page.html");
    expect(shown(/<details.*<\/details>/s.exec(row)?.[0] ?? "")).toBe(`Whole addresshttps://long.test${longPath}`);
    expect(html.match(/<details/g)).toHaveLength(1);
  });

  test("lists each scan once over all pages", async () => {
    const { tokens, pages: count, last } = await allPages("/scans");
    expect(tokens).toHaveLength(shopScans + 4);
    expect(new Set(tokens).size).toBe(shopScans + 4);
    expect(count).toBe(3);
    expect(last).toContain(enGb.pages.scans.end);
    expect(last).toContain('href="/scans"');
  });

  test.each([
    ["example.org", shopScans + 1],
    ["SHOP.example.org.", shopScans],
    ["https://shop.example.org:8443/path?q#x", shopScans],
    ["2001:db8::1", 1],
    ["[2001:db8::1]", 1],
    ["http://[2001:db8::1]:8080/", 1],
    ["b\u00fccher.example", 1],
    ["nobody.example", 0],
  ])("finds the scans of %s", async (typed, count) => {
    const { tokens } = await allPages(`/scans?host=${encodeURIComponent(typed)}`);
    expect(tokens).toHaveLength(count);
  });

  test("keeps both filters across pages and in the form", async () => {
    const html = await read("/scans?host=example.org&band=poor");
    expect(html).toContain('value="example.org"');
    expect(html).toContain('<option value="poor" selected>');
    expect(nextIn(html)).toMatch(/^\/scans\?host=example\.org&band=poor&before=\d+$/);
    const { tokens } = await allPages("/scans?host=example.org&band=poor");
    // One scan of the host was not measured.
    expect(tokens).toHaveLength(shopScans - 1);
    expect((await allPages("/scans?host=example.org&band=good")).tokens).toHaveLength(1);
    expect((await allPages("/scans?band=unknown")).tokens).toHaveLength(1);
  });

  test.each(["a b", "https://", "..", "<script>alert(1)</script>", `${"x".repeat(3_000)}`])(
    "reports that %s is not a host",
    async (typed) => {
      const html = await read(`/scans?host=${encodeURIComponent(typed)}`);
      expect(html).toContain(enGb.pages.scans.noHost);
      expect(html).toContain('aria-invalid="true"');
      expect(html).not.toContain("<script>alert");
      expect(rowsIn(html)).toEqual([]);
    },
  );

  test.each(["before=x", "before=-1", "before=99999999999999999999", "band=nonsense", "band=", "host=", "before="])(
    "ignores %s",
    async (query) => expect(rowsIn(await read(`/scans?${query}`))).toHaveLength(50),
  );

  test("distinguishes an empty list, no match and no further page", async () => {
    for (const locale of locales) {
      const { scans } = texts[locale];
      expect(await read(`/scans?locale=${locale}`, { by: empty.visitor() })).toContain(scans.empty.title);
      const noMatch = await read(`/scans?host=nobody.example&locale=${locale}`, { by: pages.visitor() });
      expect(noMatch).toContain(scans.noMatch.title);
      expect(noMatch).toContain('href="/?url=nobody.example"');
      expect(await read(`/scans?before=1&locale=${locale}`, { by: pages.visitor() })).toContain(scans.past.title);
    }
  });

  test("is indexed if the operator allows it", async () => {
    const open = await startPages({ config: { "report.index": true } });
    expect(await read("/scans", { by: open.visitor() })).not.toContain("noindex");
    await open.stop();
  });
});

describe("a host", () => {
  test("shows its newest 100 scans per page", async () => {
    const html = await read("/hosts/shop.example.org");
    expect(rowsIn(html)).toHaveLength(100);
    expect(html).toContain('class="chart"');
    expect(html.match(/class="chart-dot"/g)).toHaveLength(99);
    expect(shown(html)).toContain("The newest 100 finished scans");
    const { tokens, pages: count } = await allPages("/hosts/shop.example.org");
    expect([tokens.length, new Set(tokens).size, count]).toEqual([shopScans, shopScans, 2]);
  });

  test("links each scan to the comparison with the previous one, also across pages", async () => {
    const links = (html: string) =>
      [...html.matchAll(/\/scans\/(\w{22})\/compare\?with=(\w{22})/g)].map(([, scan, before]) => [scan, before]);
    const first = await read("/hosts/shop.example.org");
    const second = await read(nextIn(first) ?? "");
    const tokens = [...rowsIn(first), ...rowsIn(second)];
    expect([...links(first), ...links(second)]).toEqual(tokens.slice(0, -1).map((token, at) => [token, tokens[at + 1]]));
  });

  test("marks a catalog change once", async () => {
    const html = await read("/hosts/shop.example.org");
    expect(html.match(/class="chart-change"/g)).toHaveLength(1);
    expect(html.split(` ${enGb.pages.host.changed}</span>`)).toHaveLength(2);
    expect(html.replaceAll("&quot;", '"')).toContain(enGb.pages.host.changedNote);
  });

  test("has a line for each address, and a choice of addresses that works without script", async () => {
    const own = await startPages();
    const at = (day: number) => new Date(Date.now() - (50 - day) * 86_400_000);
    for (let day = 0; day < 14; day++)
      await storeSite(own.store, "bare", { at: at(day), url: `https://lines.test/${day % 7}?q=${day % 7}` });
    const by = own.visitor();
    const html = await read("/hosts/lines.test", { by });
    expect(html.match(/<polyline/g)).toHaveLength(5);
    expect(html).toContain("2 more addresses");
    const choices = [...html.matchAll(/href="(\/hosts\/lines\.test\?address=[^"]+)"/g)].map(([, href = ""]) => href);
    expect(choices).toHaveLength(7);
    for (const choice of choices) {
      const one = await read(choice.replaceAll("&amp;", "&"), { by });
      expect([rowsIn(one).length, one.match(/<polyline/g)?.length]).toEqual([2, 1]);
      expect(one).toContain('aria-current="true"');
      expect(one).toContain("noindex");
    }
    expect(await read("/hosts/lines.test?address=https%3A%2F%2Felse.test%2F", { by, status: 404 })).toContain(
      enGb.pages.host.unknownAddress,
    );
    await own.stop();
  });

  test("goes on to older scans if the ones read for an address are of others", async () => {
    const own = await startPages();
    const by = own.visitor();
    const at = (minute: number) => new Date(Date.now() - (1_000 - minute) * 60_000);
    await storeSite(own.store, "bare", { at: at(0), url: "https://busy.test/old" });
    for (let minute = 1; minute <= 500; minute++) await storeSite(own.store, "bare", { at: at(minute), url: "https://busy.test/" });
    const path = "/hosts/busy.test?address=https%3A%2F%2Fbusy.test%2Fold";
    const newest = await read(path, { by });
    expect(newest).not.toContain(enGb.pages.host.unknownAddress);
    expect(newest).toContain("None of the 500 scans");
    expect(rowsIn(await read(nextIn(newest) ?? "", { by }))).toHaveLength(1);
    await own.stop();
  });

  test("compares each scan with the one before of the same address", async () => {
    const own = await startPages();
    const at = (minute: number) => new Date(Date.now() - (50 - minute) * 60_000);
    const tokens: string[] = [];
    for (let minute = 0; minute < 4; minute++)
      tokens.push((await storeSite(own.store, "bare", { at: at(minute), url: `https://two.test/${minute % 2}` })).token);
    const html = await read("/hosts/two.test", { by: own.visitor() });
    const pairs = [...html.matchAll(/\/scans\/(\w{22})\/compare\?with=(\w{22})/g)].map(([, scan, before]) => [scan, before]);
    expect(pairs).toEqual([
      [tokens[3], tokens[1]],
      [tokens[2], tokens[0]],
    ]);
    await own.stop();
  });

  test("says since which day it is scanned, and since which time if that is one day", async () => {
    const own = await startPages();
    const noonMs = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 43_200_000;
    for (const hour of [11, 10]) await storeSite(own.store, "bare", { at: new Date(noonMs - hour * 3_600_000), url: "https://day.test/" });
    for (const day of [3, 2]) await storeSite(own.store, "bare", { at: new Date(noonMs - day * 86_400_000), url: "https://days.test/" });
    expect(await read("/hosts/day.test", { by: own.visitor() })).toMatch(/2 scans since \d{1,2} \w+ \d{4}, 01:00 UTC\./);
    expect(await read("/hosts/days.test", { by: own.visitor() })).toMatch(/2 scans since \d{1,2} \w+ \d{4}\./);
    await own.stop();
  });

  test("lists only the exact host", async () => {
    expect(rowsIn(await read("/hosts/example.org"))).toHaveLength(1);
  });

  test("with one scan has no chart yet", async () => {
    for (const locale of locales) {
      const html = await read(`/hosts/example.org?locale=${locale}`, { by: pages.visitor() });
      expect(html).toContain(texts[locale].host.single);
      expect(html).not.toContain("chart");
    }
  });

  test.each(["2001:db8::1", "[2001:db8::1]", "2001%3Adb8%3A%3A1", "xn--bcher-kva.example", "b%C3%BCcher.example", "SHOP.example.org."])(
    "is found as %s",
    async (host) => expect(rowsIn(await read(`/hosts/${host}`)).length).toBeGreaterThan(0),
  );

  test("without scans gives 404 and offers a scan", async () => {
    const html = await read("/hosts/nobody.example", { status: 404 });
    expect(html).toContain("No finished scan of nobody.example");
    expect(html).toContain('href="/?url=nobody.example"');
    expect(await read("/hosts/[2001:db8::2]", { status: 404 })).toContain('href="/?url=%5B2001%3Adb8%3A%3A2%5D"');
  });

  test.each(["a%20b", "a%2Fb", "%3Cscript%3E", "%", "%00", "..%2f", "a@b.test", "shop.example.org:443", "x".repeat(300), "-".repeat(70)])(
    "%s is not a host",
    async (host) => {
      const html = await read(`/hosts/${host}`, { status: 404 });
      expect(html).not.toContain("<script>");
      expect(html).toContain(enGb.pages.errors.notFound.title);
    },
  );

  test("has one normal form for all spellings", () => {
    expect(["Example.ORG", "example.org.", " example.org"].map(hostFromSegment)).toEqual(["example.org", "example.org", "example.org"]);
    expect(["::1", "[::1]", "0x7f.1"].map(hostFromSegment)).toEqual(["::1", "::1", "127.0.0.1"]);
    expect(["", "https://example.org/", "ftp://example.org", "[::1]:80", "a:b@c.test", "example.org?x"].map(hostFromSegment)).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe("own scans", () => {
  test("require a signed-in account", async () => {
    const answer = await visitor.get("/account/scans?before=7");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sign-in?next=%2Faccount%2Fscans%3Fbefore%3D7"]);
  });

  test("are listed in every state and can be repeated once finished", async () => {
    const own = await startPages();
    const account = await accountIn(own, "one@assay.test");
    const by = await signedIn(own, account);
    for (const locale of locales)
      expect(await read(`/account/scans?locale=${locale}`, { by })).toContain(texts[locale].ownScans.empty.title);
    await by.get("/?locale=en-gb");
    const queue = async (url: string) => {
      const scan = await own.store.scans.queue({ accountId: account.id, url, now: new Date() });
      return scan === "full" ? "" : scan.token;
    };
    await storeSite(own.store, "sound", { at: new Date(), url: "https://fine.test/", accountId: account.id });
    const failing = await queue("https://failing.test/");
    await own.store.scans.claimNext("local", new Date());
    await own.store.scans.fail(failing, { code: "timeout", evidence: null, timings: {}, now: new Date() });
    await queue("https://running.test/");
    await own.store.scans.claimNext("local", new Date());
    await queue("https://waiting.test/");
    await storeOthers(own);
    const html = await read("/account/scans", { by });
    expect(shown(html.slice(html.indexOf("<tbody>")))).toMatch(
      /waiting\.test\/waiting.*running\.test\/running.*failing\.test\/failed.*fine\.test\/finished100/s,
    );
    expect(html).not.toContain("others.test");
    expect([...html.matchAll(/name="url" value="([^"]+)"/g)].map(([, url]) => url)).toEqual([
      "https://failing.test/",
      "https://fine.test/",
    ]);
    const again = await by.post("/scans", { url: "https://failing.test/" }, "/account/scans");
    expect(again.status).toBe(303);
    expect(own.store.scans.listOfAccount(account.id, { limit: 10, cursor: null }).items).toHaveLength(5);
    await own.stop();
  });

  test("are paginated", async () => {
    const own = await startPages();
    const account = await accountIn(own, "one@assay.test");
    const by = await signedIn(own, account);
    for (let at = 0; at < 51; at++)
      await own.store.scans.queue({ accountId: account.id, url: `https://site-${at}.test/`, now: new Date() });
    const first = await read("/account/scans", { by });
    const second = await read(nextIn(first) ?? "", { by });
    expect([rowsIn(first).length, rowsIn(second).length]).toEqual([50, 1]);
    expect(await read("/account/scans?before=1", { by })).toContain(enGb.pages.ownScans.past.title);
    await own.stop();
  });
});

async function storeOthers({ store }: PagesUnderTest): Promise<void> {
  await store.scans.queue({ accountId: null, url: "https://others.test/", now: new Date() });
}
