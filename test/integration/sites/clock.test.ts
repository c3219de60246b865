/** Clock of watched sites with a real store: runs, events, refusals, and processes that end in between. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLog } from "../../../src/base/log.ts";
import { startSiteClock } from "../../../src/sites/clock.ts";
import type { Site } from "../../../src/store/sites.ts";
import { addSite } from "../../support/watched-sites.ts";
import { begin, expiryOfEvidence, type SiteRig, siteRig } from "./site-rig.ts";

const day = 24 * 60;
const week = 7 * day;
const url = "https://a.example/";

let rig: SiteRig;
beforeEach(async () => {
  rig = await siteRig({ queueMax: 20 });
});
afterEach(() => rig.stop());

const add = (given: Partial<Parameters<typeof addSite>[1]> = {}) =>
  addSite(rig.store, { accountId: 1, url, now: new Date(begin), ...given });
const stored = (site: Site): Site => rig.store.sites.find(1, site.id) ?? site;
const minuteOf = (at: string | null) => (at === null ? null : (Date.parse(at) - begin) / 60_000);
/** The first minute at which the regular run of the site is due. */
const nextMinute = (site: Site) => Math.ceil(minuteOf(stored(site).nextRunAt) ?? Number.NaN);

describe("runs of a site", () => {
  test("begin with a baseline, and report a worse site once, after a second look", async () => {
    const site = await add();
    rig.show({ score: 90 });
    expect(await rig.at(0)).toBe(1);
    expect(stored(site)).toMatchObject({ trend: [90], reading: { score: 90, open: 0, certificateExpiresAt: expiryOfEvidence() } });
    const minute = nextMinute(site);
    expect(minute).toBeGreaterThan(0);
    expect(minute).toBeLessThanOrEqual(week);
    expect(await rig.at(minute - 1)).toBe(0);
    rig.show({ score: 60, codes: ["security.x.a", "security.x.b"] });
    expect(await rig.at(minute)).toBe(1);
    expect(rig.eventsOf(site)).toEqual([]);
    expect(await rig.at(minute + 9)).toBe(0);
    expect(await rig.at(minute + 10)).toBe(1);
    expect(rig.eventsOf(site)).toEqual(["site.score_dropped", "finding.opened"]);
    expect(nextMinute(site)).toBe(minute + week);
    await rig.at(minute + week);
    expect(await rig.at(minute + week + 10)).toBe(0);
    expect(rig.eventsOf(site)).toHaveLength(2);
    expect(rig.store.siteRuns.history(site.id).map(({ score, open }) => [score, open])).toEqual([
      [90, 0],
      [60, 2],
      [60, 2],
    ]);
  });

  test("report a site that cannot be reached after three of them, and its return", async () => {
    const site = await add();
    await rig.at(0);
    const minute = nextMinute(site);
    rig.show("refused");
    for (const after of [0, 5, 10]) expect(await rig.at(minute + after)).toBe(1);
    expect(rig.eventsOf(site)).toEqual(["site.unreachable"]);
    expect(await rig.at(minute + 60)).toBe(0);
    expect(stored(site)).toMatchObject({ reading: { score: 90 } });
    expect(minuteOf(stored(site).failingSince)).toBe(minute);
    rig.show({ score: 90 });
    await rig.at(minute + week);
    expect(rig.eventsOf(site)).toEqual(["site.unreachable", "site.recovered"]);
    expect(stored(site).failingSince).toBeNull();
  });

  test("scan all addresses, and wait for the last one", async () => {
    const site = await add({ pages: [`${url}shop`] });
    rig.show({ score: 55 }, `${url}shop`);
    rig.setMinute(0);
    await rig.ticker.tick();
    const first = await rig.store.scans.claimNext("local", rig.now());
    await rig.store.scans.fail(first?.token ?? "", { code: "timeout", evidence: null, timings: {}, now: rig.now() });
    await rig.ticker.conclude();
    expect(rig.store.siteRuns.find(site.id)).toBeDefined();
    await rig.runScans();
    await rig.ticker.conclude();
    expect(rig.store.siteRuns.find(site.id)).toBeUndefined();
    expect(rig.store.siteRuns.state(site.id).failures).toBe(1);
    // Nothing was known before, so that no second look is due.
    expect(await rig.at(10)).toBe(0);
    await rig.at(nextMinute(site));
    expect(stored(site).reading).toMatchObject({ score: 55, band: "warn" });
  });

  test("end when their scans are deleted or cancelled", async () => {
    const site = await add();
    rig.setMinute(0);
    await rig.ticker.tick();
    const token = rig.store.siteRuns.find(site.id)?.scans[0]?.token ?? "";
    expect(await rig.store.scans.cancel(1, token)).toBe("cancelled");
    await rig.ticker.conclude();
    expect(rig.store.siteRuns.find(site.id)).toBeUndefined();
    expect(stored(site)).toMatchObject({ reading: null, failingSince: null });
  });

  test("end after a day in which their scans found no worker, whatever the others wait for", async () => {
    const later = await add({ url: "https://b.example/", location: "moon", now: new Date(begin + (day - 1) * 60_000) });
    const site = await add({ location: "moon" });
    await rig.at(0);
    expect(rig.store.siteRuns.find(site.id)).toBeDefined();
    await rig.at(day - 1);
    expect(rig.store.siteRuns.find(site.id)).toBeDefined();
    await rig.at(day + 10);
    expect(rig.store.siteRuns.find(site.id)).toBeUndefined();
    expect(rig.store.siteRuns.state(site.id).failures).toBe(0);
    expect(rig.store.siteRuns.list().map(({ siteId }) => siteId)).toEqual([later.id]);
  });

  test("with other rules are one notice for the account, and no regression", async () => {
    const sites = [await add(), await add({ url: "https://b.example/" })];
    await rig.at(0);
    expect(rig.allEvents()).toEqual([]);
    rig.show({ score: 40, codes: ["security.x.a"], catalogVersion: "c2" });
    for (const site of sites) await rig.at(nextMinute(site));
    expect(rig.allEvents().map(({ type }) => type)).toEqual(["catalog.changed"]);
    expect(sites.map((site) => stored(site).secondLookAt)).toEqual([null, null]);
    expect(sites.map((site) => stored(site).reading?.open)).toEqual([1, 1]);
  });

  test("that began under the former rules and end late are no second notice", async () => {
    const late = await add({ pages: [`${url}shop`] });
    const other = await add({ url: "https://b.example/" });
    await rig.at(0);
    const minute = week + 1;
    for (const site of [late, other]) await rig.store.sites.change(1, site.id, () => ({ nextRunAt: rig.now().toISOString() }));
    rig.setMinute(minute);
    await rig.ticker.tick();
    const [first, last] = [await rig.store.scans.claimNext("local", rig.now()), await rig.store.scans.claimNext("local", rig.now())];
    expect([first?.url, last?.url]).toEqual([url, `${url}shop`]);
    await rig.end(first, { score: 90 });
    rig.setMinute(minute + 1);
    rig.show({ score: 90, catalogVersion: "c2" });
    await rig.runScans();
    await rig.ticker.conclude();
    await rig.end(last, { score: 90, catalogVersion: "c2" });
    await rig.ticker.conclude();
    expect(rig.store.siteRuns.list()).toEqual([]);
    expect(rig.store.siteRuns.state(late.id).unmeasured).toHaveProperty([`${url}shop`]);
    expect(rig.allEvents()).toEqual([]);
    await rig.at(nextMinute(late));
    expect(rig.allEvents().map(({ type }) => type)).toEqual(["catalog.changed"]);
  });

  test("of a person are concluded too", async () => {
    const site = await add({ paused: true });
    await rig.store.siteRuns.start({ accountId: 1, siteId: site.id, kind: "manual", now: rig.now() });
    await rig.runScans();
    await rig.ticker.conclude();
    expect(stored(site).reading?.score).toBe(90);
  });
});

describe("a process that ends", () => {
  test("after the scans leaves the conclusion to the next one, which makes it once", async () => {
    const site = await add();
    await rig.at(0);
    const minute = nextMinute(site);
    rig.show({ score: 50, codes: ["security.x.a"] });
    await rig.at(minute);
    rig.setMinute(minute + 10);
    await rig.ticker.tick();
    await rig.runScans();
    const former = rig.ticker;
    rig.restart();
    await Promise.all([rig.ticker.tick(), former.conclude()]);
    await rig.ticker.tick();
    expect(rig.eventsOf(site)).toEqual(["site.score_dropped", "finding.opened"]);
  });

  test("for weeks makes one run of all that were missed", async () => {
    const site = await add({ schedule: { every: "hourly" } });
    await rig.at(0);
    rig.restart();
    const back = 3 * week;
    expect(await rig.at(back)).toBe(1);
    expect(await rig.at(back + 1)).toBe(0);
    expect(nextMinute(site)).toBeGreaterThan(back);
    expect(nextMinute(site)).toBeLessThanOrEqual(back + 60);
  });

  test("does not begin the budget of starts anew", async () => {
    for (let at = 0; at < 15; at++) await add({ url: `https://s${at}.example/` });
    expect(await rig.at(0)).toBe(15);
    let starts = 0;
    for (let minute = 0; minute < 10; minute++) {
      rig.restart();
      starts += await rig.at(2 * week + minute);
    }
    expect(starts).toBe(12);
    expect(await rig.at(2 * week + 61)).toBe(3);
  });
});

describe("sites that are due", () => {
  test("wait while the queue is full, and start whole", async () => {
    const pages = Array.from({ length: 10 }, (_none, at) => `${url}${at}`);
    await add({ pages });
    const other = await add({ url: "https://b.example/", pages: pages.map((page) => page.replace("a.", "b.")) });
    rig.setMinute(0);
    await rig.ticker.tick();
    expect(rig.store.siteRuns.list()).toHaveLength(1);
    expect(minuteOf(stored(other).nextRunAt)).toBe(0);
    await rig.runScans();
    await rig.ticker.tick();
    expect(rig.store.siteRuns.list().map(({ siteId }) => siteId)).toEqual([other.id]);
  });

  test("of a disabled account are passed over until it is enabled", async () => {
    await rig.store.accounts.create({ email: "other@agency.example", now: rig.now() });
    const site = await addSite(rig.store, { accountId: 2, url, now: rig.now() });
    await rig.store.accounts.setDisabled(2, true);
    expect(await rig.at(0)).toBe(0);
    const next = Date.parse(rig.store.sites.find(2, site.id)?.nextRunAt ?? "");
    expect(next).toBeGreaterThan(begin);
    await rig.store.accounts.setDisabled(2, false);
    expect(await rig.at(Math.ceil((next - begin) / 60_000))).toBe(1);
  });

  test("start as fast as their number demands", async () => {
    for (let at = 0; at < 20; at += 1) await add({ url: `https://${at}.example/`, schedule: { every: "hourly" } });
    for (let minute = 0; minute < 7; minute += 1) await rig.at(minute);
    expect(rig.store.sites.list(1).filter(({ lastRunAt }) => lastRunAt === null)).toEqual([]);
  });

  test("wait while their location or the whole appliance is not ready", async () => {
    const site = await add();
    let ready = false;
    let isPresent = false;
    rig.restart({ ready: () => ready, mayBeScanned: () => isPresent });
    expect(await rig.at(0)).toBe(0);
    expect(minuteOf(stored(site).nextRunAt)).toBe(0);
    ready = true;
    expect(await rig.at(1)).toBe(0);
    expect(minuteOf(stored(site).nextRunAt)).toBe(11);
    isPresent = true;
    expect(await rig.at(11)).toBe(1);
  });

  test("are not stopped by the fault of another one", async () => {
    await add();
    const other = await add({ url: "https://b.example/" });
    const { find } = rig.store.sites;
    const faulty = (accountId: number, id: number) => {
      if (id !== other.id) throw new Error("a fault of the test");
      return find(accountId, id);
    };
    rig.restart({ store: { ...rig.store, sites: { ...rig.store.sites, find: faulty } } });
    expect(await rig.at(0)).toBe(1);
    expect(stored(other).reading?.score).toBe(90);
    expect(rig.log.join("\n")).toContain("a fault of the test");
  });

  test("do not wait for a clock that was set back", async () => {
    const site = await add({ schedule: { every: "hourly" } });
    await rig.at(2 * week);
    expect(nextMinute(site)).toBeGreaterThan(2 * week);
    await rig.at(0);
    expect(nextMinute(site)).toBeLessThanOrEqual(60);
    expect(await rig.at(60)).toBe(1);
  });
});

describe("a run that cannot be concluded", () => {
  test("ends without effect, and others go on", async () => {
    const site = await add();
    const other = await add({ url: "https://b.example/" });
    rig.setMinute(0);
    await rig.ticker.tick();
    await rig.runScans();
    const broken = rig.store.siteRuns.find(site.id)?.scans[0]?.token;
    const find = (token: string) => {
      if (token === broken) throw new Error("a fault of the test");
      return rig.store.results.find(token);
    };
    rig.restart({ store: { ...rig.store, results: { find } } });
    await rig.ticker.conclude();
    expect(rig.store.siteRuns.list()).toEqual([]);
    expect(stored(site).reading).toBeNull();
    expect(stored(other).reading?.score).toBe(90);
  });
});

describe("certificates", () => {
  test("are reported before they expire, after a run that still finds them", async () => {
    const site = await add({ schedule: { every: "monthly" } });
    const expiryMinute = Math.floor((Date.parse(expiryOfEvidence()) - begin) / 60_000);
    await rig.at(expiryMinute - 15 * day);
    await rig.at(expiryMinute - 14 * day - 60);
    expect(rig.eventsOf(site)).toEqual([]);
    // The last run was more than a day ago, so the certificate is read again.
    const due = expiryMinute - 14 * day + 10;
    await rig.store.sites.change(1, site.id, () => ({ lastRunAt: new Date(begin + (due - 3 * day) * 60_000).toISOString() }));
    expect(await rig.at(due)).toBe(1);
    expect(rig.eventsOf(site)).toEqual([]);
    await rig.at(due + 10);
    await rig.at(due + 20);
    expect(rig.eventsOf(site)).toEqual(["certificate.expiring"]);
    expect(rig.allEvents()[0]?.data).toEqual({ expiresAt: expiryOfEvidence(), daysLeft: 14 });
  });
});

describe("the clock itself", () => {
  test("runs without being asked, concludes at the end of a scan, and stops", async () => {
    const site = await add();
    let woken = 0;
    const clock = startSiteClock({
      store: rig.store,
      clock: rig.clock,
      wake: () => woken++,
      log: createLog({ level: "error", format: "json" }),
      tickMs: 3_600_000,
    });
    await waitFor(() => rig.store.siteRuns.find(site.id) !== undefined);
    await waitFor(() => woken === 1);
    await rig.runScans();
    clock.scanEnded(rig.store.siteRuns.find(site.id)?.scans[0]?.token ?? "");
    await waitFor(() => stored(site).reading !== null);
    await rig.store.sites.change(1, site.id, () => ({ nextRunAt: rig.now().toISOString() }));
    clock.wake();
    await clock.stop();
    const runs = rig.store.siteRuns.list();
    await rig.store.sites.change(1, site.id, () => ({ nextRunAt: rig.now().toISOString() }));
    clock.wake();
    clock.scanEnded("t".repeat(22));
    await clock.stop();
    expect(rig.store.siteRuns.list()).toEqual(runs);
  });
});

async function waitFor(condition: () => boolean): Promise<void> {
  const until = Date.now() + 60_000;
  while (!condition()) {
    if (Date.now() > until) throw new Error("the condition did not come true");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
