/** Budget of starts: order, limits, and the demand of many sites. */
import { expect, test } from "vitest";
import { admitRuns, type StartKind, startBudgetFor } from "../../../src/sites/start-budget.ts";

const now = new Date("2026-05-06T07:08:09Z");
const minutesAgo = (minutes: number) => now.getTime() - minutes * 60_000;
const candidate = (id: string, kind: StartKind, minutes = 0) => ({ id, kind, dueAt: new Date(minutesAgo(minutes)) });
const intervals = (count: number) => Array.from({ length: count }, (_, at) => candidate(`i${at}`, "interval"));
const looks = (count: number) => Array.from({ length: count }, (_, at) => candidate(`s${at}`, "second-look"));
/** Starts outside of the last minute. */
const startsInHour = (count: number) => Array<number>(count).fill(minutesAgo(30));
const idsOf = (runs: readonly { readonly id: string }[]) => runs.map(({ id }) => id);

test("starts in the order cron, second looks, oldest", () => {
  const candidates = [
    candidate("new", "interval", 1),
    candidate("old", "interval", 9),
    candidate("look", "second-look"),
    candidate("cron", "cron"),
    candidate("early", "cron", -1),
  ];
  expect(idsOf(admitRuns(candidates, [], now, 0))).toEqual(["cron", "look", "old"]);
});

test("starts at most 3 a minute", () => {
  expect(admitRuns(intervals(9), [], now, 0)).toHaveLength(3);
  expect(admitRuns(intervals(9), [minutesAgo(0.5), minutesAgo(0.9)], now, 0)).toHaveLength(1);
  expect(admitRuns(intervals(9), [minutesAgo(0), minutesAgo(0), minutesAgo(0)], now, 0)).toEqual([]);
  expect(admitRuns(looks(9), [minutesAgo(0.5)], now, 0)).toHaveLength(2);
  // A whole minute has passed.
  expect(admitRuns(intervals(9), [minutesAgo(1), minutesAgo(1)], now, 0)).toHaveLength(3);
});

test("starts at most 12 an hour, 15 with second looks", () => {
  expect(admitRuns(intervals(3), startsInHour(10), now, 0)).toHaveLength(2);
  expect(admitRuns(intervals(3), startsInHour(12), now, 0)).toEqual([]);
  expect(idsOf(admitRuns([...intervals(3), ...looks(1)], startsInHour(12), now, 0))).toEqual(["s0"]);
  expect(admitRuns(looks(3), startsInHour(14), now, 0)).toHaveLength(1);
  expect(admitRuns(looks(3), startsInHour(15), now, 0)).toEqual([]);
  expect(admitRuns(intervals(3), Array<number>(20).fill(minutesAgo(60)), now, 0)).toHaveLength(3);
});

test("cron keeps its minute, and counts", () => {
  const crons = Array.from({ length: 20 }, (_, at) => candidate(`c${at}`, "cron"));
  expect(admitRuns([...intervals(5), ...crons, ...looks(5)], startsInHour(15), now, 0)).toEqual(crons);
  expect(idsOf(admitRuns([...intervals(5), candidate("c", "cron")], [], now, 0))).toEqual(["c", "i0", "i1"]);
});

test("starts of a time from which the clock was set back do not block", () => {
  expect(admitRuns(intervals(3), Array<number>(15).fill(minutesAgo(-2 * 24 * 60)), now, 0)).toHaveLength(3);
  expect(admitRuns(intervals(3), Array<number>(15).fill(minutesAgo(-30)), now, 0)).toEqual([]);
});

test.each([
  [0, 3, 12, 15],
  [9.6, 3, 12, 15],
  [2_000 / 168, 3, 15, 19],
  [5_000, 131, 6_250, 7_813],
])("a demand of %d an hour has room", (demand, perMinuteMax, perHourMax, perHourWithSecondLooksMax) => {
  expect(startBudgetFor(demand)).toEqual({ perMinuteMax, perHourMax, perHourWithSecondLooksMax });
});

test("5,000 hourly sites all run within the hour", () => {
  let waiting = intervals(5_000);
  const starts: number[] = [];
  for (let minute = 0; minute < 60; minute += 1) {
    const at = new Date(now.getTime() + minute * 60_000);
    const admitted = new Set(admitRuns(waiting, starts, at, 5_000));
    waiting = waiting.filter((run) => !admitted.has(run));
    starts.push(...Array<number>(admitted.size).fill(at.getTime()));
  }
  expect(waiting).toEqual([]);
});
