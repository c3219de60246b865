/** Two months of weekly sites in a real store, with restarts and an outage: each change of a site is reported once. */
import { expect, test } from "vitest";
import type { Site } from "../../../src/store/sites.ts";
import { isFullTest } from "../../support/random-runs.ts";
import { addSite } from "../../support/watched-sites.ts";
import { begin, siteRig } from "./site-rig.ts";

const day = 24 * 60;
const week = 7 * day;
const days = 60;
const siteCount = isFullTest ? 120 : 20;
const outage = { from: 30 * day, until: 33 * day };
/** Ticks between two restarts. */
const restartEvery = 50;

const urlOf = (at: number) => `https://s${at}.example/`;
/** Every tenth site gets worse, and another tenth cannot be reached for a while. */
const getsWorse = (at: number) => at % 10 === 0;
const getsLost = (at: number) => at % 10 === 1;

test(`${siteCount} weekly sites in 60 days`, async () => {
  const rig = await siteRig();
  try {
    const sites: Site[] = [];
    for (let at = 0; at < siteCount; at++) sites.push(await addSite(rig.store, { accountId: 1, url: urlOf(at), now: new Date(begin) }));
    const show = (day: number) => {
      for (let at = 0; at < siteCount; at++) {
        if (getsWorse(at) && day >= 20) rig.show({ score: 60, codes: ["security.x.a"] }, urlOf(at));
        if (getsLost(at)) rig.show(day >= 20 && day < 36 ? "refused" : { score: 90 }, urlOf(at));
      }
    };
    let ticks = 0;
    for (let minute = 0; minute < days * day; ticks++) {
      show(Math.floor(minute / day));
      if (ticks % restartEvery === 0) rig.restart();
      await rig.at(minute);
      const [due] = rig.store.sites.listDue(new Date(begin + days * day * 60_000), 1);
      const dueMinute = due === undefined ? days * day : Math.ceil((due.dueAt.getTime() - begin) / 60_000);
      minute = Math.max(minute + 1, dueMinute);
      if (minute >= outage.from && minute < outage.until) minute = outage.until;
    }
    for (const [at, site] of sites.entries()) {
      const expected = getsWorse(at)
        ? ["site.score_dropped", "finding.opened"]
        : getsLost(at)
          ? ["site.unreachable", "site.recovered"]
          : [];
      expect(rig.eventsOf(site)).toEqual(expected);
      const instants = rig.store.siteRuns.history(site.id).map((entry) => (Date.parse(entry.at) - begin) / 60_000);
      const gaps = instants.slice(1).map((minute, index) => minute - (instants[index] ?? 0));
      // A week and the outage are the most that lies between two runs of a site that is measured.
      if (!getsLost(at)) expect(Math.max(...gaps)).toBeLessThan(week + outage.until - outage.from + day);
      expect(instants.length).toBeGreaterThanOrEqual(getsLost(at) ? 5 : 8);
    }
    expect(rig.store.siteRuns.list()).toEqual([]);
    expect(rig.log).toEqual([]);
  } finally {
    await rig.stop();
  }
});
