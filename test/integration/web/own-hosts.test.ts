/** Start page of an account: a card for each of its hosts. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { dayMs } from "../../../src/base/units.ts";
import { locales } from "../../../src/check/check.ts";
import type { Account } from "../../../src/store/accounts.ts";
import { storeSite } from "../../support/finished-scans.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const texts = { "en-gb": enGb.pages, "de-de": deDe.pages };

let pages: PagesUnderTest;
let account: Account;
let by: Visitor;

beforeEach(async () => {
  pages = await startPages();
  account = await accountIn(pages, "one@assay.test");
  by = await signedIn(pages, account);
});
afterEach(() => pages.stop());

const ago = (days: number) => new Date(Date.now() - days * dayMs);
const cardsIn = (html: string) => html.split('<li class="host-card">').slice(1);
const shown = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
/** Card of a host. */
async function cardOf(host: string): Promise<string> {
  return cardsIn(await (await by.get("/")).text()).find((card) => card.includes(`/hosts/${host}"`)) ?? "";
}

/** Three scans of the account, each better than the one before. */
async function storeCourse(): Promise<void> {
  for (const [days, score] of [
    [9, 40],
    [6, 61],
    [3, 67],
  ] as const)
    await storeSite(pages.store, "silent", { at: ago(days), url: "https://course.test/shop", accountId: account.id, result: { score } });
}

describe("the own hosts", () => {
  test("are empty at first, in both languages, below the form", async () => {
    for (const locale of locales) {
      const html = await (await by.get(`/?locale=${locale}`)).text();
      expect(html).toContain(texts[locale].home.hosts.empty.title);
      expect(html.indexOf('name="url"')).toBeLessThan(html.indexOf('id="own-hosts"'));
      expect(html).not.toContain("{{");
    }
    await by.get("/?locale=en-gb");
  });

  test("show newest score and rank, change, course, time and history", async () => {
    await storeCourse();
    const card = await cardOf("course.test");
    expect(shown(card)).toMatch(/course\.test \/shop 67 fair Up 6 points since \d+ \w+ \d{4} /);
    expect(/<polyline[^>]* points="([^"]+)"/.exec(card)?.[1]?.split(" ")).toHaveLength(3);
    const [newest] = pages.store.scans.listOfAccount(account.id, { limit: 1, cursor: null }).items;
    expect(card).toContain(`href="/scans/${newest?.token}"`);
    expect(card).toContain('aria-label="History of course.test"');
  });

  test("compare scans of one address only, and say when the rules changed", async () => {
    await storeSite(pages.store, "silent", {
      at: ago(5),
      url: "https://rules.test/",
      accountId: account.id,
      result: { score: 50, catalogVersion: "older" },
    });
    await storeSite(pages.store, "silent", { at: ago(4), url: "https://rules.test/other", accountId: account.id, result: { score: 10 } });
    await storeSite(pages.store, "silent", { at: ago(1), url: "https://rules.test/", accountId: account.id, result: { score: 80 } });
    const card = shown(await cardOf("rules.test"));
    expect(card).toContain("80 solid 50 on ");
    expect(card).toContain("by different rules");
  });

  test("follow scans of others of the same address, but list only hosts that the account scanned", async () => {
    await storeCourse();
    await storeSite(pages.store, "sound", { at: ago(0.5), url: "https://course.test/shop" });
    await storeSite(pages.store, "sound", { at: ago(0.5), url: "https://stranger.test/" });
    expect(shown(await cardOf("course.test"))).toContain("100 excellent");
    expect(await (await by.get("/")).text()).not.toContain("stranger.test");
  });

  test("name a newer scan that failed or is under way", async () => {
    await storeSite(pages.store, "sound", { at: ago(0.5), url: "https://course.test/shop", accountId: account.id });
    const queued = await pages.store.scans.queue({ accountId: account.id, url: "https://course.test/", now: new Date() });
    expect(shown(await cardOf("course.test"))).toMatch(/100 excellent.*Scan in progress/);
    await pages.store.scans.claimNext("local", new Date());
    await pages.store.scans.fail(queued === "full" ? "" : queued.token, { code: "timeout", evidence: null, timings: {}, now: new Date() });
    expect(shown(await cardOf("course.test"))).toMatch(/100 excellent.*Last scan failed/);
    const only = await pages.store.scans.queue({ accountId: account.id, url: "https://never.test/", now: new Date() });
    const card = cardsIn(await (await by.get("/")).text())[0] ?? "";
    expect(card).toContain(`href="/scans/${only === "full" ? "" : only.token}"`);
    expect(card).not.toContain("undefined");
  });

  test("are paged without repeating a host", async () => {
    const many = await startPages();
    const owner = await accountIn(many, "many@assay.test");
    const visitor = await signedIn(many, owner);
    for (let at = 0; at < 60; at++)
      await many.store.scans.queue({ accountId: owner.id, url: `https://host-${at % 30}.test/`, now: new Date() });
    const hosts: (string | undefined)[] = [];
    for (const path of ["/", "/?page=2", "/?page=3"]) {
      const html = await (await visitor.get(path)).text();
      hosts.push(...cardsIn(html).map((card) => /host-\d+\.test/.exec(card)?.[0]));
      expect(html.includes('rel="next"')).toBe(path !== "/?page=3");
    }
    expect([hosts.length, new Set(hosts).size]).toEqual([30, 30]);
    expect(await (await visitor.get("/?page=4")).text()).toContain(enGb.pages.home.hosts.past);
    for (const page of ["0", "-1", "x", "1e3", "9999"])
      expect(cardsIn(await (await visitor.get(`/?page=${page}`)).text())).toHaveLength(12);
    await many.stop();
  });

  test("are not shown to guests", async () => {
    await storeCourse();
    const html = await (await pages.visitor().get("/")).text();
    expect(html).not.toContain("own-hosts");
    expect(html).toContain(enGb.pages.home.latest);
  });
});
