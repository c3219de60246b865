/** The queue's lanes on a real LMDB, compared with a plain model: two arrays and the order of turns, written out. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../../src/store/database.ts";
import { compareDerivedTables } from "../../../src/store/derived-tables.ts";
import { openStore, type Store } from "../../../src/store/store.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const agencyId = 1;
const freeId = 2;
const turns = ["agency", "agency", "free", "agency", "agency"] as const;

let dataDir: string;
let store: Store;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-queue-"));
  store = openStore(dataDir);
  for (const email of ["agency@site.example", "free@site.example"]) await store.accounts.create({ email, now });
});

afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

async function queued(accountId: number | null): Promise<string> {
  const scan = await store.scans.queue({ accountId, url: "https://site.example/", now });
  if (scan === "full") throw new Error("the queue is full");
  return scan.token;
}

const claimed = async () => (await store.scans.claimNext("local", now))?.token;
const positions = (tokens: readonly string[]) => tokens.map((token) => store.scans.queuePosition(token));
const fail = (token: string) => store.scans.fail(token, { code: "timeout", evidence: null, timings: {}, now });

async function reopen(): Promise<void> {
  await store.close();
  store = openStore(dataDir);
}

/** Serves one scan after the other. */
class Model {
  readonly lanes = { agency: [] as string[], free: [] as string[] };
  running: { token: string; lane: "agency" | "free"; attempts: number }[] = [];
  readonly attempts = new Map<string, number>();
  turn = 0;

  claim(): string | undefined {
    for (let tries = 0; tries < turns.length; tries++) {
      const lane = turns[this.turn] ?? "agency";
      this.turn = (this.turn + 1) % turns.length;
      const token = this.lanes[lane].shift();
      if (token === undefined) continue;
      const attempts = (this.attempts.get(token) ?? 0) + 1;
      this.attempts.set(token, attempts);
      this.running.push({ token, lane, attempts });
      return token;
    }
    return undefined;
  }

  /** Claims everything from a copy. */
  order(): readonly string[] {
    const copy = new Model();
    copy.lanes.agency.push(...this.lanes.agency);
    copy.lanes.free.push(...this.lanes.free);
    copy.turn = this.turn;
    const all: string[] = [];
    for (let token = copy.claim(); token !== undefined; token = copy.claim()) all.push(token);
    return all;
  }

  /** `born`: all tokens in the order of their ids. */
  restart(born: readonly string[]): void {
    const byAge = this.running.toSorted((left, right) => born.indexOf(right.token) - born.indexOf(left.token));
    for (const { token, lane, attempts } of byAge) if (attempts < 2) this.lanes[lane].unshift(token);
    this.running = [];
  }
}

describe("the lanes", () => {
  test("an agency's scan does not wait behind free ones, and a free one is not starved", async () => {
    const free: string[] = [];
    for (let at = 0; at < 20; at++) free.push(await queued(at % 2 === 0 ? null : freeId));
    const agency = [await queued(agencyId), await queued(agencyId), await queued(agencyId)];
    expect(positions(agency)).toEqual([1, 2, 4]);
    expect(positions(free.slice(0, 3))).toEqual([3, 5, 6]);
    const order = [agency[0], agency[1], free[0], agency[2], free[1], free[2]];
    expect(store.scans.listQueued(6).map(({ token }) => token)).toEqual(order);
    for (const token of order) expect(await claimed()).toBe(token);
    expect(positions(free.slice(3, 5))).toEqual([1, 2]);
  });

  test("an account's lane is decided when the scan is queued", async () => {
    const [first, second] = [await queued(freeId), await queued(agencyId)];
    await store.accounts.setPlan(freeId, "agency");
    expect(positions([first, second])).toEqual([2, 1]);
    expect(positions([await queued(freeId)])).toEqual([2]);
    expect(positions([first])).toEqual([3]);
  });

  test("the turn survives a restart", async () => {
    for (let at = 0; at < 6; at++) await queued(null);
    for (let at = 0; at < 6; at++) await queued(agencyId);
    await claimed();
    await reopen();
    const order = store.scans.listQueued(20).map(({ token, accountId }) => [token, accountId] as const);
    expect(order.slice(0, 5).map(([, accountId]) => accountId)).toEqual([1, null, 1, 1, 1]);
    for (const [token] of order) expect(await claimed()).toBe(token);
  });

  test("arrivals and claims that share one commit keep the order", async () => {
    const lanes = Array.from({ length: 30 }, (_, at) => (at % 3 === 0 ? agencyId : null));
    const [before, claims, after] = await Promise.all([
      Promise.all(lanes.map(queued)),
      Promise.all(Array.from({ length: 10 }, claimed)),
      Promise.all(lanes.map(queued)),
    ]);
    const model = new Model();
    for (const [at, token] of before.entries()) model.lanes[lanes[at] === null ? "free" : "agency"].push(token);
    expect(claims).toEqual(Array.from({ length: 10 }, () => model.claim()));
    for (const [at, token] of after.entries()) model.lanes[lanes[at] === null ? "free" : "agency"].push(token);
    expect(store.scans.listQueued(100).map(({ token }) => token)).toEqual([...model.order()]);
    expect(positions(model.order())).toEqual(model.order().map((_, at) => at + 1));
  });

  test("rows whose scan is lost are passed over by claims and by the start", async () => {
    const [lost, whole, lostRunning, running] = [await queued(null), await queued(null), await queued(agencyId), await queued(agencyId)];
    for (const token of [lostRunning, running]) expect(await claimed()).toBe(token);
    await store.close();
    const db = openDatabase(dataDir, { readOnly: false });
    await db.write(() => [lost, lostRunning].map((token) => db.scans.remove(token)));
    await db.close();
    store = openStore(dataDir);
    expect((await store.scans.requeueInterrupted(now)).map(({ token }) => token)).toEqual([running]);
    expect(store.scans.runningCount()).toBe(0);
    expect([await claimed(), await claimed(), await claimed()].toSorted()).toEqual([running, whole, undefined].toSorted());
    expect(store.scans.queueLength()).toBe(0);
  });
});

const accountIds = { agency: agencyId, free: freeId, guest: null };
type Operation = keyof typeof accountIds | "claim" | "end" | "restart" | "cancel" | "cancelRunning";
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("agency", "free", "guest") },
  { weight: 7, arbitrary: fc.constant("claim") },
  { weight: 2, arbitrary: fc.constant("end") },
  { weight: 4, arbitrary: fc.constant("cancel") },
  { weight: 1, arbitrary: fc.constant("cancelRunning") },
  { weight: 1, arbitrary: fc.constant("restart") },
);

test("arrivals, claims, ends, cancellations and restarts in any order match the model", async () => {
  const model = new Model();
  const born: string[] = [];
  const owners = new Map<string, number | null>();
  const cancelled: string[] = [];
  /** First, last and middle places of the lanes of accounts, in turns. */
  const cancel = async () => {
    const owned = (["agency", "free"] as const).flatMap((lane) => model.lanes[lane].filter((token) => owners.get(token) !== null));
    const at = [0, owned.length - 1, owned.length >> 1][cancelled.length % 3] ?? 0;
    const token = owned[at];
    if (token === undefined) return;
    const owner = owners.get(token) ?? 0;
    expect(await store.scans.cancel(owner === agencyId ? freeId : agencyId, token)).toBeUndefined();
    expect(await store.scans.cancel(owner, token)).toBe("cancelled");
    expect(await store.scans.cancel(owner, token)).toBeUndefined();
    for (const lane of Object.values(model.lanes)) if (lane.includes(token)) lane.splice(lane.indexOf(token), 1);
    cancelled.push(token);
  };
  const perform = async (name: Operation) => {
    if (name === "cancel") return cancel();
    if (name === "cancelRunning") {
      const [{ token } = { token: "" }] = model.running;
      const owner = owners.get(token);
      if (typeof owner === "number") expect(await store.scans.cancel(owner, token)).toBe("running");
      return;
    }
    if (name === "claim") return expect(await claimed()).toBe(model.claim());
    if (name === "end") {
      const oldest = model.running.shift();
      if (oldest !== undefined) await fail(oldest.token);
    } else if (name === "restart") {
      await reopen();
      await store.scans.requeueInterrupted(now);
      model.restart(born);
    } else {
      born.push(await queued(accountIds[name]));
      owners.set(born.at(-1) ?? "", accountIds[name]);
      model.lanes[name === "agency" ? "agency" : "free"].push(born.at(-1) ?? "");
    }
  };
  const compare = () => {
    const order = model.order();
    expect(positions(order)).toEqual(order.map((_, at) => at + 1));
    expect(store.scans.listQueued(1_000).map(({ token }) => token)).toEqual([...order]);
    expect(store.scans.listQueued(3).map(({ token }) => token)).toEqual(order.slice(0, 3));
    expect(store.scans.queueLength()).toBe(order.length);
    for (const { token } of model.running) expect(store.scans.queuePosition(token)).toBeNull();
    for (const token of cancelled.slice(-3)) expect(store.scans.findByToken(token)).toBeUndefined();
  };
  // One store for all runs: each continues where the one before ended.
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
      for (const each of operations) {
        await perform(each);
        compare();
      }
    }),
    { numRuns: 60, endOnFailure: true },
  );
  expect(cancelled.length).toBeGreaterThan(20);
  await store.close();
  const db = openDatabase(dataDir, { readOnly: false });
  for (const { table, missing, stray } of await compareDerivedTables(db, { repair: false }))
    expect([table, missing, stray]).toEqual([table, 0, 0]);
  await db.close();
  store = openStore(dataDir);
}, 60_000);
