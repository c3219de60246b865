/** After a change of the checks: each site gets a new reference silently, and its account one notice about all of them. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { minuteMs } from "../../../src/base/units.ts";
import type { Site, SiteChange } from "../../../src/store/sites.ts";
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

const amend = (site: Site | undefined, change: SiteChange) => rig.store.sites.change(1, site?.id ?? 0, () => change);

test("does not wait for sites that are paused or without a schedule, and counts no removed one", async () => {
  const sites = await addSites(6);
  await run(0, sites);
  change(6, "c2");
  await amend(sites[4], { paused: true });
  await amend(sites[5], { nextRunAt: null });
  await run(day, sites.slice(0, 2));
  await run(2 * day, sites.slice(3, 4));
  await rig.store.sites.remove(1, [sites[3]?.id ?? 0], 1);
  expect(notices()).toEqual([]);
  await run(3 * day, sites.slice(2, 3));
  const site = { id: sites[1]?.id, name: "s1.example", url: urlOf(1) };
  expect(notices()).toEqual([notice("c2", 3, 1, { site, from: scoreOf(1), to: scoreOf(1) - 1 })]);
});

test.each<[what: string, leave: (site: Site | undefined) => Promise<unknown>]>([
  ["paused", (site) => amend(site, { paused: true, nextRunAt: null })],
  ["removed", (site) => rig.store.sites.remove(1, [site?.id ?? 0], 1)],
])("is told without a further run when the last awaited site is %s", async (_what, leave) => {
  const sites = await addSites(3);
  await run(0, sites);
  change(3, "c2");
  await run(day, sites.slice(0, 2));
  // No run is due.
  for (const site of sites) await amend(site, { nextRunAt: new Date(begin + 9 * day * minuteMs).toISOString() });
  await rig.at(2 * day);
  expect(notices()).toEqual([]);
  await leave(sites[2]);
  let calls = 0;
  rig.restart({ onEvents: () => void calls++ });
  await rig.at(2 * day + 10);
  expect(notices()).toMatchObject([{ data: { sites: 2 } }]);
  expect(calls).toBe(1);
});

test("waits for the repetitions of a run that failed, and not for a site that cannot be reached", async () => {
  const sites = await addSites(3);
  await run(0, sites);
  change(3, "c2");
  rig.show("interrupted", urlOf(1));
  rig.show("refused", urlOf(2));
  await run(day, sites);
  expect(notices()).toEqual([]);
  rig.show({ score: 40, catalogVersion: "c2" }, urlOf(1));
  await run(day + 10, sites.slice(1));
  expect(notices()).toEqual([]);
  await run(day + 20, sites.slice(2));
  expect(notices()).toMatchObject([{ type: "site.unreachable" }, { data: { sites: 2, changed: 1 } }]);
  // Its first run afterwards says that it is back, and nothing else.
  rig.show({ score: 20, codes: ["security.x.new"], catalogVersion: "c2" }, urlOf(2));
  await run(2 * day, sites.slice(2));
  expect(notices().map(({ type }) => type)).toEqual(["site.unreachable", "catalog.changed", "site.recovered"]);
});

test("waits for sites that are measured monthly", async () => {
  const sites = await addSites(3, { schedule: { every: "monthly" } });
  await run(0, sites);
  change(3, "c2");
  await run(day, sites.slice(0, 2));
  for (const site of sites) await amend(site, { nextRunAt: new Date(begin + 30 * day * minuteMs).toISOString() });
  await run(29 * day, sites.slice(0, 1));
  expect(notices()).toEqual([]);
  await run(30 * day, sites.slice(2));
  expect(notices()).toMatchObject([{ data: { sites: 3 } }]);
});

test("is told after 32 days, and does not wait for a run that is planned later", async () => {
  const sites = await addSites(3);
  await run(0, sites);
  change(3, "c2");
  await run(day, sites.slice(0, 2));
  await run(32 * day, sites.slice(0, 1));
  expect(notices()).toEqual([]);
  await run(33 * day, sites.slice(0, 1));
  expect(notices()).toMatchObject([{ data: { sites: 2 } }]);
  await run(34 * day, sites);
  change(3, "c3");
  await amend(sites[2], { nextRunAt: new Date(begin + 80 * day * minuteMs).toISOString() });
  await run(35 * day, sites.slice(0, 2));
  expect(notices().slice(1)).toMatchObject([{ data: { catalogVersion: "c3", sites: 2 } }]);
});

test("takes in a change that follows, with the scores before both", async () => {
  const sites = await addSites(3);
  await run(0, sites);
  for (const at of [0, 1, 2]) rig.show({ score: 40, catalogVersion: "c2" }, urlOf(at));
  await run(day, sites.slice(0, 2));
  for (const at of [0, 1, 2]) rig.show({ score: scoreOf(at) - at, catalogVersion: "c3" }, urlOf(at));
  await run(2 * day, sites.slice(1, 2));
  rig.restart();
  await run(3 * day, sites.slice(2));
  expect(notices()).toEqual([]);
  await run(4 * day, sites.slice(0, 1));
  const site = { id: sites[2]?.id, name: "s2.example", url: urlOf(2) };
  expect(notices()).toEqual([notice("c3", 3, 2, { site, from: scoreOf(2), to: scoreOf(2) - 2 })]);
});

test("that is taken back says that no score moved", async () => {
  const sites = await addSites(3);
  await run(0, sites);
  change(3, "c2");
  await run(day, sites.slice(1, 2));
  for (const at of [0, 1, 2]) rig.show({ score: scoreOf(at) }, urlOf(at));
  await run(2 * day, sites);
  expect(notices()).toEqual([notice("c1", 1, 0, null)]);
});

test("says nothing of a site that has another address since", async () => {
  const sites = await addSites(3);
  await run(0, sites);
  change(3, "c2");
  await run(day, sites.slice(1, 2));
  await amend(sites[1], { url: "https://other.example/" });
  await run(
    2 * day,
    [sites[0], sites[2]].flatMap((site) => site ?? []),
  );
  expect(notices()).toEqual([notice("c2", 2, 0, null)]);
});

test("counts other code of a plugin check too", async () => {
  const sites = await addSites(2);
  for (const at of [0, 1]) rig.show({ score: scoreOf(at), plugin: "1" }, urlOf(at));
  await run(0, sites);
  for (const at of [0, 1]) rig.show({ score: 20, codes: ["security.x.new"], plugin: "2" }, urlOf(at));
  await run(day, sites);
  const site = { id: sites[1]?.id, name: "s1.example", url: urlOf(1) };
  expect(notices()).toEqual([notice("c1", 2, 2, { site, from: scoreOf(1), to: 20 })]);
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
