/** An update while 500 sites are watched by their schedules, with restarts: one notice, and the alarms of sites that break later. */
import { expect, test } from "vitest";
import { minuteMs } from "../../../src/base/units.ts";
import type { Site } from "../../../src/store/sites.ts";
import { addSite } from "../../support/watched-sites.ts";
import { begin, type Outcome, siteRig } from "./site-rig.ts";

const day = 24 * 60;
const siteCount = 500;
/** Sites of a second account. */
const otherCount = 20;
const updateAt = 8 * day;
const breaksAt = 16 * day;
/** Least time between two looks of the clock. */
const tickMinutes = 10;
/** Ticks between two restarts. */
const restartEvery = 40;

const urlOf = (at: number) => `https://s${at}.example/`;
const scoreBefore = (at: number) => 60 + (at % 40);
/** Each second site loses a point by the new checks, and site 77 loses 12. */
const lost = (at: number) => (at === 77 ? 12 : at % 2);

function outcomeAt(at: number, minute: number): Outcome {
  if (minute < updateAt) return { score: scoreBefore(at) };
  const codes = ["security.x.new"];
  if (minute >= breaksAt && at === 5) return { score: 20, codes: [...codes, "security.x.bad"], catalogVersion: "c2" };
  return { score: scoreBefore(at) - lost(at), codes, catalogVersion: "c2" };
}

test(`is told once to an account of ${siteCount} sites`, async () => {
  const rig = await siteRig({ queueMax: 1_000 });
  try {
    const second = await rig.store.accounts.create({ email: "other@agency.example", now: rig.now() });
    if (typeof second === "string") throw new Error(second);
    const sites: Site[] = [];
    for (let at = 0; at < siteCount + otherCount; at++) {
      const accountId = at < siteCount ? 1 : second.id;
      const every = at % 100 === 0 ? "daily" : "weekly";
      sites.push(await addSite(rig.store, { accountId, url: urlOf(at), schedule: { every }, now: new Date(begin) }));
    }
    const runUntil = async (from: number, until: number) => {
      for (let at = 0; at < sites.length; at++) rig.show(outcomeAt(at, from), urlOf(at));
      for (let minute = from, ticks = 0; minute < until; ticks++) {
        if (ticks % restartEvery === 0) rig.restart();
        await rig.at(minute);
        const [due] = rig.store.sites.listDue(new Date(begin + until * minuteMs), 1);
        const dueMinute = due === undefined ? until : Math.ceil((due.dueAt.getTime() - begin) / minuteMs);
        minute = Math.max(minute + tickMinutes, Math.min(dueMinute, until));
      }
    };
    await runUntil(0, updateAt);
    expect(rig.allEvents()).toEqual([]);
    await runUntil(updateAt, breaksAt);
    const site = { id: sites[77]?.id, name: "s77.example", url: urlOf(77) };
    const versions = { catalogVersion: "c2", algorithmVersion: 3 };
    const largestChange = { site, from: scoreBefore(77), to: scoreBefore(77) - 12 };
    const data = { ...versions, sites: siteCount, changed: siteCount / 2, largestChange };
    expect(rig.allEvents()).toMatchObject([{ type: "catalog.changed", site: null, data }]);
    const told = (Date.parse(rig.allEvents()[0]?.at ?? "") - begin) / minuteMs;
    expect(told).toBeGreaterThan(updateAt + 6 * day);
    expect(told).toBeLessThan(updateAt + 8 * day);
    await runUntil(breaksAt, breaksAt + 7 * day);
    const types = rig.allEvents().map(({ type, site }) => [type, site?.id ?? null]);
    const broken = sites[5]?.id;
    expect(types).toEqual([
      ["finding.opened", broken],
      ["site.score_dropped", broken],
      ["catalog.changed", null],
    ]);
    const others = rig.store.events.list(second.id, { limit: 10, cursor: null }).items;
    expect(others).toMatchObject([{ type: "catalog.changed", data: { ...versions, sites: otherCount, changed: otherCount / 2 } }]);
    expect(rig.log).toEqual([]);
  } finally {
    await rig.stop();
  }
}, 120_000);
