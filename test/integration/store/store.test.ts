/** Repositories on a real LMDB, across reopening and across processes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StoredResult } from "../../../src/judge/result.ts";
import { assertTransition, scanStatuses } from "../../../src/store/scan-record.ts";
import type { ScanRecord } from "../../../src/store/scans.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { evidence } from "../../support/evidence.ts";
import { emptyResult } from "../../support/stored.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const later = new Date("2026-11-21T12:00:05.000Z");
const result: StoredResult = { ...emptyResult, ledger: [{ key: "a", state: "passed", evidence: [] }] };
const outcome = { result, evidence: evidence(), timings: { total: 12 }, now: later };

let dataDir: string;
let store: Store;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-store-"));
  store = openStore(dataDir, { noSync: true, queueMax: 5 });
});

afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

async function queued(url = "https://site.example/", accountId = 1): Promise<ScanRecord> {
  const scan = await store.scans.queue({ accountId, url, now });
  if (scan === "full") throw new Error("the queue is full");
  return scan;
}

async function running(): Promise<ScanRecord> {
  await queued();
  const scan = await store.scans.claimNext("local", now);
  if (scan === undefined) throw new Error("nothing to claim");
  return scan as ScanRecord;
}

describe("a scan", () => {
  test("is queued with a unique token and a rising id", async () => {
    const [first, second] = [await queued(), await queued()];
    expect(first).toEqual({
      token: first.token,
      id: 1,
      accountId: 1,
      url: "https://site.example/",
      status: "queued",
      createdAt: "2026-11-21T12:00:00.000Z",
      startedAt: null,
      endedAt: null,
      progressStage: null,
      progressPercent: 0,
      attempts: 0,
      errorCode: null,
      summary: null,
      queueKey: ["local", "agency", 1],
    });
    expect(first.token).toMatch(/^[0-9A-Za-z]{22}$/);
    expect(second.id).toBe(2);
    expect(second.token).not.toBe(first.token);
    expect(store.scans.findByToken(first.token)).toEqual(first);
    expect(store.scans.queueLength()).toBe(2);
  });

  test("is claimed once, in queue order", async () => {
    const tokens = [(await queued()).token, (await queued()).token, (await queued()).token];
    const claimed = [
      await store.scans.claimNext("local", now),
      await store.scans.claimNext("local", now),
      await store.scans.claimNext("local", now),
    ];
    expect(claimed.map((scan) => scan?.token)).toEqual(tokens);
    expect(claimed[0]).toMatchObject({ status: "running", attempts: 1, startedAt: now.toISOString() });
    expect(await store.scans.claimNext("local", now)).toBeUndefined();
    expect([store.scans.queueLength(), store.scans.runningCount()]).toEqual([0, 3]);
  });

  test("a full queue refuses until a scan is claimed", async () => {
    for (let count = 0; count < 5; count++) await queued();
    expect(await store.scans.queue({ accountId: 1, url: "https://site.example/", now })).toBe("full");
    expect(store.scans.listOfAccount(1, { limit: 10, cursor: null }).items).toHaveLength(5);
    await store.scans.claimNext("local", now);
    expect((await queued()).id).toBe(6);
  });

  test("guests and free accounts fill at most half of the queue", async () => {
    for (const email of ["agency@site.example", "free@site.example"]) await store.accounts.create({ email, now });
    const enqueue = (accountId: number | null) => store.scans.queue({ accountId, url: "https://site.example/", now });
    for (const free of [null, 2, null]) expect(await enqueue(free)).not.toBe("full");
    for (const free of [null, 2]) expect(await enqueue(free)).toBe("full");
    for (let count = 0; count < 2; count++) expect(await enqueue(1)).not.toBe("full");
    expect(await enqueue(1)).toBe("full");
  });

  test("progress never falls", async () => {
    const { token } = await running();
    await store.scans.setProgress(token, "browsing", 20);
    await store.scans.setProgress(token, "connecting", 5);
    expect(store.scans.findByToken(token)).toMatchObject({ progressStage: "connecting", progressPercent: 20 });
  });

  test("finishing stores everything at once", async () => {
    const { token } = await running();
    await store.scans.setProgress(token, "storing", 97);
    await store.scans.finish(token, outcome);
    expect(store.scans.findByToken(token)).toMatchObject({
      status: "finished",
      progressStage: null,
      progressPercent: 100,
      endedAt: later.toISOString(),
      errorCode: null,
      summary: { measured: true, score: 90, band: "good", rank: "strong", violated: 0, algorithmVersion: 1, catalogVersion: "v" },
    });
    expect(store.results.find(token)).toEqual(result);
    expect(store.evidence.find(token)).toEqual({ evidence: outcome.evidence, timings: { total: 12 } });
    expect(store.screenshots.find(token)).toBeUndefined();
    expect(store.publicScans.list({ limit: 10, cursor: null }).items.map((scan) => scan.token)).toEqual([token]);
    expect(store.scans.runningCount()).toBe(0);
    await store.scans.setProgress(token, "browsing", 20);
    expect(store.scans.findByToken(token)?.status).toBe("finished");
  });

  test("failing stores the code and stays off the public list", async () => {
    const { token } = await running();
    await store.scans.fail(token, { code: "unresolved", evidence: null, timings: {}, now: later });
    expect(store.scans.findByToken(token)).toMatchObject({ status: "failed", errorCode: "unresolved", progressStage: null });
    expect(store.results.find(token)).toBeUndefined();
    expect(store.evidence.find(token)).toBeUndefined();
    expect(store.publicScans.list({ limit: 10, cursor: null })).toEqual({ items: [], nextCursor: null });
  });

  test("a screenshot is stored byte by byte", async () => {
    const { token } = await running();
    const screenshot = new Uint8Array([0xff, 0xd8, 0, 0xff]);
    await store.scans.finish(token, { ...outcome, screenshot });
    expect([...(store.screenshots.find(token) ?? [])]).toEqual([...screenshot]);
  });

  test("a guest's scan is in no account's list and otherwise behaves like any other", async () => {
    const scan = await store.scans.queue({ accountId: null, url: "https://site.example/", now });
    if (scan === "full") throw new Error("the queue is full");
    expect(store.scans.findByToken(scan.token)).toMatchObject({ accountId: null });
    for (const accountId of [0, 1]) {
      expect(store.scans.listOfAccount(accountId, { limit: 10, cursor: null }).items).toEqual([]);
      expect(store.scans.findOfAccount(accountId, scan.token)).toBeUndefined();
    }
    await store.scans.claimNext("local", now);
    await store.scans.finish(scan.token, outcome);
    expect(store.publicScans.list({ limit: 10, cursor: null }).items.map(({ token }) => token)).toEqual([scan.token]);
  });

  test("its queue position falls to one, and is null after the claim", async () => {
    const [first, second, third] = [await queued(), await queued(), await queued()];
    const places = () => [first, second, third].map(({ token }) => store.scans.queuePosition(token));
    expect(places()).toEqual([1, 2, 3]);
    await store.scans.claimNext("local", now);
    expect(places()).toEqual([null, 1, 2]);
    expect(store.scans.queuePosition("0".repeat(22))).toBeNull();
  });

  test("queued and running scans are listed in order", async () => {
    const [first, second, third] = [await queued(), await queued(), await queued()];
    await store.scans.claimNext("local", now);
    expect(store.scans.listRunning().map(({ token }) => token)).toEqual([first.token]);
    expect(store.scans.listQueued(10).map(({ token }) => token)).toEqual([second.token, third.token]);
    expect(store.scans.listQueued(1).map(({ token }) => token)).toEqual([second.token]);
  });

  test("an unknown transition changes nothing", async () => {
    const { token } = await queued();
    await expect(store.scans.finish(token, outcome)).rejects.toThrow("a scan cannot go from queued to finished");
    expect(store.scans.findByToken(token)?.status).toBe("queued");
    expect(store.results.find(token)).toBeUndefined();
    const ended = (await store.scans.claimNext("local", now))?.token ?? "";
    await store.scans.finish(ended, outcome);
    await expect(store.scans.fail(ended, { code: "timeout", evidence: null, timings: {}, now })).rejects.toThrow("from finished to failed");
    await expect(store.scans.finish("0".repeat(22), outcome)).rejects.toThrow("no scan has the token");
  });

  test("the table has five transitions", () => {
    const allowed = scanStatuses.flatMap((from) =>
      scanStatuses
        .filter((to) => {
          try {
            assertTransition(from, to);
            return true;
          } catch {
            return false;
          }
        })
        .map((to) => `${from} -> ${to}`),
    );
    expect(allowed).toEqual(["queued -> running", "queued -> failed", "running -> queued", "running -> finished", "running -> failed"]);
  });
});

describe("an interrupted scan", () => {
  test("returns to its queue position, and fails the second time", async () => {
    const { token } = await running();
    await store.scans.setProgress(token, "browsing", 20);
    const waiting = await queued();
    await store.close();
    store = openStore(dataDir, { noSync: true });
    expect((await store.scans.requeueInterrupted(later)).map((scan) => scan.status)).toEqual(["queued"]);
    expect(store.scans.findByToken(token)).toMatchObject({ status: "queued", progressStage: null, attempts: 1, progressPercent: 20 });
    expect((await store.scans.claimNext("local", later))?.token).toBe(token);
    expect(await store.scans.requeueInterrupted(later)).toMatchObject([{ token, status: "failed", errorCode: "interrupted", attempts: 2 }]);
    expect((await store.scans.claimNext("local", later))?.token).toBe(waiting.token);
    expect(store.scans.runningCount()).toBe(1);
  });
});

describe("lists", () => {
  test("an account's own scans, newest first, page by page", async () => {
    store = await reopened({ queueMax: 100 });
    for (const accountId of [1, 2, 1, 3, 2, 2, 1]) await queued("https://site.example/", accountId);
    const first = store.scans.listOfAccount(2, { limit: 2, cursor: null });
    expect(first.items.map((scan) => scan.id)).toEqual([6, 5]);
    const second = store.scans.listOfAccount(2, { limit: 2, cursor: first.nextCursor });
    expect(second.items.map((scan) => scan.id)).toEqual([2]);
    expect(second.nextCursor).toBeNull();
    expect(store.scans.listOfAccount(2, { limit: 3, cursor: null }).nextCursor).toBeNull();
    expect(store.scans.listOfAccount(2, { limit: 3, cursor: 1 }).items).toEqual([]);
    expect(store.scans.listOfAccount(9, { limit: 3, cursor: null }).items).toEqual([]);
  });

  test("a malformed token is unknown, not an error", () => {
    for (const token of ["", " ", "a".repeat(5_000), "../x", "\0", "0".repeat(22)]) expect(store.scans.findByToken(token)).toBeUndefined();
  });

  test("an account finds its own scan by token, but no scan of another account", async () => {
    const own = await queued("https://site.example/", 1);
    const ofOther = await queued("https://site.example/", 2);
    expect(store.scans.findOfAccount(1, own.token)).toEqual(own);
    for (const token of [ofOther.token, "", " ", "a".repeat(5_000), "../x", "\0", "0".repeat(22)])
      expect(store.scans.findOfAccount(1, token)).toBeUndefined();
  });
});

async function reopened(options: { queueMax?: number } = {}): Promise<Store> {
  await store.close();
  return openStore(dataDir, options);
}

describe("accounts", () => {
  test("the first is admin on the Agency plan, the others as given", async () => {
    expect(await store.accounts.create({ email: "First@Site.example", now })).toEqual({
      id: 1,
      email: "First@Site.example",
      admin: true,
      plan: "agency",
      disabled: false,
      locale: null,
      theme: "system",
      createdAt: now.toISOString(),
    });
    expect(await store.accounts.create({ email: "second@site.example", now })).toMatchObject({ id: 2, admin: false, plan: "free" });
    expect(store.accounts.list().map((account) => account.id)).toEqual([1, 2]);
  });

  test("case and blanks do not make a second account", async () => {
    await store.accounts.create({ email: "me@site.example", now });
    expect(await store.accounts.create({ email: " ME@Site.Example ", now })).toBe("email-taken");
    expect(store.accounts.findByEmail("Me@SITE.example")?.id).toBe(1);
    for (const email of ["", "me", "@", "a b@c", `${"a".repeat(250)}@b.example`]) {
      expect(await store.accounts.create({ email, now })).toBe("email-invalid");
      expect(store.accounts.findByEmail(email)).toBeUndefined();
    }
  });

  test("a plan can change", async () => {
    await store.accounts.create({ email: "me@site.example", now });
    expect(await store.accounts.setPlan(1, "free")).toMatchObject({ plan: "free", admin: true });
    expect(store.accounts.findById(1)?.plan).toBe("free");
    expect(await store.accounts.setPlan(2, "free")).toBeUndefined();
  });
});

describe("reading while a server runs", () => {
  test("a read-only store sees the writes of others and cannot write", async () => {
    const reader = openStore(dataDir, { readOnly: true });
    const { token } = await queued();
    // A reader keeps what it sees for a turn of the event loop.
    while (reader.scans.findByToken(token) === undefined) await Bun.sleep(1);
    await expect(reader.accounts.create({ email: "me@site.example", now })).rejects.toThrow();
    await reader.close();
  });
});
