/** After a change of the checks: each site gets a new reference silently, and its account one notice about all of them. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { minuteMs } from "../../../src/base/units.ts";
import type { Site } from "../../../src/store/sites.ts";
import { isFullTest } from "../../support/random-runs.ts";
import { addSite } from "../../support/watched-sites.ts";
import { begin, type SiteRig, siteRig } from "./site-rig.ts";

const day = 24 * 60;
const week = 7 * day;
const siteCount = isFullTest ? 500 : 40;

let rig: SiteRig;
beforeEach(async () => {
  rig = await siteRig({ queueMax: siteCount });
});
afterEach(() => rig.stop());

const urlOf = (at: number) => `https://s${at}.example/`;
const scoreOf = (at: number) => 50 + (at % 50);

async function addSites(count: number, given: Partial<Parameters<typeof addSite>[1]> = {}): Promise<readonly Site[]> {
  const sites: Site[] = [];
  for (let at = 0; at < count; at++) {
    rig.show({ score: scoreOf(at) }, urlOf(at));
    sites.push(await addSite(rig.store, { accountId: 1, url: urlOf(at), now: new Date(begin), ...given }));
  }
  return sites;
}

/** Runs of these sites at one time, whatever their schedules say. */
async function run(minute: number, sites: readonly Site[]): Promise<void> {
  rig.setMinute(minute);
  for (const { accountId, id: siteId } of sites) await rig.store.siteRuns.start({ accountId, siteId, kind: "scheduled", now: rig.now() });
  await rig.runScans();
  await rig.ticker.conclude();
}

/** From then on, scans are judged by other checks. Site number 3 loses 12 points, each second one a single point. */
function change(count: number, catalogVersion: string): void {
  for (let at = 0; at < count; at++) {
    const lost = at === 3 ? 12 : at % 2;
    rig.show({ score: scoreOf(at) - lost, codes: lost > 0 ? ["security.x.new"] : [], catalogVersion }, urlOf(at));
  }
}

const notices = () =>
  rig
    .allEvents()
    .toReversed()
    .map(({ type, data }) => ({ type, data }));
const notice = (catalogVersion: string, sites: number, changed: number, largestChange: object | null) => ({
  type: "catalog.changed",
  data: { catalogVersion, algorithmVersion: 3, sites, changed, largestChange },
});
const siteThree = (sites: readonly Site[]) => ({
  site: { id: sites[3]?.id, name: "s3.example", url: urlOf(3) },
  from: scoreOf(3),
  to: scoreOf(3) - 12,
});

test(`of ${siteCount} sites is told once, with their number and the largest change`, async () => {
  const sites = await addSites(siteCount);
  await run(0, sites);
  change(siteCount, "c2");
  await run(day, sites.slice(0, -1));
  expect(notices()).toEqual([]);
  rig.restart();
  await run(2 * day, sites.slice(-1));
  expect(notices()).toEqual([notice("c2", siteCount, siteCount / 2, siteThree(sites))]);
  expect(sites.map(({ id }) => rig.store.sites.find(1, id)?.secondLookAt)).toEqual(sites.map(() => null));
  await run(3 * day, sites);
  expect(notices()).toHaveLength(1);
});

test("leaves later changes of a site to its own events", async () => {
  const sites = await addSites(4);
  await run(0, sites);
  change(4, "c2");
  await run(day, sites);
  rig.show({ score: 20, codes: ["security.x.bad"], catalogVersion: "c2" }, urlOf(0));
  await run(2 * day, sites);
  await run(2 * day + 10, sites);
  expect(rig.allEvents().map(({ type }) => type)).toEqual(["finding.opened", "site.score_dropped", "catalog.changed"]);
});

test("does not wait for sites that are paused, removed, without a schedule, or fail", async () => {
  const sites = await addSites(7);
  const idOf = (at: number) => sites[at]?.id ?? 0;
  await run(0, sites);
  change(7, "c2");
  await rig.store.sites.change(1, idOf(4), () => ({ paused: true }));
  await rig.store.sites.change(1, idOf(5), () => ({ nextRunAt: null }));
  rig.show("refused", urlOf(6));
  await run(day, sites.slice(0, 3));
  await rig.store.sites.remove(1, [idOf(3)], 1);
  expect(notices()).toEqual([]);
  await run(2 * day, sites.slice(6));
  expect(notices()).toEqual([
    notice("c2", 3, 1, { site: { id: idOf(1), name: "s1.example", url: urlOf(1) }, from: scoreOf(1), to: scoreOf(1) - 1 }),
  ]);
});

test("is told after eight days, if a site is not measured for so long", async () => {
  const sites = await addSites(3);
  await run(0, sites);
  change(3, "c2");
  await run(day, sites.slice(0, 2));
  await run(8 * day, sites.slice(0, 1));
  expect(notices()).toEqual([]);
  await run(9 * day, sites.slice(0, 1));
  expect(notices()).toMatchObject([{ data: { sites: 2 } }]);
  await run(10 * day, sites);
  expect(notices()).toHaveLength(1);
});

test("is told before the next one begins", async () => {
  const sites = await addSites(3);
  await run(0, sites);
  change(3, "c2");
  await run(day, sites.slice(0, 2));
  change(3, "c3");
  await run(2 * day, sites);
  expect(notices()).toMatchObject([{ data: { catalogVersion: "c2", sites: 2 } }, { data: { catalogVersion: "c3", sites: 3 } }]);
});

test("that moves no score says so", async () => {
  const sites = await addSites(2);
  await run(0, sites);
  for (const at of [0, 1]) rig.show({ score: scoreOf(at), catalogVersion: "c2" }, urlOf(at));
  await run(day, sites);
  expect(notices()).toEqual([notice("c2", 2, 0, null)]);
});

test("counts sites of its account only, and none that was never measured before", async () => {
  const second = await rig.store.accounts.create({ email: "other@agency.example", now: rig.now() });
  if (typeof second === "string") throw new Error(second);
  const sites = await addSites(2);
  const other = await addSite(rig.store, { accountId: second.id, url: "https://other.example/", now: new Date(begin) });
  rig.show({ score: 80 }, other.url);
  await run(0, [...sites, other]);
  change(2, "c2");
  const fresh = await addSite(rig.store, { accountId: 1, url: "https://fresh.example/", now: new Date(begin + week * minuteMs) });
  rig.show({ score: 10, catalogVersion: "c2" }, fresh.url);
  await run(day, [fresh, ...sites]);
  expect(notices()).toMatchObject([{ data: { sites: 2, changed: 1 } }]);
  expect(rig.store.events.list(second.id, { limit: 10, cursor: null }).items).toEqual([]);
});
