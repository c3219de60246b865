/** Scheduled runs of an account with more sites than its plan includes, over a real store with a fake clock. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { planSitesMax } from "../../../src/accounts/account-operations.ts";
import { walkSites } from "../../../src/sites/clock.ts";
import type { Site } from "../../../src/store/sites.ts";
import { addSite } from "../../support/watched-sites.ts";
import { type SiteRig, siteRig } from "./site-rig.ts";

const dayMinutes = 24 * 60;
let rig: SiteRig;
let sites: Site[];

beforeEach(async () => {
  rig = await siteRig();
  await rig.store.accounts.create({ email: "free@agency.example", plan: "free", now: rig.now() });
  sites = [];
  for (const name of ["a", "b", "c", "d"])
    sites.push(await addSite(rig.store, { accountId: 2, url: `https://${name}.example/`, now: rig.now() }));
  rig.restart({ sitesMaxOf: planSitesMax(rig.store) });
});
afterEach(() => rig.stop());

const last = () => rig.store.sites.find(2, sites.at(-1)?.id ?? 0);
const scanned = () => rig.store.sites.list(2).filter(({ lastRunAt }) => lastRunAt !== null);
const eventTypes = () => rig.store.events.pageOfSite(2, sites.at(-1)?.id ?? 0, { limit: 50, cursor: null }).items.map(({ type }) => type);
const names = (of: readonly Site[]) => of.map(({ url }) => new URL(url).host[0]).join("");

test("are those of the sites that were added first, and of others when there is space", async () => {
  for (const minute of [0, 1, 2]) await rig.at(minute);
  expect([names(scanned()), last()?.nextRunAt]).toEqual(["abc", null]);
  await rig.store.sites.remove(2, [sites[0]?.id ?? 0], 2);
  await rig.at(20);
  const planned = Date.parse(last()?.nextRunAt ?? "");
  expect(planned).toBeGreaterThan(rig.now().getTime());
  await rig.at(20 + Math.ceil((planned - rig.now().getTime()) / 60_000));
  expect(names(scanned())).toEqual("bcd");
});

test("that cannot be taken back are logged, and the round goes on", async () => {
  await rig.store.sites.change(2, last()?.id ?? 0, () => ({ nextRunAt: rig.now().toISOString() }));
  const { change } = rig.store.sites;
  const faulty: typeof change = async (accountId, id, ...rest) => {
    if (id === last()?.id) throw new Error("a fault of the test");
    return change(accountId, id, ...rest);
  };
  rig.restart({ sitesMaxOf: planSitesMax(rig.store), store: { ...rig.store, sites: { ...rig.store.sites, change: faulty } } });
  await rig.at(0);
  expect(rig.log.filter((line) => line.startsWith("site could not be examined"))).toEqual([
    expect.stringContaining('"site":4,"because":"a fault of the test"'),
  ]);
  expect(names(scanned())).toBe("abc");
});

test("are the demand on the budget of starts", async () => {
  const sitesMaxOf = planSitesMax(rig.store);
  const noLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const demand = async () => {
    const { store, clock } = rig;
    const { demandPerHour } = await walkSites({ store, clock, sitesMaxOf, unread: new Map(), log: noLog });
    return Math.round(demandPerHour * 24 * 7);
  };
  // Three weekly runs of the four sites: the plan includes no more.
  expect(await demand()).toBe(3);
  await rig.store.accounts.setPlan(2, "agency");
  expect(await demand()).toBe(4);
  await rig.store.sites.change(2, sites[0]?.id ?? 0, () => ({ paused: true }));
  expect(await demand()).toBe(3);
  await rig.store.accounts.setDisabled(2, true);
  expect(await demand()).toBe(0);
});

test("come again after a change of the plan", async () => {
  await rig.at(0);
  expect(last()?.nextRunAt).toBeNull();
  await rig.store.accounts.setPlan(2, "agency");
  await rig.at(20);
  expect(Date.parse(last()?.nextRunAt ?? "")).toBeGreaterThan(rig.now().getTime());
});

test("leave the other sites to runs by hand, with their second looks, and report no certificate that nobody reads", async () => {
  await rig.at(0);
  const id = sites.at(-1)?.id ?? 0;
  const byHand = () => rig.store.siteRuns.start({ accountId: 2, siteId: id, kind: "manual", now: rig.now() });
  await byHand();
  await rig.runScans();
  await rig.ticker.conclude();
  rig.setMinute(60);
  rig.show({ score: 40, codes: ["x.missing"] }, "https://d.example/");
  await byHand();
  await rig.runScans();
  await rig.ticker.conclude();
  expect(last()?.secondLookAt).not.toBeNull();
  expect(await rig.at(71)).toBe(1);
  expect(eventTypes()).toContain("finding.opened");
  const expiresAt = new Date(rig.now().getTime() + 10 * dayMinutes * 60_000).toISOString();
  await rig.store.siteRuns.noteState(
    { accountId: 2, id },
    (_site, state) => ({ state: { ...state, certificate: { validFrom: "2026-09-01T00:00:00.000Z", expiresAt, noticed: [] } }, events: [] }),
    rig.now(),
  );
  for (const day of [2, 5, 9, 12]) await rig.at(day * dayMinutes);
  expect(eventTypes()).not.toContain("certificate.expiring");
});
