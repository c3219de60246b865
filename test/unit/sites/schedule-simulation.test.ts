/** Two months of 500 weekly sites, minute by minute: limits hold, no run is lost, none is repeated. */
import { describe, expect, test } from "vitest";
import { dayMs, hourMs, minuteMs } from "../../../src/base/units.ts";
import { scheduleDefault } from "../../../src/parse/site-csv.ts";
import type { StartKind } from "../../../src/sites/run-starts.ts";
import { demandPerHour, dueRun, nextRunAfter } from "../../../src/sites/schedule.ts";
import { admitAll } from "./admit-all.ts";

const weekMs = 7 * dayMs;

const begin = Date.parse("2026-05-06T07:08:00Z");
const siteCount = 500;
const days = 60;
const secondLookAfterMs = 10 * minuteMs;
/** One run of fifty raises a doubt. */
const doubtPeriod = 50;

interface Start {
  readonly site: string;
  readonly kind: StartKind;
  readonly dueAt: number;
  /** Time that has passed, whatever the clock says. */
  readonly realMs: number;
  readonly clockMs: number;
}

interface Disturbance {
  /** Real time without a tick. */
  readonly outage?: { readonly fromMs: number; readonly untilMs: number };
  readonly setback?: { readonly atMs: number; readonly byMs: number };
}

function simulate({ outage, setback }: Disturbance): readonly Start[] {
  const sites = Array.from({ length: siteCount }, (_, at) => ({ id: `${at + 1}`, dueAt: new Date(0) }));
  for (const site of sites) site.dueAt = nextRunAfter(scheduleDefault, site.id, new Date(begin));
  const demand = demandPerHour(Array(siteCount).fill(scheduleDefault), new Date(begin));
  const starts: Start[] = [];
  let looks: { readonly id: string; readonly dueAt: Date }[] = [];
  let recentStarts: number[] = [];
  let regularCount = 0;
  let lastMs = begin;
  let earliestDueMs = earliestDue(sites);
  for (let realMs = begin; realMs < begin + days * dayMs; realMs += minuteMs) {
    if (outage !== undefined && realMs >= outage.fromMs && realMs < outage.untilMs) continue;
    const clockMs = setback !== undefined && realMs >= setback.atMs ? realMs - setback.byMs : realMs;
    const now = new Date(clockMs);
    // What a store with an index by due time reads; all of them after a setback.
    const isSetBack = clockMs < lastMs;
    lastMs = clockMs;
    const due = (isSetBack || clockMs >= earliestDueMs ? sites : []).filter((site) => {
      if (!isSetBack && site.dueAt.getTime() > clockMs) return false;
      const run = dueRun(scheduleDefault, site.id, site.dueAt, now);
      if (!run.due) site.dueAt = run.nextRunAt;
      return run.due;
    });
    const candidates = [
      ...due.map((site) => ({ id: site.id, kind: "interval" as const, dueAt: site.dueAt, site })),
      ...looks.map((look) => ({ ...look, kind: "second-look" as const, site: null })),
    ];
    recentStarts = recentStarts.filter((startMs) => clockMs - startMs < hourMs);
    for (const { id, kind, dueAt, site } of admitAll(candidates, recentStarts, now, demand)) {
      starts.push({ site: id, kind, dueAt: dueAt.getTime(), realMs, clockMs });
      recentStarts.push(clockMs);
      if (site === null) {
        looks = looks.filter((look) => look.id !== id);
      } else {
        site.dueAt = dueRun(scheduleDefault, id, dueAt, now).nextRunAt;
        regularCount += 1;
        if (regularCount % doubtPeriod === 0) looks.push({ id, dueAt: new Date(clockMs + secondLookAfterMs) });
      }
    }
    if (due.length > 0 || isSetBack) earliestDueMs = earliestDue(sites);
  }
  return starts;
}

function earliestDue(sites: readonly { readonly dueAt: Date }[]): number {
  return Math.min(...sites.map(({ dueAt }) => dueAt.getTime()));
}

/** Most starts in any half-open span of this length, on the clock that no one sets. */
function mostWithin(starts: readonly Start[], spanMs: number): number {
  let first = 0;
  return starts.reduce((most, { realMs }, at) => {
    while ((starts[first]?.realMs ?? realMs) <= realMs - spanMs) first += 1;
    return Math.max(most, at - first + 1);
  }, 0);
}

function regularRuns(starts: readonly Start[]): ReadonlyMap<string, readonly Start[]> {
  return Map.groupBy(
    starts.filter(({ kind }) => kind === "interval"),
    ({ site }) => site,
  );
}

/** Number of the window of a site in which an instant lies: it begins with the slot. */
const windowOf = (site: string, ms: number) =>
  Math.round(
    (nextRunAfter(scheduleDefault, site, new Date(ms)).getTime() - nextRunAfter(scheduleDefault, site, new Date(begin)).getTime()) / weekMs,
  );

function expectLimits(starts: readonly Start[]): void {
  const intervals = starts.filter(({ kind }) => kind === "interval");
  expect(mostWithin(intervals, minuteMs)).toBeLessThanOrEqual(3);
  expect(mostWithin(intervals, hourMs)).toBeLessThanOrEqual(12);
  expect(starts.filter(({ kind }) => kind === "second-look").length).toBeGreaterThan(50);
}

const latenessHours = (starts: readonly Start[]) => Math.max(...starts.map(({ clockMs, dueAt }) => clockMs - dueAt)) / hourMs;
/** Windows that begin in the simulated time, by the clock at its end. */
const windowsOf = (site: string, endMs: number) => Array.from({ length: windowOf(site, endMs) }, (_, at) => at + 1);

describe("500 weekly sites in 60 days", () => {
  test("run once in each window", () => {
    const starts = simulate({});
    expectLimits(starts);
    const runs = regularRuns(starts);
    expect(runs.size).toBe(siteCount);
    const lateMs = hourMs;
    for (const [site, ofSite] of runs) {
      const windows = ofSite.map(({ clockMs }) => windowOf(site, clockMs));
      expect(new Set(windows).size).toBe(windows.length);
      // A run due at the very end may still wait.
      expect(windows.length).toBeGreaterThanOrEqual(windowsOf(site, begin + days * dayMs - lateMs).length);
      expect(windows).toEqual(windowsOf(site, begin + days * dayMs).slice(0, windows.length));
    }
    expect(latenessHours(starts)).toBeLessThan(1);
  });

  test("run once after an outage of three days", () => {
    const outage = { fromMs: begin + 30 * dayMs, untilMs: begin + 33 * dayMs };
    const starts = simulate({ outage });
    expectLimits(starts);
    for (const [site, ofSite] of regularRuns(starts)) {
      const windows = ofSite.map(({ clockMs }) => windowOf(site, clockMs));
      expect(windows).toEqual(windowsOf(site, begin + days * dayMs).slice(0, windows.length));
      expect(windows.length).toBeGreaterThanOrEqual(windowsOf(site, begin + (days - 1) * dayMs).length);
    }
    // The backlog of the outage is worked off within a day; then all is as before.
    const missed = starts.filter(({ dueAt }) => dueAt >= outage.fromMs && dueAt < outage.untilMs - hourMs);
    expect(missed.length).toBeGreaterThan(180);
    expect(Math.max(...missed.map(({ realMs }) => realMs))).toBeLessThan(outage.untilMs + dayMs);
    expect(latenessHours(starts.filter(({ dueAt }) => dueAt >= outage.untilMs + 2 * dayMs))).toBeLessThan(1);
  });

  test("neither lose nor repeat more than the two days by which the clock is set back", () => {
    const byMs = 2 * dayMs;
    const atMs = begin + 30 * dayMs;
    const starts = simulate({ setback: { atMs, byMs } });
    expectLimits(starts);
    const slackMs = hourMs;
    for (const [site, ofSite] of regularRuns(starts)) {
      const gaps = ofSite.slice(1).map(({ realMs }, at) => realMs - (ofSite[at]?.realMs ?? 0));
      expect(gaps.filter((gap) => gap < weekMs - slackMs || gap > weekMs + slackMs).length).toBeLessThanOrEqual(1);
      expect(Math.min(...gaps)).toBeGreaterThan(byMs - slackMs);
      expect(Math.max(...gaps)).toBeLessThan(weekMs + byMs + slackMs);
      // By the clock as it is then set, each window has its run; only windows of the two days have a second one.
      const windows = ofSite.map(({ clockMs }) => windowOf(site, clockMs));
      expect([...new Set(windows)]).toEqual(windowsOf(site, begin + days * dayMs - byMs).slice(0, new Set(windows).size));
      expect(new Set(windows).size).toBeGreaterThanOrEqual(windowsOf(site, begin + days * dayMs - byMs - slackMs).length);
    }
    const repeated = [...regularRuns(starts).values()].flatMap((ofSite) =>
      ofSite.slice(1).filter(({ realMs }, at) => realMs - (ofSite[at]?.realMs ?? 0) < weekMs - slackMs),
    );
    // The two days hold two sevenths of the sites, and their second runs spread as the first ones did.
    expect(repeated.length).toBeGreaterThan(100);
    expect(repeated.length).toBeLessThan(190);
    expect(mostWithin(repeated, hourMs)).toBeLessThanOrEqual(12);
  });
});
