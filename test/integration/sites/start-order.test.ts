/** What one tick of the clock starts: budget across ticks, order of what is due, and ticks that are asked for while one is under way. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLog } from "../../../src/base/log.ts";
import { minuteMs } from "../../../src/base/units.ts";
import { startSiteClock } from "../../../src/sites/clock.ts";
import { DataDirError } from "../../../src/store/data-dir.ts";
import type { Site } from "../../../src/store/sites.ts";
import { addSite } from "../../support/watched-sites.ts";
import { begin, type SiteRig, siteRig } from "./site-rig.ts";

let rig: SiteRig;
beforeEach(async () => {
  rig = await siteRig();
});
afterEach(() => rig.stop());

const at = (minute: number) => new Date(begin + minute * minuteMs).toISOString();
const add = (name: string, given: Partial<Site> = {}) =>
  addSite(rig.store, { accountId: 1, url: `https://${name}.example/`, now: rig.now(), ...given });
const plan = ({ id }: Site, times: Pick<Site, "nextRunAt" | "secondLookAt">) => rig.store.sites.change(1, id, () => times);

describe("the budget", () => {
  const week = 7 * 24 * 60;

  test("holds across ticks: three regular runs a minute, twelve an hour", async () => {
    for (let count = 0; count < 20; count++) await add(`site${count}`);
    expect(await rig.at(0)).toBe(20);
    const started: number[] = [];
    // All of them became due in an outage.
    for (let minute = 0; minute < 5; minute += 0.5) started.push(await rig.at(2 * week + minute));
    expect(started).toEqual([3, 0, 3, 0, 3, 0, 3, 0, 0, 0]);
    expect(await rig.at(2 * week + 59)).toBe(0);
    expect(await rig.at(2 * week + 60.5)).toBe(3);
  });

  test("is none for second looks, and they cost no regular run its place", async () => {
    const [known, ...others] = await Promise.all(Array.from({ length: 20 }, (_, at) => add(`site${at}`)));
    const cron = await add("cron", { schedule: { cron: "0 3 * * *", zone: "UTC" } });
    await plan(cron, { nextRunAt: at(0), secondLookAt: null });
    await rig.at(0);
    for (let minute = 0; minute < 5; minute++) await rig.at(2 * week + minute);
    if (known === undefined) throw new Error("no site was added");
    for (const site of [known, cron, ...others.slice(0, 10)])
      await plan(site, { nextRunAt: at(3 * week), secondLookAt: at(2 * week + 4.2) });
    expect(await rig.at(2 * week + 4.5)).toBe(12);
    for (const site of others.slice(10)) await plan(site, { nextRunAt: at(2 * week + 61), secondLookAt: null });
    expect(await rig.at(2 * week + 61)).toBe(3);
  });

  test("is none for first runs, and they cost no regular run its place", async () => {
    const known = await add("known");
    await rig.at(0);
    for (let count = 0; count < 60; count++) await add(`site${count}`);
    await plan(known, { nextRunAt: at(1), secondLookAt: null });
    expect(await rig.at(1)).toBe(61);
  });
});

describe("the lanes of a second look, a regular run and a first one", () => {
  test("are served in this order, whichever was queued first", async () => {
    const [look, regular] = [await add("look"), await add("regular")];
    await rig.at(0);
    await add("first");
    rig.setMinute(1);
    await rig.ticker.tick();
    await plan(regular, { nextRunAt: at(2), secondLookAt: null });
    rig.setMinute(2);
    await rig.ticker.tick();
    await plan(look, { nextRunAt: at(500), secondLookAt: at(3) });
    rig.setMinute(3);
    await rig.ticker.tick();
    const claimed: (string | undefined)[] = [];
    for (let count = 0; count < 3; count++) claimed.push((await rig.store.scans.claimNext("local", rig.now()))?.url);
    expect(claimed).toEqual(["look", "regular", "first"].map((name) => `https://${name}.example/`));
  });

  test("of which the one of second looks has its own share of the queue", async () => {
    const full = await siteRig({ queueMax: 3 });
    try {
      const look = await addSite(full.store, { accountId: 1, url: "https://look.example/", now: full.now() });
      await full.at(0);
      for (let count = 0; count < 9; count++)
        await addSite(full.store, { accountId: 1, url: `https://s${count}.example/`, now: full.now() });
      await full.store.sites.change(1, look.id, () => ({ secondLookAt: at(1) }));
      full.setMinute(0.5);
      await full.ticker.tick();
      full.setMinute(1);
      await full.ticker.tick();
      expect(full.store.siteRuns.find(look.id)?.kind).toBe("second-look");
    } finally {
      await full.stop();
    }
  });
});

test("a site that failed at its first run has no second look, since it has lost nothing", async () => {
  const [dead, lost] = [await add("dead"), await add("lost")];
  rig.show("refused", dead.url);
  await rig.at(0);
  expect(rig.store.sites.find(1, dead.id)).toMatchObject({ secondLookAt: null, failingSince: at(0) });
  rig.show("refused", lost.url);
  await plan(lost, { nextRunAt: at(1), secondLookAt: null });
  await rig.at(1);
  expect(rig.store.sites.find(1, lost.id)?.secondLookAt).toBe(at(6));
});

test("a paused site does not run, and loses its planned times", async () => {
  const site = await add("paused", { paused: true });
  await plan(site, { nextRunAt: at(0), secondLookAt: at(0) });
  expect(await rig.at(0)).toBe(0);
  expect(rig.store.sites.find(1, site.id)).toMatchObject({ nextRunAt: null, secondLookAt: null });
});

test("a full disk ends the starts of a tick at the first refusal", async () => {
  for (let count = 0; count < 3; count++) await add(`site${count}`);
  let starts = 0;
  const start = () => {
    starts++;
    return Promise.reject(new DataDirError("full", "no space is left"));
  };
  rig.restart({ store: { ...rig.store, siteRuns: { ...rig.store.siteRuns, start } } });
  await rig.ticker.tick();
  expect(starts).toBe(1);
});

test("a round that failed is made again at the next tick, and times that it corrected wake the deliveries", async () => {
  let rounds = 0;
  let woken = 0;
  const correctTimes = async () => {
    if (++rounds === 1) throw new Error("a fault of the test");
    return 1;
  };
  rig.restart({ store: { ...rig.store, deliveries: { ...rig.store.deliveries, correctTimes } }, onEvents: () => woken++ });
  for (const minute of [0, 0.5, 1, 10.4]) await rig.at(minute);
  expect([rounds, woken]).toEqual([2, 1]);
  await rig.at(10.5);
  expect([rounds, woken]).toEqual([3, 2]);
});

test("old events are removed to the last step of a round, once an hour", async () => {
  let steps = 0;
  const removeOlder = async () => ++steps % 3 !== 0;
  rig.restart({ store: { ...rig.store, deliveries: { ...rig.store.deliveries, removeOlder } } });
  for (const [minute, expected] of [
    [0, 3],
    [59, 3],
    [60, 6],
  ] as const) {
    await rig.at(minute);
    expect(steps).toBe(expected);
  }
});

describe("a clock that is asked while a tick is under way", () => {
  /** Its first tick waits in the round over all sites. */
  async function heldClock() {
    const [inRound, goOn, secondTick] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const calls = { rounds: 0, ticks: 0 };
    const { sites, deliveries } = rig.store;
    const clock = startSiteClock({
      store: {
        ...rig.store,
        deliveries: {
          ...deliveries,
          correctTimes: async (now) => {
            calls.rounds++;
            inRound.resolve();
            await goOn.promise;
            return deliveries.correctTimes(now);
          },
        },
        sites: {
          ...sites,
          listDue: (...given) => {
            calls.ticks++;
            if (calls.ticks === 2) secondTick.resolve();
            return sites.listDue(...given);
          },
        },
      },
      ...{ clock: rig.clock, wake: () => {}, tickMs: 3_600_000, log: createLog({ level: "error", format: "json", write: () => {} }) },
    });
    await inRound.promise;
    return { clock, calls, goOn: goOn.resolve, secondTick: secondTick.promise };
  }

  test("begins no second one beside it, and makes a whole one after it, although the end of a scan came last", async () => {
    const { clock, calls, goOn, secondTick } = await heldClock();
    clock.wake();
    clock.scanEnded("t".repeat(22));
    expect(calls).toEqual({ rounds: 1, ticks: 0 });
    goOn();
    await secondTick;
    await clock.stop();
    expect(calls).toEqual({ rounds: 1, ticks: 2 });
  });

  test("stops after it, without another", async () => {
    const { clock, calls, goOn } = await heldClock();
    clock.wake();
    let stopped = false;
    const stopping = clock.stop().then(() => (stopped = true));
    await rig.store.accounts.setDisabled(1, true);
    expect(stopped).toBe(false);
    goOn();
    await stopping;
    expect(calls).toEqual({ rounds: 1, ticks: 1 });
  });
});
