/** Figures of the last day: by the hour, across restarts, bounded, and counted in memory between two writes. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { countActivity } from "../../../src/app/observation.ts";
import { createLog } from "../../../src/base/log.ts";
import { hourMs } from "../../../src/base/units.ts";
import { noActivity } from "../../../src/store/activity.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { openStore } from "../../../src/store/store.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

const log = createLog({ level: "error", format: "text", write: () => {} });
const noon = Date.parse("2026-11-23T12:00:00.000Z");
const at = (hours: number) => new Date(noon + hours * hourMs);

let temporary: TemporaryStore;
beforeEach(() => {
  temporary = temporaryStore();
});
afterEach(() => temporary.stop());

const add = (hours: number, change: Partial<ReturnType<typeof noActivity>>) =>
  temporary.store.activity.add({ ...noActivity(at(hours)), ...change });

test("hours are summed, and those before the last 24 are left out", async () => {
  await add(-30, { finished: 100 });
  await add(-22.5, { finished: 1, failed: { timeout: 1 }, claimed: 2, waitedMs: 10, longestWaitMs: 8 });
  await add(0.1, { finished: 2, failed: { timeout: 1, tls: 3 } });
  await add(0.2, { claimed: 1, waitedMs: 5, longestWaitMs: 5, browserRestarts: 1 });
  expect(temporary.store.activity.lastDay(at(0.5))).toEqual({
    since: at(-23).toISOString(),
    finished: 3,
    failed: { timeout: 2, tls: 3 },
    claimed: 3,
    waitedMs: 15,
    longestWaitMs: 8,
    browserRestarts: 1,
  });
});

test("counting that began later says so, and an empty store began now", async () => {
  expect(temporary.store.activity.lastDay(at(0))).toEqual(noActivity(at(0)));
  await add(-2.25, { finished: 1 });
  expect(temporary.store.activity.lastDay(at(0)).since).toBe(at(-2.25).toISOString());
});

test("no more than 48 hours and one older are kept", async () => {
  for (let hour = 0; hour < 100; hour++) await add(hour, { finished: 1 });
  const db = openDatabase(temporary.dataDir, { readOnly: true });
  const hours = [...db.activity.getKeys()];
  await db.close();
  expect([hours.length, (hours.at(-1) ?? 0) - (hours[0] ?? 0)]).toEqual([49, 48]);
});

test("a long idle time leaves the row that says since when is counted", async () => {
  await add(0, { finished: 1 });
  await add(1_000, { finished: 1 });
  expect(temporary.store.activity.lastDay(at(1_000.5))).toMatchObject({ since: at(977).toISOString(), finished: 1 });
});

test("the counter shows what is not stored yet, and a stop stores it for the next process", async () => {
  let now = at(0.5);
  const counter = countActivity(temporary.store, log, () => now);
  counter.count({ finished: 1 });
  now = at(0.75);
  counter.count({ failed: { tls: 1 } });
  expect(counter.lastDay()).toMatchObject({ since: at(0.5).toISOString(), finished: 1, failed: { tls: 1 } });
  await counter.stop();
  const again = openStore(temporary.dataDir);
  expect(again.activity.lastDay(now)).toMatchObject({ since: at(0.5).toISOString(), finished: 1, failed: { tls: 1 } });
  await again.close();
});

test("what cannot be stored is kept for the next time", async () => {
  let isFull = true;
  const { activity } = temporary.store;
  const disk = {
    ...activity,
    add: (one: Parameters<typeof activity.add>[0]) => (isFull ? Promise.reject(new Error("full")) : activity.add(one)),
  };
  const counter = countActivity({ activity: disk }, log, () => at(0));
  counter.count({ finished: 2 });
  await counter.stop();
  expect(counter.lastDay().finished).toBe(2);
  isFull = false;
  await counter.stop();
  expect(temporary.store.activity.lastDay(at(0)).finished).toBe(2);
});
