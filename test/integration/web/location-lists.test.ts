/** Lists, hosts, reports and comparisons keep the locations of scans apart. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { dayMs } from "../../../src/base/units.ts";
import { locales } from "../../../src/check/check.ts";
import type { ScanRecord } from "../../../src/store/scans.ts";
import { storeSite } from "../../support/finished-scans.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const texts = { "en-gb": enGb.pages, "de-de": deDe.pages };
const url = "https://shop.test/";

let pages: PagesUnderTest;
let visitor: Visitor;
/** Scans of the host in the order of their ends, each location in turn. */
let scans: Readonly<Record<"local" | "berlin", readonly ScanRecord[]>>;

const locations = {
  names: () => ["berlin", "paris"],
  capacity: () => 2,
  absentSince: () => null,
  provers: () => ({ present: 1, unable: [] }),
};
beforeAll(async () => {
  pages = await startPages({ scanning: { locations } });
  const account = await accountIn(pages, "one@assay.test");
  visitor = await signedIn(pages, account);
  const stored: Record<"local" | "berlin", ScanRecord[]> = { local: [], berlin: [] };
  for (const [at, score] of [40, 50, 60].entries())
    for (const [nth, location] of (["local", "berlin"] as const).entries()) {
      const end = new Date(Date.now() - (9 - 3 * at - nth) * dayMs);
      const given = { at: end, url, location, accountId: account.id, result: { score: score + 30 * nth } };
      stored[location].push(await storeSite(pages.store, "silent", given));
    }
  await storeSite(pages.store, "sound", { at: new Date(Date.now() - dayMs), url: "https://inside.test/", location: "berlin" });
  scans = stored;
});
afterAll(() => pages.stop());

async function read(path: string, status = 200): Promise<string> {
  const answer = await visitor.get(path);
  const html = await answer.text();
  expect([path, answer.status]).toEqual([path, status]);
  expect(html).not.toContain("{{");
  return html;
}
const rowsIn = (html: string) =>
  [...html.matchAll(/<th scope="row"[^>]*><a href="\/scans\/([0-9A-Za-z]{22})">/g)].map(([, token]) => token);
const tokensOf = (of: readonly ScanRecord[]) => of.map(({ token }) => token).reverse();
const markOf = (location: string, locale: "en-gb" | "de-de" = "en-gb") => texts[locale].location.of.replace("{{location}}", location);
const countOf = (html: string, part: string) => html.split(part).length - 1;
/** The last element is the newest. */
const newest = (of: readonly ScanRecord[]) => of.at(-1)?.token ?? "";

describe("the public list", () => {
  test.each(locales)("names other locations in %s", async (locale) => {
    const html = await read(`/scans?locale=${locale}`);
    expect([rowsIn(html).length, countOf(html, markOf("berlin", locale)), countOf(html, markOf("local", locale))]).toEqual([7, 4, 0]);
    await visitor.get("/?locale=en-gb");
  });

  test("is limited to a location, and to host and location", async () => {
    expect(rowsIn(await read("/scans?location=berlin"))).toHaveLength(4);
    expect(rowsIn(await read("/scans?location=local"))).toEqual(tokensOf(scans.local));
    const html = await read("/scans?host=shop.test&location=berlin");
    expect(rowsIn(html)).toEqual(tokensOf(scans.berlin));
    expect(html).toContain('href="/hosts/shop.test?location=berlin"');
    expect(html).toContain('<option value="berlin" selected>');
    expect(await read("/scans?location=paris")).toContain(enGb.pages.scans.noMatch.title);
  });

  test("keeps a location in the choice that has no worker any more, and takes no other text for one", async () => {
    expect(await read("/scans?location=rome")).toContain('<option value="rome" selected>rome');
    for (const word of ["%3Cb%3E", "ROME", "x".repeat(100), ""]) expect(rowsIn(await read(`/scans?location=${word}`))).toHaveLength(7);
  });
});

test("a list says where to look on if no scan among those it reads is from the location", async () => {
  const { publicScans } = pages.store;
  const full = { items: publicScans.list({ limit: 1, cursor: null }).items, nextCursor: 7 };
  const store = { ...pages.store, publicScans: { ...publicScans, list: () => full } };
  const many = await startPages({ store });
  const html = await (await many.visitor().get("/scans?location=paris")).text();
  expect(html).toContain(enGb.pages.scans.notAmong.replace("{{count}}", "500"));
  expect(html).toContain('href="/scans?location=paris&amp;before=7" rel="next"');
  await many.stop();
});

describe("the page of a host", () => {
  test("shows the scans of one location, and leads to the others", async () => {
    const [own, berlin] = [await read("/hosts/shop.test"), await read("/hosts/shop.test?location=berlin")];
    expect([rowsIn(own), rowsIn(berlin)]).toEqual([tokensOf(scans.local), tokensOf(scans.berlin)]);
    expect(own).toContain('<a href="/hosts/shop.test" aria-current="page">This appliance</a>');
    expect(own).toContain('<a href="/hosts/shop.test?location=berlin">berlin</a>');
    expect(berlin).toContain('<a href="/hosts/shop.test?location=berlin" aria-current="page">berlin</a>');
    expect(berlin).toContain('href="/?url=shop.test&amp;location=berlin"');
    const compared = [...berlin.matchAll(/\/scans\/(\w+)\/compare\?with=(\w+)/g)].flatMap(([, one, other]) => [one, other]);
    expect(compared.filter((token) => scans.local.some((scan) => scan.token === token))).toEqual([]);
    expect(compared).toHaveLength(4);
    expect(countOf(berlin, "chart-line")).toBe(1);
  });

  test("begins with the location that has scans", async () => {
    const html = await read("/hosts/inside.test");
    expect(rowsIn(html)).toHaveLength(1);
    expect(html).toContain('<a href="/hosts/inside.test?location=berlin" aria-current="page">berlin</a>');
  });

  test("says so if the location has none", async () => {
    const html = await read("/hosts/shop.test?location=paris", 404);
    expect(html).toContain("No finished scan of shop.test from paris");
    expect(html).toContain('<a href="/hosts/shop.test?location=berlin">berlin</a>');
  });

  test("has no choice where all scans are from the server itself", async () => {
    const alone = await startPages({ scanning: { locations } });
    await storeSite(alone.store, "sound", { at: new Date(Date.now() - 20 * dayMs), url: "https://alone.test/" });
    const answer = await alone.visitor().get("/hosts/alone.test");
    expect([answer.status, (await answer.text()).includes('class="tabs"')]).toEqual([200, false]);
    await alone.stop();
  });
});

describe("a report", () => {
  test("names its location, and compares within it", async () => {
    const html = await read(`/scans/${newest(scans.berlin)}`);
    expect(html).toMatch(/data-print-header="[^"]+, Location: berlin"/);
    expect(html).toContain("Up 10 points since");
    expect(html).toContain('href="/hosts/shop.test?location=berlin"');
    expect(html).toContain('<input type="hidden" name="location" value="berlin"/>');
    for (const { token } of scans.local) expect(html).not.toContain(token);
    expect(await read(`/scans/${newest(scans.local)}`)).not.toContain("Location:");
  });

  test("is compared with the scan before of its location, never with another location", async () => {
    const [, before, after] = scans.berlin.map(({ token }) => token);
    const html = await read(`/scans/${after}/compare`);
    expect(html).toContain(`/scans/${before}`);
    for (const locale of locales) {
      const refused = await read(`/scans/${after}/compare?with=${newest(scans.local)}&locale=${locale}`, 409);
      expect(refused).toContain(texts[locale].compare.otherLocation);
    }
    await visitor.get("/?locale=en-gb");
  });
});

test("the cards of the own hosts are one for each location", async () => {
  const cards = (await read("/")).split('<li class="host-card">').slice(1);
  const shop = cards.filter((card) => card.includes("/hosts/shop.test"));
  expect(shop.map((card) => [card.includes("Location: berlin"), card.includes('href="/hosts/shop.test?location=berlin"')])).toEqual([
    [true, true],
    [false, false],
  ]);
});
