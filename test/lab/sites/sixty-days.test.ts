/** 60 days of 500 sites over 250 networks, a third of them dead, as the server runs them: each has each of its runs, and no person waits. */
import { expect, test } from "vitest";
import { dayMs, hourMs, minuteMs } from "../../../src/base/units.ts";
import type { SiteSchedule } from "../../../src/parse/site-csv.ts";
import { nextRunAfter, scheduleKeyOf } from "../../../src/sites/schedule.ts";
import type { Site } from "../../../src/store/sites.ts";
import { location, type ServedScan, serveSites } from "../../support/served-sites.ts";
import { addSite } from "../../support/watched-sites.ts";

/** Berlin skips the hour from 02:00 on 29 March 2026. */
const startAt = new Date("2026-03-02T09:00:00Z");
const skippedDay = Date.parse("2026-03-29T00:00:00Z");
const days = 60;
const endMs = startAt.getTime() + days * dayMs;
const siteCount = 500;
const scanMs = 20_000;
const deadMs = 3 * scanMs;
const tickMs = minuteMs;
const personEveryMs = 6 * hourMs + 7_000;

const daily: SiteSchedule = { cron: "30 2 * * *", zone: "Europe/Berlin" };
const weekly: SiteSchedule = { cron: "15 4 * * 1", zone: "Europe/Berlin" };
/** One of 25 sites is scanned daily, and one by each pattern. */
const scheduleOf = (at: number): SiteSchedule => [{ every: "daily" } as const, daily, weekly][at % 25] ?? { every: "weekly" };
const isDead = (host: string) => /^s/.test(host) && Number(host.match(/\d+/)?.[0]) % 3 === 0;
const addressOf = (host: string) => {
  const at = Number(host.match(/\d+/)?.[0]);
  return host.startsWith("person") ? "203.0.113.1" : `10.0.${Math.floor(at / 2)}.${1 + (at % 2)}`;
};

/** Instants at which the site is due after its first run, in the order of time. */
function dueAfter(site: Site, firstMs: number): readonly number[] {
  const due: number[] = [];
  for (let ms = firstMs; ms < endMs; due.push(ms)) ms = nextRunAfter(site.schedule, scheduleKeyOf(site), new Date(ms)).getTime();
  return due.slice(0, -1);
}

test("no run of 500 sites is missed, repeated or late, no network has three scans at once, and no person waits", async () => {
  const served = await serveSites({
    ...{ startAt, slots: 4, addressOf, isDead, tickMs, scanMsOf: (host) => (isDead(host) ? deadMs : scanMs) },
    add: async (store, now) => {
      for (let at = 0; at < siteCount; at++) {
        const schedule = scheduleOf(at);
        const url = `https://s${at}.example/`;
        const planned = "cron" in schedule ? nextRunAfter(schedule, "", now) : now;
        await addSite(store, { accountId: 1, url, location, now, schedule, nextRunAt: planned.toISOString() });
      }
    },
  });
  try {
    for (let ms = startAt.getTime() + minuteMs; ms < endMs; ms += personEveryMs) {
      await served.passTo(ms);
      await served.scanAtForm(`person${ms}.example`);
    }
    await served.passTo(endMs);

    expect(served.lines).toEqual([]);
    expect(served.mostInNetwork()).toBe(2);
    const people = served.scans.filter(({ host }) => host.startsWith("person"));
    expect(people.length).toBeGreaterThan(200);
    expect(people.filter(({ queuedMs, startedMs }) => startedMs > queuedMs)).toEqual([]);

    const byHost = Map.groupBy(served.scans, ({ host }) => host);
    const sites = served.store.sites.list(1);
    expect(sites).toHaveLength(siteCount);
    for (const site of sites) expectEachRun(site, byHost.get(new URL(site.url).hostname) ?? []);
    expectSkippedHour(byHost.get("s1.example") ?? []);
  } finally {
    await served.stop();
  }
});

/** One run for each due time, begun within an hour of it. Runs by cron keep their minute, apart from their queue. */
function expectEachRun(site: Site, scans: readonly ServedScan[]): void {
  const isCron = "cron" in site.schedule;
  const [first, ...others] = scans;
  const firstMs = isCron ? startAt.getTime() - 1 : (first?.queuedMs ?? 0);
  const runs = isCron ? scans : others;
  const due = dueAfter(site, firstMs);
  const latestMs = isCron ? tickMs : hourMs;
  // A run that is due at the very end may still wait.
  const mustRun = due.filter((ms) => ms + latestMs < endMs).length;
  const late = runs.map(({ queuedMs }, at) => queuedMs - (due[at] ?? Number.NaN));
  const name = `${site.url} ${JSON.stringify(site.schedule)}`;
  expect([name, runs.length >= mustRun && runs.length <= due.length, late.filter((ms) => !(ms >= 0 && ms <= latestMs))]).toEqual([
    name,
    true,
    [],
  ]);
}

/** At 02:30 by the clock of Berlin: once on each day, and at the first minute after the gap on the day without that time. */
function expectSkippedHour(scans: readonly ServedScan[]): void {
  expect(scans).toHaveLength(days);
  const clockOf = (ms: number) => {
    const at = new Date(ms - (ms % minuteMs));
    return [at.toISOString().slice(0, 10), at.toLocaleTimeString("en-GB", { timeZone: "Europe/Berlin", timeStyle: "short" })];
  };
  const expected = scans.map((_scan, at) => {
    const day = new Date(Date.parse("2026-03-03T00:00:00Z") + at * dayMs);
    return [day.toISOString().slice(0, 10), day.getTime() === skippedDay ? "03:00" : "02:30"];
  });
  expect(scans.map(({ queuedMs }) => clockOf(queuedMs))).toEqual(expected);
}
