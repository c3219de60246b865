/** The queue's lanes on a real LMDB, compared with a plain model: two arrays and the order of turns, written out. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../../src/store/database.ts";
import { compareDerivedTables } from "../../../src/store/derived-tables.ts";
import type { Job } from "../../../src/store/scans.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { isFullTest } from "../../support/random-runs.ts";
import { loseRow } from "./damaged-store.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const agencyId = 1;
const freeId = 2;
const turns = ["agency", "agency", "free", "agency", "agency"] as const;

let dataDir: string;
let store: Store;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-queue-"));
  store = openStore(dataDir, { noSync: true });
  for (const email of ["agency@site.example", "free@site.example"]) await store.accounts.create({ email, now });
});

afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

async function queued(accountId: number | null, location = "local"): Promise<string> {
  const scan = await store.scans.queue({ accountId, url: "https://site.example/", now, location });
  if (scan === "full") throw new Error("the queue is full");
  return scan.token;
}

const claimed = async (location = "local") => (await store.scans.claimNext(location, now))?.token;
const positions = (tokens: readonly string[]) => tokens.map((token) => store.scans.queuePosition(token));
const fail = (token: string) => store.scans.fail(token, { code: "timeout", evidence: null, timings: {}, now });

async function reopen(): Promise<void> {
  await store.close();
  store = openStore(dataDir, { noSync: true });
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
      Promise.all(lanes.map((lane) => queued(lane))),
      Promise.all(Array.from({ length: 10 }, () => claimed())),
      Promise.all(lanes.map((lane) => queued(lane))),
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
    for (const token of [lost, lostRunning]) await loseRow(dataDir, "scans", token);
    store = openStore(dataDir, { noSync: true });
    expect((await store.scans.requeueInterrupted(now)).map(({ token }) => token)).toEqual([running]);
    expect(store.scans.runningCount()).toBe(0);
    expect([await claimed(), await claimed(), await claimed()].toSorted()).toEqual([running, whole, undefined].toSorted());
    expect(store.scans.queueLength()).toBe(0);
  });
});

describe("locations", () => {
  test("each has a queue of its own, with a limit of its own", async () => {
    await store.close();
    store = openStore(dataDir, { noSync: true, queueMax: 2 });
    const [one, two, three] = [await queued(agencyId, "berlin"), await queued(agencyId), await queued(agencyId, "berlin")];
    expect(await store.scans.queue({ accountId: agencyId, url: "https://site.example/", now, location: "berlin" })).toBe("full");
    const four = await queued(agencyId);
    expect(positions([one, two, three, four])).toEqual([1, 1, 2, 2]);
    expect([store.scans.queueLength("berlin"), store.scans.queueLength("tokyo"), store.scans.queueLength()]).toEqual([2, 0, 4]);
    expect([await claimed("berlin"), await claimed("tokyo"), await claimed(), await claimed("berlin"), await claimed("berlin")]).toEqual([
      one,
      undefined,
      two,
      three,
      undefined,
    ]);
    expect(store.scans.findByToken(one)).toMatchObject({ location: "berlin", status: "running" });
    expect(store.scans.findByToken(two)).not.toHaveProperty("location");
  });

  test("an interrupted scan goes back to the queue of its own location, unless it is adopted", async () => {
    const [adopted, local] = [await queued(null, "berlin"), await queued(null)];
    const waiting = await queued(null, "berlin");
    for (const location of ["berlin", "local"]) await claimed(location);
    const isAdoptable = ({ location }: Job) => location === "berlin";
    expect((await store.scans.requeueInterrupted(now, isAdoptable)).map(({ token }) => token)).toEqual([local]);
    expect(store.scans.listRunning().map(({ token, attempts }) => [token, attempts])).toEqual([[adopted, 1]]);
    expect((await store.scans.requeueInterrupted(now)).map(({ token }) => token)).toEqual([adopted]);
    expect(store.scans.listQueued(9, "berlin").map(({ token }) => token)).toEqual([adopted, waiting]);
  });

  test("scans that have waited too long for a worker fail, and no other one", async () => {
    const hour = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
    const queuedAt = async (hours: number, accountId: number | null, location?: string) => {
      const scan = await store.scans.queue({ accountId, url: "https://site.example/", now: hour(hours), location });
      return scan === "full" ? "" : scan.token;
    };
    const old = [await queuedAt(0, null, "berlin"), await queuedAt(1, agencyId, "berlin"), await queuedAt(2, null, "berlin")];
    const kept = [await queuedAt(3, null, "berlin"), await queuedAt(0, null), await queuedAt(0, null, "tokyo")];
    const running = (await claimed("berlin")) ?? "";
    expect(await store.scans.failWaiting("berlin", hour(-1), hour(9))).toEqual([]);
    const failed = await store.scans.failWaiting("berlin", hour(3), hour(9));
    expect(failed.map(({ token }) => token).toSorted()).toEqual(old.filter((token) => token !== running).toSorted());
    for (const scan of failed) {
      expect(scan).toMatchObject({ status: "failed", errorCode: "no-worker", endedAt: hour(9).toISOString(), attempts: 0 });
      expect(scan.queueKey).toBeUndefined();
    }
    expect(positions(kept)).toEqual([1, 1, 1]);
    expect(store.scans.findByToken(running)?.status).toBe("running");
    expect(await store.scans.failWaiting("nowhere", hour(99), hour(99))).toEqual([]);
  });

  test("many scans that have waited too long fail in several transactions, also between lost ones", async () => {
    const tokens = await Promise.all(Array.from({ length: 501 }, () => queued(agencyId, "berlin")));
    await store.close();
    for (const token of tokens.slice(0, 2)) await loseRow(dataDir, "scans", token);
    store = openStore(dataDir, { noSync: true });
    expect(await store.scans.failWaiting("berlin", new Date(now.getTime() + 1), now)).toHaveLength(499);
    expect([store.scans.queueLength(), store.scans.queuedLocations()]).toEqual([0, []]);
  });
});

const accountIds = { agency: agencyId, free: freeId, guest: null };
type Action = keyof typeof accountIds | "claim" | "end" | "restart" | "cancel" | "cancelRunning";
const locations = ["berlin", "local"] as const;
type Location = (typeof locations)[number];
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("agency", "free", "guest") },
  { weight: 7, arbitrary: fc.constant("claim") },
  { weight: 2, arbitrary: fc.constant("end") },
  { weight: 4, arbitrary: fc.constant("cancel") },
  { weight: 1, arbitrary: fc.constant("cancelRunning") },
  { weight: 1, arbitrary: fc.constant("restart") },
);

/** The store beside a model for each location: what happens at one must not move the scans of the other. */
class Compared {
  readonly models = { berlin: new Model(), local: new Model() };
  readonly born: string[] = [];
  readonly owners = new Map<string, number | null>();
  readonly cancelled: string[] = [];

  /** First, last and middle places of the lanes of accounts, in turns. */
  async cancel({ lanes }: Model): Promise<void> {
    const owned = (["agency", "free"] as const).flatMap((lane) => lanes[lane].filter((token) => this.owners.get(token) !== null));
    const at = [0, owned.length - 1, owned.length >> 1][this.cancelled.length % 3] ?? 0;
    const token = owned[at];
    if (token === undefined) return;
    const owner = this.owners.get(token) ?? 0;
    expect(await store.scans.cancel(owner === agencyId ? freeId : agencyId, token)).toBeUndefined();
    expect(await store.scans.cancel(owner, token)).toBe("cancelled");
    expect(await store.scans.cancel(owner, token)).toBeUndefined();
    for (const lane of Object.values(lanes)) if (lane.includes(token)) lane.splice(lane.indexOf(token), 1);
    this.cancelled.push(token);
  }

  /** Scans of `berlin` are adopted by the next process. */
  async restart(): Promise<void> {
    await reopen();
    await store.scans.requeueInterrupted(now, ({ location }) => location === "berlin");
    this.models.local.restart(this.born);
  }

  async perform(name: Action, location: Location): Promise<void> {
    const model = this.models[location];
    if (name === "cancel") return this.cancel(model);
    if (name === "restart") return this.restart();
    if (name === "claim") return expect(await claimed(location)).toBe(model.claim());
    if (name === "cancelRunning") {
      const [{ token } = { token: "" }] = model.running;
      const owner = this.owners.get(token);
      if (typeof owner === "number") expect(await store.scans.cancel(owner, token)).toBe("running");
    } else if (name === "end") {
      const oldest = model.running.shift();
      if (oldest !== undefined) await fail(oldest.token);
    } else {
      const token = await queued(accountIds[name], location);
      this.born.push(token);
      this.owners.set(token, accountIds[name]);
      model.lanes[name === "agency" ? "agency" : "free"].push(token);
    }
  }

  compare(): void {
    const orders = locations.map((location) => this.models[location].order());
    for (const [at, location] of locations.entries()) {
      const order = orders[at] ?? [];
      expect(positions(order)).toEqual(order.map((_, index) => index + 1));
      expect(store.scans.listQueued(1_000, location).map(({ token }) => token)).toEqual([...order]);
      expect(store.scans.listQueued(3, location).map(({ token }) => token)).toEqual(order.slice(0, 3));
      expect(store.scans.queueLength(location)).toBe(order.length);
      for (const { token } of this.models[location].running) expect(store.scans.queuePosition(token)).toBeNull();
    }
    expect(store.scans.queueLength()).toBe(orders.flat().length);
    expect(store.scans.queuedLocations()).toEqual(locations.filter((_, at) => (orders[at] ?? []).length > 0));
    expect(store.scans.runningCount()).toBe(locations.flatMap((location) => this.models[location].running).length);
    for (const token of this.cancelled.slice(-3)) expect(store.scans.findByToken(token)).toBeUndefined();
  }
}

test("arrivals, claims, ends, cancellations and restarts in any order match the models", async () => {
  const compared = new Compared();
  const runs = isFullTest ? 60 : 20;
  // About 3 of the 25 operations of a run find a scan to cancel: with each seed far more than the test asks for.
  const operations = fc.array(fc.tuple(action, fc.constantFrom(...locations)), { minLength: 20, maxLength: 30, size: "max" });
  // One store for all runs: each continues where the one before ended.
  await fc.assert(
    fc.asyncProperty(operations, async (each) => {
      for (const [name, location] of each) {
        await compared.perform(name, location);
        compared.compare();
      }
    }),
    { numRuns: runs, endOnFailure: true },
  );
  expect(compared.cancelled.length).toBeGreaterThan(runs);
  await store.close();
  const db = openDatabase(dataDir, { readOnly: false, noSync: true });
  for (const { table, missing, stray } of await compareDerivedTables(db, { repair: false }))
    expect([table, missing, stray]).toEqual([table, 0, 0]);
  await db.close();
  store = openStore(dataDir, { noSync: true });
}, 60_000);
