/** Cron of five fields: faults, changes of the clock, and the distance of two runs. */
import { describe, expect, test } from "vitest";
import { hourMs } from "../../../src/base/units.ts";
import { type CronFaultCode, cronFault, nextCronRun } from "../../../src/sites/schedule.ts";

function runsBetween(cron: string, zone: string, from: string, until: string): readonly string[] {
  const runs: string[] = [];
  let run = nextCronRun(cron, zone, new Date(from));
  while (run !== null && run < new Date(until)) {
    runs.push(run.toISOString().replace(":00.000Z", "Z"));
    run = nextCronRun(cron, zone, run);
  }
  return runs;
}

/** Calendar days of the runs in their zone. */
function daysOf(runs: readonly string[], zone: string): readonly string[] {
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
  return runs.map((run) => day.format(new Date(run)));
}

test.each<[string, CronFaultCode | null]>([
  ["30 2 * * *", null],
  ["0 * * * *", null],
  ["5,5 1 * * *", null],
  ["0-0 */6 * * *", null],
  ["0 9-17 * * MON-FRI", null],
  ["0 0 L * *", null],
  ["0 0 29 2 *", null],
  ["* * * * *", "too-often"],
  ["? * * * *", "too-often"],
  ["0,30 * * * *", "too-often"],
  ["*/45 * * * *", "too-often"],
  ["*/59 3 * * *", "too-often"],
  ["0-1 3 1 1 *", "too-often"],
  ["0 0 30 2 *", "never-runs"],
  ["0 0 31 4,6,9,11 *", "never-runs"],
  ["", "cron-malformed"],
  ["30 2 * *", "cron-malformed"],
  ["0 30 2 * * *", "cron-malformed"],
  ["0 30 2 * * * 2030", "cron-malformed"],
  ["@daily", "cron-malformed"],
  ["60 2 * * *", "cron-malformed"],
  ["30 24 * * *", "cron-malformed"],
  ["30 2 * 13 *", "cron-malformed"],
  ["30 2 * * 8", "cron-malformed"],
  ["/30 2 * * *", "cron-malformed"],
  ["-1 2 * * *", "cron-malformed"],
  ["x 2 * * *", "cron-malformed"],
])("fault of %s", (cron, fault) => {
  expect(cronFault(cron, "Europe/Berlin")).toBe(fault);
});

test("a time that the clock always skips never runs", () => {
  // The second Sunday of March is its 8th day at the earliest: there the clock of New York goes from 2 to 3.
  expect(cronFault("30 2/24 8 3 +SUN", "America/New_York")).toBe("cron-malformed");
  expect(cronFault("30 2-2/2 8 3 +SUN", "America/New_York")).toBe("never-runs");
  expect(cronFault("30 2-2/2 8 3 +SUN", "UTC")).toBe(null);
});

test("the next run lies strictly after the instant", () => {
  const next = (after: string) => nextCronRun("30 2 * * *", "UTC", new Date(after))?.toISOString();
  expect(next("2026-01-01T02:29:59.999Z")).toBe("2026-01-01T02:30:00.000Z");
  expect(next("2026-01-01T02:30:00.000Z")).toBe("2026-01-02T02:30:00.000Z");
  expect(next("2026-01-01T02:30:00.001Z")).toBe("2026-01-02T02:30:00.000Z");
});

describe("daylight saving", () => {
  test.each([
    // The skipped hour: the first minute after it. The repeated hour: the first of the two.
    ["30 2 * * *", "Europe/Berlin", "2026-03-28", ["2026-03-28T01:30Z", "2026-03-29T01:00Z", "2026-03-30T00:30Z"]],
    ["30 2 * * *", "Europe/Berlin", "2026-10-24", ["2026-10-24T00:30Z", "2026-10-25T00:30Z", "2026-10-26T01:30Z"]],
    ["30 2 * * *", "America/New_York", "2026-03-07", ["2026-03-07T07:30Z", "2026-03-08T07:00Z", "2026-03-09T06:30Z"]],
    ["30 2 * * *", "America/New_York", "2026-10-31", ["2026-10-31T06:30Z", "2026-11-01T07:30Z", "2026-11-02T07:30Z"]],
    ["30 1 * * *", "America/New_York", "2026-10-31", ["2026-10-31T05:30Z", "2026-11-01T05:30Z", "2026-11-02T06:30Z"]],
    // The skipped hour begins at midnight.
    ["30 0 * * *", "Africa/Cairo", "2026-04-22T12:00Z", ["2026-04-22T22:30Z", "2026-04-23T22:00Z", "2026-04-24T21:30Z"]],
  ])("%s in %s runs once a day from %s", (cron, zone, from, expected) => {
    const runs = runsBetween(cron, zone, from, new Date(Date.parse(from) + 72 * hourMs).toISOString());
    expect(runs).toEqual(expected);
    expect(new Set(daysOf(runs, zone)).size).toBe(3);
  });

  test("a list of fixed times runs each of them once", () => {
    expect(runsBetween("30 2,14 * * *", "Europe/Berlin", "2026-03-29", "2026-03-30")).toEqual(["2026-03-29T01:00Z", "2026-03-29T12:30Z"]);
    expect(runsBetween("30 2,14 * * *", "Europe/Berlin", "2026-10-25", "2026-10-26")).toEqual(["2026-10-25T00:30Z", "2026-10-25T13:30Z"]);
  });

  test("each hour means each hour that passes", () => {
    const runs = runsBetween("30 * * * *", "Europe/Berlin", "2026-10-24T00:00Z", "2026-10-26T00:00Z");
    expect(runs).toHaveLength(48);
    expect(runsBetween("30 * * * *", "Europe/Berlin", "2026-03-28T00:00Z", "2026-03-30T00:00Z")).toHaveLength(48);
  });

  test("a run that would come within an hour of another is left out", () => {
    // 02:59 would move to 03:00, a minute after 01:59.
    expect(runsBetween("59 1-3 * * *", "Europe/Berlin", "2026-03-29", "2026-03-29T12:00Z")).toEqual([
      "2026-03-29T00:59Z",
      "2026-03-29T01:59Z",
    ]);
    // 02:30 would move to 03:00, half an hour before 03:30.
    expect(runsBetween("30 2,3 * * *", "Europe/Berlin", "2026-03-29", "2026-03-29T12:00Z")).toEqual(["2026-03-29T01:30Z"]);
    // Half an hour is repeated: 01:45 comes twice.
    expect(runsBetween("45 * * * *", "Australia/Lord_Howe", "2026-04-04T13:00Z", "2026-04-04T17:00Z")).toEqual([
      "2026-04-04T13:45Z",
      "2026-04-04T14:45Z",
      "2026-04-04T16:15Z",
    ]);
  });

  test.each(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Antarctica/Troll", "Africa/Casablanca"])(
    "runs of accepted patterns in %s are an hour apart",
    (zone) => {
      for (const cron of ["59 1-3 * * SAT,SUN", "15 0-4/2 * 3,10 SUN", "30 * * 3,4,10,11 SAT,SUN", "1 0,1,2,23 * * SUN"]) {
        expect(cronFault(cron, zone)).toBe(null);
        const runs = runsBetween(cron, zone, "2026-01-01", "2027-01-01").map((run) => Date.parse(run));
        expect(runs.length).toBeGreaterThan(10);
        expect(Math.min(...runs.slice(1).map((run, at) => run - (runs[at] ?? 0)))).toBeGreaterThanOrEqual(hourMs);
      }
    },
  );
});
