/** Clock of watched sites while the disk is full: what cannot be stored is a line of the log, and is done later. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DataDirError } from "../../../src/store/data-dir.ts";
import { addSite } from "../../support/watched-sites.ts";
import { begin, type SiteRig, siteRig } from "./site-rig.ts";

const day = 24 * 60;
const url = "https://a.example/";

let rig: SiteRig;
beforeEach(async () => {
  rig = await siteRig();
});
afterEach(() => rig.stop());

const add = (location = "local") => addSite(rig.store, { accountId: 1, url, location, now: new Date(begin) });

describe("sites", () => {
  test("start at the next tick after the disk was full", async () => {
    const site = await add();
    let isFull = true;
    const start: typeof rig.store.siteRuns.start = async (run) => {
      if (isFull) throw new DataDirError("full", "no space is left");
      return rig.store.siteRuns.start(run);
    };
    rig.restart({ store: { ...rig.store, siteRuns: { ...rig.store.siteRuns, start } } });
    expect(await rig.at(0)).toBe(0);
    expect(rig.log.join("\n")).toContain("no space is left");
    isFull = false;
    expect(await rig.at(1)).toBe(1);
    expect(rig.store.sites.find(1, site.id)?.reading?.score).toBe(90);
  });

  test("that start before the disk is full are scanned at once, whatever becomes of the others", async () => {
    await add();
    await addSite(rig.store, { accountId: 1, url: "https://b.example/", now: new Date(begin) });
    let [started, woken] = [0, 0];
    const start: typeof rig.store.siteRuns.start = async (run) => {
      if (started++ > 0) throw new DataDirError("full", "no space is left");
      return rig.store.siteRuns.start(run);
    };
    const wake = () => {
      woken++;
    };
    rig.restart({ wake, store: { ...rig.store, siteRuns: { ...rig.store.siteRuns, start } } });
    await rig.ticker.tick();
    expect(rig.log.join("\n")).toContain("no space is left");
    expect([rig.store.scans.queueLength("local"), woken]).toEqual([1, 1]);
  });

  test("whose run can neither be concluded nor given up on a full disk end later", async () => {
    const site = await add();
    rig.setMinute(0);
    await rig.ticker.tick();
    await rig.store.scans.cancel(1, rig.store.siteRuns.find(site.id)?.scans[0]?.token ?? "");
    const conclude = async (_run: unknown, conclusion: { readonly name: string }) => {
      throw conclusion.name === "abandonRun" ? new DataDirError("full", "no space is left") : new Error("a fault of the test");
    };
    rig.restart({ store: { ...rig.store, siteRuns: { ...rig.store.siteRuns, conclude } } });
    await rig.ticker.conclude();
    expect(rig.log.join("\n")).toContain("no space is left");
    rig.restart();
    await rig.ticker.conclude();
    expect(rig.store.siteRuns.find(site.id)).toBeUndefined();
  });

  test("that wait too long while the disk is full are a line of the log, and end later", async () => {
    const site = await add("moon");
    await rig.at(0);
    const cancelQueued = async () => {
      throw new DataDirError("full", "no space is left");
    };
    rig.restart({ store: { ...rig.store, scans: { ...rig.store.scans, cancelQueued } } });
    await rig.at(day + 10);
    expect(rig.log.join("\n")).toContain("no space is left");
    rig.restart();
    await rig.at(day + 20);
    expect(rig.store.siteRuns.find(site.id)).toBeUndefined();
  });
});
