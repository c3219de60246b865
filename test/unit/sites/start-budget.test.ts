/** Starts: their order, the budget of regular runs, and the demand of many sites. */
import { describe, expect, test } from "vitest";
import { createAdmission, type RecentStart, type RunCandidate, type StartKind, startBudgetFor } from "../../../src/sites/run-starts.ts";
import { admitAll } from "./admit-all.ts";

const now = new Date("2026-05-06T07:08:09Z");
const minutesAgo = (minutes: number) => now.getTime() - minutes * 60_000;
const candidate = (id: string, kind: StartKind, minutes = 0) => ({ id, kind, dueAt: new Date(minutesAgo(minutes)) });
const intervals = (count: number) => Array.from({ length: count }, (_, at) => candidate(`i${at}`, "interval"));
/** Starts outside of the last minute. */
const startsInHour = (count: number) => Array<number>(count).fill(minutesAgo(30));
const idsOf = (runs: readonly { readonly id: string }[]) => runs.map(({ id }) => id);

test("starts in the order second looks, cron, oldest, first runs", () => {
  const candidates = [
    candidate("added", "first", 99),
    candidate("new", "interval", 1),
    candidate("old", "interval", 9),
    candidate("look", "second-look"),
    candidate("cron", "cron"),
    candidate("early", "cron", -1),
  ];
  expect(idsOf(admitAll(candidates, [], now, 0))).toEqual(["look", "cron", "old", "new", "added"]);
});

test("starts at most 3 intervals a minute", () => {
  expect(admitAll(intervals(9), [], now, 0)).toHaveLength(3);
  expect(admitAll(intervals(9), [minutesAgo(0.5), minutesAgo(0.9)], now, 0)).toHaveLength(1);
  expect(admitAll(intervals(9), [minutesAgo(0), minutesAgo(0), minutesAgo(0)], now, 0)).toEqual([]);
  // A whole minute has passed.
  expect(admitAll(intervals(9), [minutesAgo(1), minutesAgo(1)], now, 0)).toHaveLength(3);
});

test("starts at most 12 intervals an hour", () => {
  expect(admitAll(intervals(3), startsInHour(10), now, 0)).toHaveLength(2);
  expect(admitAll(intervals(3), startsInHour(12), now, 0)).toEqual([]);
  expect(admitAll(intervals(3), Array<number>(20).fill(minutesAgo(60)), now, 0)).toHaveLength(3);
});

test.each(["second-look", "first"] as const)("starts each %s, whatever has started, and takes no place of an interval", (kind) => {
  const free = Array.from({ length: 500 }, (_, at) => candidate(`f${at}`, kind));
  expect(admitAll(free, startsInHour(15), now, 0)).toHaveLength(500);
  expect(admitAll([...free, ...intervals(5)], [], now, 0)).toHaveLength(503);
  const recent = free.map((): RecentStart => ({ atMs: minutesAgo(0.5), accountId: 1, kind }));
  expect(createAdmission([{ ...candidate("i", "interval"), accountId: 1 }], recent, now, 0).next()?.id).toBe("i");
});

test("cron keeps its minute, and counts", () => {
  const crons = Array.from({ length: 20 }, (_, at) => candidate(`c${at}`, "cron"));
  expect(admitAll([...intervals(5), ...crons], startsInHour(15), now, 0)).toEqual(crons);
  expect(idsOf(admitAll([...intervals(5), candidate("c", "cron")], [], now, 0))).toEqual(["c", "i0", "i1"]);
});

test("starts of a time from which the clock was set back do not block", () => {
  expect(admitAll(intervals(3), Array<number>(15).fill(minutesAgo(-2 * 24 * 60)), now, 0)).toHaveLength(3);
  expect(admitAll(intervals(3), Array<number>(15).fill(minutesAgo(-30)), now, 0)).toEqual([]);
});

test.each([
  [0, 3, 12],
  [9.6, 3, 12],
  [2_000 / 168, 3, 15],
  [5_000, 105, 6_250],
])("a demand of %d an hour has room", (demand, perMinuteMax, perHourMax) => {
  expect(startBudgetFor(demand)).toEqual({ perMinuteMax, perHourMax });
});

test("5,000 hourly sites all run within the hour", () => {
  let waiting = intervals(5_000);
  const starts: number[] = [];
  for (let minute = 0; minute < 60; minute += 1) {
    const at = new Date(now.getTime() + minute * 60_000);
    const admitted = new Set(admitAll(waiting, starts, at, 5_000));
    waiting = waiting.filter((run) => !admitted.has(run));
    starts.push(...Array<number>(admitted.size).fill(at.getTime()));
  }
  expect(waiting).toEqual([]);
});

describe("accounts take turns", () => {
  interface Waiting {
    readonly id: string;
    readonly accountId: number;
    readonly minutes?: number;
  }

  /** Ids in the order in which they start, 12 an hour, while nothing else becomes due. */
  function order(waiting: readonly Waiting[], hours: number): readonly string[] {
    let left = waiting.map(({ id, accountId, minutes = 0 }) => ({
      ...candidate(id, "interval", minutes),
      accountId,
    }));
    const starts: RecentStart[] = [];
    const started: string[] = [];
    for (let minute = 0; minute < 60 * hours; minute += 1) {
      const at = new Date(now.getTime() + minute * 60_000);
      const recent = starts.filter(({ atMs }) => at.getTime() - atMs < 3_600_000);
      const admission = createAdmission(left, recent, at, 0);
      for (let run = admission.next(); run !== null; run = admission.next()) {
        const { id, accountId } = run;
        admission.noteStart(run);
        starts.push({ atMs: at.getTime(), accountId, kind: "interval" });
        started.push(id);
        left = left.filter((one) => one.id !== id);
      }
    }
    return started;
  }

  test("an import of another account holds up nobody", () => {
    const imported = Array.from({ length: 200 }, (_, at) => ({ id: `a${at}`, accountId: 1, minutes: 300 }));
    const started = order([...imported, { id: "b", accountId: 2 }, { id: "c", accountId: 3, minutes: 5 }], 3);
    expect(started.slice(0, 3).sort()).toEqual(["a0", "b", "c"]);
    expect(started).toHaveLength(36);
  });

  test("first runs of an account with the fewest of them go first", () => {
    const run = (id: string, accountId: number, kind: StartKind = "first") => ({ ...candidate(id, kind), accountId });
    const waiting = [run("a1", 1), run("a2", 1), run("b", 2), run("known", 1, "interval")];
    const started: string[] = [];
    const admission = createAdmission(waiting, [], now, 0);
    for (let next = admission.next(); next !== null; next = admission.next()) {
      admission.noteStart(next);
      started.push(next.id);
    }
    expect(started).toEqual(["known", "a1", "b", "a2"]);
  });

  test("runs by cron cost no account its turn", () => {
    const of = (accountId: number, id: string, kind: StartKind = "interval") => ({
      ...candidate(id, kind, accountId),
      accountId,
    });
    const startedBy = (recent: readonly RecentStart[], waiting: readonly RunCandidate[]) => {
      const admission = createAdmission(waiting, recent, now, 5_000);
      const started: (string | number)[] = [];
      for (let run = admission.next(); run !== null; run = admission.next()) {
        admission.noteStart(run);
        started.push(run.id);
      }
      return started;
    };
    const start = (accountId: number, kind: StartKind, minutes = 30): RecentStart => ({ atMs: minutesAgo(minutes), accountId, kind });
    const both = [of(2, "of2"), of(1, "of1")];
    // The account 2 waits longer, so it goes first unless it has had more starts.
    expect(startedBy([start(2, "cron"), start(2, "cron")], both)).toEqual(["of2", "of1"]);
    expect(startedBy([start(2, "interval")], both)).toEqual(["of1", "of2"]);
    expect(startedBy([start(2, "interval", 60)], both)).toEqual(["of2", "of1"]);
    expect(startedBy([start(2, "interval", -30)], both)).toEqual(["of1", "of2"]);
    expect(startedBy([], [...both, of(2, "cron", "cron")])).toEqual(["cron", "of2", "of1"]);
  });

  test("after a run that does not start, the run of any account that waits longest is next", () => {
    const run = (id: string, accountId: number, minutes: number) => ({ ...candidate(id, "interval", minutes), accountId });
    const admission = createAdmission([run("first", 1, 9), run("last", 1, 1), run("second", 2, 5)], [], now, 0);
    expect([1, 2, 3].map(() => admission.next()?.id)).toEqual(["first", "second", "last"]);
  });

  test("accounts that wait equally long go in the order of their runs", () => {
    const waiting = ["c", "a", "b"].map((id, at) => ({ id, accountId: at + 1 }));
    expect(order(waiting, 1)).toEqual(["c", "a", "b"]);
  });

  test("each account with a backlog gets its part of every hour", () => {
    const backlog = [1, 2, 3].flatMap((accountId) =>
      Array.from({ length: 100 }, (_, at) => ({ id: `${accountId}.${at}`, accountId, minutes: 1_000 * accountId })),
    );
    const started = order(backlog, 2);
    for (const accountId of [1, 2, 3]) expect(started.filter((id) => id.startsWith(`${accountId}.`))).toHaveLength(8);
  });
});

test("a run that does not start leaves its place to the next", () => {
  const candidates = intervals(6).map((run) => ({ ...run, accountId: 1 }));
  const admission = createAdmission(candidates, [], now, 0);
  const started: string[] = [];
  for (let run = admission.next(); run !== null; run = admission.next()) {
    if (["i0", "i1"].includes(run.id)) continue;
    admission.noteStart(run);
    started.push(run.id);
  }
  expect(started).toEqual(["i2", "i3", "i4"]);
});
