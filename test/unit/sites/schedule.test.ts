/** Schedules of watched sites: what is accepted, slots of intervals, runs missed, and a clock set back. */
import { describe, expect, test } from "vitest";
import { dayMs, hourMs, minuteMs } from "../../../src/base/units.ts";
import { type SiteSchedule, scheduleDefault, scheduleIntervals } from "../../../src/parse/site-csv.ts";
import { demandPerHour, dueRun, nextRunAfter, nextRuns, parseSiteSchedule } from "../../../src/sites/schedule.ts";

const windowMs = { hourly: hourMs, daily: dayMs, weekly: 7 * dayMs, monthly: 30 * dayMs };

const now = new Date("2026-05-06T07:08:09Z");
const nightly: SiteSchedule = { cron: "30 2 * * *", zone: "Europe/Berlin" };
const later = (instant: Date, ms: number) => new Date(instant.getTime() + ms);

describe("parseSiteSchedule", () => {
  test.each<[unknown, SiteSchedule]>([
    [{ every: "hourly" }, { every: "hourly" }],
    [{ every: "monthly" }, { every: "monthly" }],
    [nightly, nightly],
    [
      { cron: "  0   4 * *\tMON ", zone: "UTC" },
      { cron: "0 4 * * MON", zone: "UTC" },
    ],
    // Kept as it was typed.
    [
      { cron: "0 4 * * *", zone: "us/eastern" },
      { cron: "0 4 * * *", zone: "us/eastern" },
    ],
    [
      { cron: "0 4 * * *", zone: "Etc/GMT+3" },
      { cron: "0 4 * * *", zone: "Etc/GMT+3" },
    ],
    [
      { cron: "0 4 * * *", zone: "America/Argentina/Buenos_Aires", every: undefined },
      { cron: "0 4 * * *", zone: "America/Argentina/Buenos_Aires" },
    ],
    // Exactly as long as a pattern may be.
    [
      { cron: "0 4 * * *".padEnd(100), zone: "UTC" },
      { cron: "0 4 * * *", zone: "UTC" },
    ],
  ])("takes %j", (value, schedule) => {
    expect(parseSiteSchedule(value)).toEqual(schedule);
  });

  test.each<[unknown, string]>([
    [null, "unknown-interval"],
    ["weekly", "unknown-interval"],
    [{}, "unknown-interval"],
    [{ every: "yearly" }, "unknown-interval"],
    [{ every: "daily", at: "03:00" }, "both-forms"],
    [{ every: "hourly", cron: "0 4 * * *", zone: "UTC" }, "both-forms"],
    [{ cron: "0 4 * * *", zone: "UTC", at: "03:00" }, "both-forms"],
    [{ every: "toString" }, "unknown-interval"],
    [{ every: "x".repeat(500) }, "unknown-interval"],
    [{ cron: 5, zone: "UTC" }, "cron-malformed"],
    [{ cron: "@daily", zone: "UTC" }, "cron-malformed"],
    [{ cron: `0 4 * * ${"1,".repeat(60)}1`, zone: "UTC" }, "cron-malformed"],
    [{ cron: "0 4 * * *".padEnd(101), zone: "UTC" }, "cron-malformed"],
    [{ cron: "0 4 * * *" }, "zone-unknown"],
    [{ cron: "0 4 * * *", zone: "" }, "zone-unknown"],
    [{ cron: "0 4 * * *", zone: "+02:00" }, "zone-unknown"],
    [{ cron: "0 4 * * *", zone: "-0200" }, "zone-unknown"],
    [{ cron: "0 4 * * *", zone: "GMT+2" }, "zone-unknown"],
    [{ cron: "0 4 * * *", zone: "Mars/Olympus" }, "zone-unknown"],
    [{ cron: "*/45 * * * *", zone: "UTC" }, "too-often"],
    [{ cron: "0 0 30 2 *", zone: "UTC" }, "never-runs"],
  ])("refuses %j as %s", (value, code) => {
    expect(parseSiteSchedule(value)).toEqual({ fault: code });
  });
});

describe("nextRunAfter", () => {
  test.each(scheduleIntervals)("%s: one slot per window, the same for a site", (every) => {
    for (const siteKey of ["1", "2", "https://example.com/"]) {
      const first = nextRunAfter({ every }, siteKey, now);
      expect(first.getTime()).toBeGreaterThan(now.getTime());
      expect(first.getTime()).toBeLessThanOrEqual(now.getTime() + windowMs[every]);
      expect(nextRunAfter({ every }, siteKey, later(first, -1))).toEqual(first);
      expect(nextRunAfter({ every }, siteKey, first)).toEqual(later(first, windowMs[every]));
    }
  });

  test("sites are spread over the window", () => {
    const days = Array.from({ length: 700 }, (_, at) => nextRunAfter({ every: "weekly" }, `${at}`, now).toISOString().slice(0, 10));
    const counts = [...Map.groupBy(days, (day) => day)].map(([, runs]) => runs.length);
    // 100 a day; the first and the last day are parts of one.
    expect(counts).toHaveLength(8);
    expect(Math.max(...counts)).toBeLessThan(140);
  });

  test("slots do not change between versions", () => {
    expect(nextRunAfter({ every: "weekly" }, "1", now).toISOString()).toBe("2026-05-09T23:35:16.000Z");
  });

  test("cron keeps its minute, for every site", () => {
    expect(nextRunAfter(nightly, "1", now).toISOString()).toBe("2026-05-07T00:30:00.000Z");
    expect(nextRunAfter(nightly, "2", now).toISOString()).toBe("2026-05-07T00:30:00.000Z");
  });

  test("cron in a zone that is no longer known falls back to the default interval", () => {
    expect(nextRunAfter({ cron: "30 2 * * *", zone: "Mars/Olympus" }, "1", now)).toEqual(nextRunAfter(scheduleDefault, "1", now));
  });

  test("the next runs follow each other", () => {
    expect(nextRuns(nightly, "1", now).map((run) => run.toISOString().slice(0, 10))).toEqual(["2026-05-07", "2026-05-08", "2026-05-09"]);
    const [first, second] = nextRuns({ every: "daily" }, "1", now, 2);
    expect(Number(second) - Number(first)).toBe(dayMs);
  });
});

describe("dueRun", () => {
  const schedules: readonly SiteSchedule[] = [...scheduleIntervals.map((every) => ({ every })), nightly];

  test.each(schedules)("%j: waits, is due, and goes on", (schedule) => {
    const at = nextRunAfter(schedule, "1", now);
    expect(dueRun(schedule, "1", at, now)).toEqual({ due: false, nextRunAt: at });
    expect(dueRun(schedule, "1", at, later(at, -1))).toEqual({ due: false, nextRunAt: at });
    expect(dueRun(schedule, "1", at, at)).toEqual({ due: true, nextRunAt: nextRunAfter(schedule, "1", at) });
  });

  test.each(schedules)("%j: runs missed become one", (schedule) => {
    const missed = nextRunAfter(schedule, "1", now);
    const back = later(now, 100 * dayMs);
    const { due, nextRunAt } = dueRun(schedule, "1", missed, back);
    expect(due).toBe(true);
    expect(nextRunAt).toEqual(nextRunAfter(schedule, "1", back));
    expect(dueRun(schedule, "1", nextRunAt, later(back, 1))).toEqual({ due: false, nextRunAt });
  });

  test.each(schedules)("%j: after a setback of the clock, the next run is a regular one", (schedule) => {
    const ahead = nextRunAfter(schedule, "1", later(now, 400 * dayMs));
    expect(dueRun(schedule, "1", ahead, now)).toEqual({ due: false, nextRunAt: nextRunAfter(schedule, "1", now) });
    expect(dueRun(schedule, "1", new Date(Number.NaN), now)).toEqual({ due: false, nextRunAt: nextRunAfter(schedule, "1", now) });
  });

  test.each(schedules)("%j: a setback by minutes does not repeat the run", (schedule) => {
    const ran = nextRunAfter(schedule, "1", now);
    const { nextRunAt } = dueRun(schedule, "1", ran, ran);
    expect(dueRun(schedule, "1", nextRunAt, later(ran, -10 * minuteMs))).toEqual({ due: false, nextRunAt });
    expect(dueRun(schedule, "1", nextRunAt, later(ran, -20 * minuteMs))).toEqual({ due: false, nextRunAt: ran });
  });

  test("a time earlier than the regular one is kept", () => {
    const soon = later(now, minuteMs);
    expect(dueRun({ every: "weekly" }, "1", soon, now)).toEqual({ due: false, nextRunAt: soon });
    expect(dueRun(nightly, "1", soon, now)).toEqual({ due: false, nextRunAt: soon });
  });

  test("a shorter schedule replaces the time of a longer one", () => {
    const weekly = nextRunAfter({ every: "weekly" }, "1", now);
    expect(dueRun({ every: "hourly" }, "1", weekly, now).nextRunAt).toEqual(nextRunAfter({ every: "hourly" }, "1", now));
  });
});

test("demand is the sum of the rates", () => {
  const weekly: SiteSchedule = { every: "weekly" };
  expect(demandPerHour([], now)).toBe(0);
  expect(demandPerHour([{ every: "hourly" }, { every: "daily" }, { every: "monthly" }], now)).toBeCloseTo(1 + 1 / 24 + 1 / 720);
  expect(demandPerHour(Array<SiteSchedule>(2_000).fill(weekly), now)).toBeCloseTo(2_000 / 168);
  expect(demandPerHour([nightly, nightly], now)).toBeCloseTo(2 / 24);
  expect(demandPerHour([{ cron: "0 * * * *", zone: "UTC" }], now)).toBeCloseTo(1);
});
