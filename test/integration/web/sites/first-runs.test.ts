/** What pages say of sites that wait for a run: minutes and progress after an import, and places instead of times that have passed. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { minuteMs } from "../../../../src/base/units.ts";
import { noWaitingRuns, type WaitingRuns } from "../../../../src/sites/waiting-runs.ts";
import type { Account } from "../../../../src/store/accounts.ts";
import type { Site } from "../../../../src/store/sites.ts";
import { measureOften } from "../../../support/measured-sites.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { siteServices } from "../../../support/site-services.ts";
import { addSite } from "../../../support/watched-sites.ts";

/** Mean duration of a scan. */
const scanMs = 20_000;
const slots = 4;

let pages: PagesUnderTest;
let account: Account;
let visitor: Visitor;
let waiting: WaitingRuns;
let known: boolean;

beforeAll(async () => {
  const waitMs = (position: number) => (known ? (position * scanMs) / slots : null);
  pages = await startPages({
    sites: { ...siteServices(), waitingRuns: () => waiting },
    scanning: { progress: { waitMs, subscribe: () => null, pace: () => null } },
  });
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  pages.reset();
  [waiting, known] = [noWaitingRuns, true];
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
});
afterAll(() => pages.stop());

async function add(name: string, given: Partial<Site> = {}): Promise<Site> {
  return addSite(pages.store, { accountId: account.id, url: `https://${name}.example/`, now: new Date(), ...given });
}

const page = async (path = "/sites", locale = "en-gb") => mainOf(await (await visitor.get(`${path}?locale=${locale}`)).text());
/** 60 sites of which the last one has place 60. */
async function imported(): Promise<readonly Site[]> {
  const sites: Site[] = [];
  for (let at = 0; at < 60; at++) sites.push(await add(`s${at}`));
  const need = { location: "local", durations: 27, slots };
  waiting = { placeOf: (id) => sites.findIndex((site) => site.id === id) + 1 || null, firstRunsNeed: () => need };
  return sites;
}
const rowOf = (html: string, { id }: Site) => new RegExp(`<tr id="site-${id}"[\\s\\S]*?</tr>`).exec(html)?.[0] ?? "";

test("after an import: how many sites, when they have results, and progress; and the place of each that waits", async () => {
  const sites = await imported();
  const html = await page();
  expect(html).toContain("60 sites, first results in about 9 minutes.");
  expect(html).toContain("0 of 60 scanned.");
  expect(html).toContain('<progress id="first-runs" max="60" value="0">');
  const site = sites[30];
  if (site === undefined) throw new Error("no site was added");
  expect(rowOf(html, site)).toContain("waiting, place 31");
  expect(rowOf(html, site)).not.toContain("<time");
  expect(await page(`/sites/${site.id}`)).toContain("waiting, place 31");
  expect(await page("/sites", "de-de")).toContain("60 Sites, erste Ergebnisse in etwa 9 Minuten.");
});

test("progress counts the sites that have a result, and ends with the last one", async () => {
  const [first, second] = [await add("a"), await add("b")];
  await measureOften(pages.store, first, [{ at: new Date(), shows: "sound" }]);
  await pages.store.sites.change(account.id, first.id, () => ({ nextRunAt: new Date(Date.now() + minuteMs).toISOString() }));
  expect(await page()).toContain("1 of 2 scanned.");
  await measureOften(pages.store, second, [{ at: new Date(), shows: null }]);
  expect(await page()).not.toContain('id="first-runs"');
});

test("names no time before any scan has ended, and no place before the clock has seen the site", async () => {
  known = false;
  const site = await add("alone");
  const html = await page();
  expect(html).toContain("1 site, first result as soon as there is capacity.");
  expect(rowOf(html, site)).toMatch(/>waiting</);
});

test("a site that is paused, has another time, or runs by cron is not waited for", async () => {
  const later = new Date(Date.now() + minuteMs).toISOString();
  const sites = [
    await add("paused", { paused: true }),
    await add("later"),
    await add("cron", { schedule: { cron: "0 3 * * *", zone: "UTC" } }),
  ];
  for (const { id, paused } of sites.slice(1)) await pages.store.sites.change(account.id, id, () => ({ nextRunAt: paused ? null : later }));
  const html = await page();
  expect(html).not.toContain('id="first-runs"');
  expect(/<tbody>[\s\S]*<\/tbody>/.exec(html)?.[0]).not.toContain("waiting");
});
