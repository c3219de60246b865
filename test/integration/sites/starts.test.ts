/** Which runs start when not all can: full queues, other accounts, and certificates that were read long ago. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dayMs } from "../../../src/base/units.ts";
import type { Site } from "../../../src/store/sites.ts";
import { addSite } from "../../support/watched-sites.ts";
import { expiryOfEvidence, type SiteRig, siteRig } from "./site-rig.ts";

const dayMinutes = 24 * 60;
let rig: SiteRig;
afterEach(() => rig.stop());

const add = (name: string, given: Partial<Site> = {}) =>
  addSite(rig.store, { accountId: 1, url: `https://${name}.example/`, now: rig.now(), ...given });
const stored = ({ accountId, id }: Pick<Site, "accountId" | "id">) => rig.store.sites.find(accountId, id);

describe("a queue without space", () => {
  test("holds up no site of another location", async () => {
    rig = await siteRig({ queueMax: 3 });
    for (const name of ["m1", "m2", "m3", "m4", "m5", "m6"]) await add(name, { location: "moon" });
    rig.setMinute(1);
    const here = await add("here");
    // No worker takes the scans of the other location.
    for (const minute of [1, 2, 3, 4]) await rig.at(minute);
    expect(stored(here)?.lastRunAt).not.toBeNull();
  });

  test("holds up no smaller site behind one that does not fit", async () => {
    rig = await siteRig({ queueMax: 3 });
    const pages = ["a", "b", "c", "d"].map((page) => `https://large.example/${page}`);
    const large = await add("large", { pages });
    rig.setMinute(1);
    const small = await add("small");
    for (const minute of [1, 2]) await rig.at(minute);
    expect([stored(large)?.lastRunAt, stored(small)?.lastRunAt === null]).toEqual([null, false]);
  });
});

test("an import of one account holds up no other, and none of its own sites that are known", async () => {
  rig = await siteRig();
  await rig.store.accounts.create({ email: "other@agency.example", now: rig.now() });
  const known = await add("known", { schedule: { every: "hourly" } });
  await rig.at(0);
  for (let at = 0; at < 60; at++) await add(`import-${at}`);
  const other = await addSite(rig.store, { accountId: 2, url: "https://other.example/", now: rig.now() });
  const firstRun = stored(known)?.lastRunAt;
  for (let minute = 1; minute <= 65; minute++) await rig.at(minute);
  expect(stored(other)?.lastRunAt).not.toBeNull();
  expect(stored(known)?.lastRunAt).not.toBe(firstRun);
});

test.each([false, true])("starts by cron cost their account no turn, restarted: %s", async (restarted) => {
  rig = await siteRig();
  await rig.store.accounts.create({ email: "other@agency.example", now: rig.now() });
  await add("cron", { schedule: { cron: "0 12 * * *", zone: "UTC" } });
  await rig.at(0);
  expect(rig.store.scans.listOfAccount(1, { limit: 10, cursor: null }).items).toHaveLength(1);
  rig.setMinute(1);
  const own = await add("own");
  rig.setMinute(2);
  const other = await addSite(rig.store, { accountId: 2, url: "https://other.example/", now: rig.now() });
  if (restarted) rig.restart();
  rig.setMinute(3);
  await rig.ticker.tick();
  const first = await rig.store.scans.claimNext("local", rig.now());
  // Both are at their first run, and the one of the account with the run by cron waits longer.
  expect([first?.accountId, stored(own)?.lastRunAt, stored(other)?.lastRunAt]).toEqual([
    1,
    rig.now().toISOString(),
    rig.now().toISOString(),
  ]);
});

describe("a certificate that was read long ago", () => {
  beforeEach(async () => {
    rig = await siteRig();
  });

  /** A measured site whose certificate expires so many days after the begin. */
  async function measured(expiresInDays: number): Promise<Site> {
    const site = await add("shop");
    await rig.at(0);
    const expiresAt = new Date(rig.now().getTime() + expiresInDays * dayMs).toISOString();
    const certificate = { validFrom: "2026-09-01T00:00:00.000Z", expiresAt, noticed: [] };
    await rig.store.siteRuns.noteState(site, (_site, state) => ({ state: { ...state, certificate }, events: [] }), rig.now());
    await rig.store.sites.change(1, site.id, ({ reading }) => ({ reading: reading && { ...reading, certificateExpiresAt: expiresAt } }));
    return site;
  }
  const notices = (site: Site) => rig.eventsOf(site).filter((type) => type === "certificate.expiring");

  test("is read before a notice, also after an outage of weeks: it may be renewed", async () => {
    const site = await measured(20);
    const firstRun = stored(site)?.lastRunAt;
    rig.setMinute(40 * dayMinutes);
    rig.restart();
    await rig.ticker.tick();
    expect([notices(site), stored(site)?.lastRunAt === firstRun]).toEqual([[], false]);
    await rig.runScans();
    await rig.ticker.conclude();
    await rig.at(40 * dayMinutes + 20);
    expect([notices(site), rig.store.siteRuns.state(site.id).certificate?.expiresAt]).toEqual([[], expiryOfEvidence()]);
  });

  test("is reported after a day in which it could not be read", async () => {
    const site = await measured(60);
    rig.restart({ ready: () => false });
    for (const day of [55, 55.5, 56.2]) await rig.at(day * dayMinutes);
    expect(notices(site)).toEqual(["certificate.expiring"]);
  });

  test("is not reported by a clock that was wrong for a moment, which marks nothing as reported", async () => {
    const site = await measured(60);
    rig.restart({ ready: () => false });
    await rig.at(5 * 365 * dayMinutes);
    await rig.at(20);
    expect([notices(site), rig.store.siteRuns.state(site.id).certificate?.noticed]).toEqual([[], []]);
    for (const day of [55, 55.5, 56.2]) await rig.at(day * dayMinutes);
    expect(notices(site)).toEqual(["certificate.expiring"]);
  });
});
