/** Starts with an idempotency key on a real LMDB: one scan for each URL of a request, however often it is repeated. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hourMs } from "../../../src/base/units.ts";
import { openDatabase } from "../../../src/store/database.ts";
import type { StartOutcome } from "../../../src/store/start-scans.ts";
import { idempotencyKeyHours } from "../../../src/store/start-scans.ts";
import { openStore, type Store } from "../../../src/store/store.ts";

const now = new Date("2026-11-22T23:59:00.000Z");
const later = (hours: number) => new Date(now.getTime() + hours * hourMs);
const accountId = 1;

let dataDir: string;
let store: Store;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-idempotent-"));
  store = openStore(dataDir, { noSync: true, queueMax: 5 });
  for (const email of ["one@site.example", "two@site.example"]) await store.accounts.create({ email, plan: "agency", now });
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

const urlsOf = (count: number) => Array.from({ length: count }, (_, at) => `https://site.example/${at}`);

interface Given {
  readonly key?: string;
  readonly fingerprint?: string;
  readonly count?: number;
  readonly account?: number;
  readonly at?: Date;
}

async function start({ key = "key", fingerprint = "f", count = 1, account = accountId, at = now }: Given = {}): Promise<StartOutcome> {
  const outcome = await store.scans.queueAll({ accountId: account, urls: urlsOf(count), idempotency: { key, fingerprint }, now: at });
  if (outcome === "key-reused") throw new Error("key-reused");
  return outcome;
}

const tokensOf = ({ scans }: StartOutcome) => scans.map((scan) => (scan === "full" ? "full" : scan.token));

async function rows(): Promise<number> {
  await store.close();
  const db = openDatabase(dataDir, { readOnly: false, noSync: true });
  const count = db.idempotentStarts.getCount();
  await db.close();
  store = openStore(dataDir, { noSync: true, queueMax: 5 });
  return count;
}

describe("a repeated key", () => {
  test("gives the same scans, also after a restart, a claim, an end and a cancellation", async () => {
    const first = await start({ count: 3 });
    expect([first.replayed, new Set(tokensOf(first)).size, store.scans.queueLength()]).toEqual([false, 3, 3]);
    await store.close();
    store = openStore(dataDir, { noSync: true, queueMax: 5 });
    const { token = "" } = (await store.scans.claimNext("local", now)) ?? {};
    await store.scans.fail(token, { code: "timeout", evidence: null, timings: {}, now });
    await store.scans.cancel(accountId, tokensOf(first)[1] ?? "");
    const again = await start({ count: 3, at: later(1) });
    expect([again.replayed, tokensOf(again)]).toEqual([true, tokensOf(first)]);
    expect(store.scans.queueLength()).toBe(1);
  });
  test("at the same time gives one scan", async () => {
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => start()));
    expect(new Set(outcomes.flatMap(tokensOf)).size).toBe(1);
    expect(outcomes.map(({ replayed }) => replayed)).toEqual([false, ...Array.from({ length: 9 }, () => true)]);
    expect(store.scans.queueLength()).toBe(1);
  });
  test("of another account, or with another request, is not the same", async () => {
    const first = await start();
    expect(tokensOf(await start({ account: 2 }))).not.toEqual(tokensOf(first));
    expect(tokensOf(await start({ key: "KEY" }))).not.toEqual(tokensOf(first));
    const reused = { accountId, urls: urlsOf(1), idempotency: { key: "key", fingerprint: "g" }, now };
    expect(await store.scans.queueAll(reused)).toBe("key-reused");
    expect(store.scans.queueLength()).toBe(3);
  });
  test("starts what the queue had no room for, and nothing twice", async () => {
    const first = await start({ count: 8 });
    expect(tokensOf(first).slice(5)).toEqual(["full", "full", "full"]);
    await store.scans.claimNext("local", now);
    await store.scans.claimNext("local", now);
    const second = await start({ count: 8 });
    expect(tokensOf(second).slice(0, 5)).toEqual(tokensOf(first).slice(0, 5));
    expect(tokensOf(second).map((token) => token === "full")).toEqual([...Array.from({ length: 7 }, () => false), true]);
    expect(tokensOf(await start({ count: 8 }))).toEqual(tokensOf(second));
    expect(new Set(tokensOf(second)).size).toBe(8);
  });
  test("finds room at its own location, and starts its scans there", async () => {
    await start({ key: "other", count: 5 });
    const request = { accountId, urls: urlsOf(6), idempotency: { key: "key", fingerprint: "f" }, now, location: "berlin" };
    const outcome = await store.scans.queueAll(request);
    if (outcome === "key-reused") throw new Error("key-reused");
    expect(tokensOf(outcome).map((token) => store.scans.findByToken(token)?.location)).toEqual([
      ...Array.from({ length: 5 }, () => "berlin"),
      undefined,
    ]);
    expect(tokensOf(outcome)[5]).toBe("full");
    await store.scans.claimNext("local", now);
    const repeat = async () => tokensOf((await store.scans.queueAll(request)) as StartOutcome);
    expect(await repeat()).toEqual(tokensOf(outcome));
    await store.scans.claimNext("berlin", now);
    expect(await repeat()).not.toContain("full");
    expect([store.scans.queueLength("local"), store.scans.queueLength("berlin")]).toEqual([4, 5]);
  });
  test("is unknown while it has started nothing", async () => {
    await start({ key: "other", count: 5 });
    expect(tokensOf(await start())).toEqual(["full"]);
    await store.scans.claimNext("local", now);
    expect(await start({ fingerprint: "g" })).toMatchObject({ replayed: false });
    expect(await rows()).toBe(2);
  });
});

describe("after its time", () => {
  test(`of ${idempotencyKeyHours} hours, and not before, a key starts anew`, async () => {
    const first = await start();
    const almost = new Date(later(idempotencyKeyHours).getTime() - 1);
    expect(tokensOf(await start({ at: almost }))).toEqual(tokensOf(first));
    expect((await start({ at: later(idempotencyKeyHours) })).replayed).toBe(false);
  });
  test("a clock that was set back over midnight makes no second scan", async () => {
    const first = await start({ at: later(1) });
    expect(tokensOf(await start({ at: now }))).toEqual(tokensOf(first));
  });
  test("its row is removed by a later start", async () => {
    for (let at = 0; at < 4; at++) await start({ key: `key ${at}` });
    expect(await rows()).toBe(4);
    await start({ key: "later", at: later(2 * 24 + 1) });
    expect(await rows()).toBe(1);
  });
});

test("without a key, equal requests are two", async () => {
  const request = { accountId, urls: urlsOf(1), idempotency: null, now };
  expect(await store.scans.queueAll(request)).not.toEqual(await store.scans.queueAll(request));
  expect([store.scans.queueLength(), await rows()]).toEqual([2, 0]);
});

test("a cancelled scan makes room for one more, also in the middle of a full queue", async () => {
  const scans = tokensOf(await start({ count: 6 }));
  expect(scans.map((token) => token === "full")).toEqual([false, false, false, false, false, true]);
  for (const token of scans.slice(1, 3)) await store.scans.cancel(accountId, token ?? "");
  expect(tokensOf(await start({ key: "next", count: 3 })).map((token) => token === "full")).toEqual([false, false, true]);
  expect(store.scans.queueLength()).toBe(5);
});
