/** The store on a real LMDB: what each verb promises, across reopening and across processes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StoredResult } from "../../../src/judge/result.ts";
import { assertTransition, scanStatuses } from "../../../src/store/scan-status.ts";
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
  store = openStore(dataDir, { queueMax: 5 });
});

afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

async function queued(url = "https://site.example/", accountId = 1): Promise<ScanRecord> {
  const scan = await store.queueScan({ accountId, url, now });
  if (scan === "full") throw new Error("the queue is full");
  return scan;
}

async function running(): Promise<ScanRecord> {
  await queued();
  const scan = await store.claimNext(now);
  if (scan === undefined) throw new Error("nothing to claim");
  return scan;
}

describe("a scan's life", () => {
  test("is queued with a token of its own and a rising id", async () => {
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
    });
    expect(first.token).toMatch(/^[0-9A-Za-z]{22}$/);
    expect(second.id).toBe(2);
    expect(second.token).not.toBe(first.token);
    expect(store.scanByToken(first.token)).toEqual(first);
    expect(store.queueLength()).toBe(2);
  });

  test("is claimed in the order of queuing, once", async () => {
    const tokens = [(await queued()).token, (await queued()).token, (await queued()).token];
    const claimed = [await store.claimNext(now), await store.claimNext(now), await store.claimNext(now)];
    expect(claimed.map((scan) => scan?.token)).toEqual(tokens);
    expect(claimed[0]).toMatchObject({ status: "running", attempts: 1, startedAt: now.toISOString() });
    expect(await store.claimNext(now)).toBeUndefined();
    expect([store.queueLength(), store.runningLength()]).toEqual([0, 3]);
  });

  test("a full queue refuses, and takes again once there is room", async () => {
    for (let count = 0; count < 5; count++) await queued();
    expect(await store.queueScan({ accountId: 1, url: "https://site.example/", now })).toBe("full");
    expect(store.scansOfAccount(1, { limit: 10, cursor: null }).items).toHaveLength(5);
    await store.claimNext(now);
    expect((await queued()).id).toBe(6);
  });

  test("guests and free accounts fill half of a queue, and leave the rest to who pays", async () => {
    for (const email of ["agency@site.example", "free@site.example"]) await store.createAccount({ email, now });
    const wish = (accountId: number | null) => store.queueScan({ accountId, url: "https://site.example/", now });
    for (const free of [null, 2, null]) expect(await wish(free)).not.toBe("full");
    for (const free of [null, 2]) expect(await wish(free)).toBe("full");
    for (let count = 0; count < 2; count++) expect(await wish(1)).not.toBe("full");
    expect(await wish(1)).toBe("full");
  });

  test("progress never falls", async () => {
    const { token } = await running();
    await store.setProgress(token, "browsing", 20);
    await store.setProgress(token, "connecting", 5);
    expect(store.scanByToken(token)).toMatchObject({ progressStage: "connecting", progressPercent: 20 });
  });

  test("finishing stores everything at once", async () => {
    const { token } = await running();
    await store.setProgress(token, "storing", 97);
    await store.finishScan(token, outcome);
    expect(store.scanByToken(token)).toMatchObject({
      status: "finished",
      progressStage: null,
      progressPercent: 100,
      endedAt: later.toISOString(),
      errorCode: null,
      summary: { measured: true, score: 90, band: "good", rank: "strong", violated: 0, algorithmVersion: 1, catalogVersion: "v" },
    });
    expect(store.resultOf(token)).toEqual(result);
    expect(store.evidenceOf(token)).toEqual({ evidence: outcome.evidence, timings: { total: 12 } });
    expect(store.screenshotOf(token)).toBeUndefined();
    expect(store.publicScans({ limit: 10, cursor: null }).items.map((scan) => scan.token)).toEqual([token]);
    expect(store.runningLength()).toBe(0);
    await store.setProgress(token, "browsing", 20);
    expect(store.scanByToken(token)?.status).toBe("finished");
  });

  test("failing keeps the code, and stays off the public list", async () => {
    const { token } = await running();
    await store.failScan(token, { code: "unresolved", evidence: null, timings: {}, now: later });
    expect(store.scanByToken(token)).toMatchObject({ status: "failed", errorCode: "unresolved", progressStage: null });
    expect(store.resultOf(token)).toBeUndefined();
    expect(store.evidenceOf(token)).toBeUndefined();
    expect(store.publicScans({ limit: 10, cursor: null })).toEqual({ items: [], nextCursor: null });
  });

  test("a screenshot is kept byte by byte", async () => {
    const { token } = await running();
    const screenshot = new Uint8Array([0xff, 0xd8, 0, 0xff]);
    await store.finishScan(token, { ...outcome, screenshot });
    expect([...(store.screenshotOf(token) ?? [])]).toEqual([...screenshot]);
  });

  test("a guest's scan is in nobody's list, and lives like any other", async () => {
    const scan = await store.queueScan({ accountId: null, url: "https://site.example/", now });
    if (scan === "full") throw new Error("the queue is full");
    expect(store.scanByToken(scan.token)).toMatchObject({ accountId: null });
    for (const accountId of [0, 1]) {
      expect(store.scansOfAccount(accountId, { limit: 10, cursor: null }).items).toEqual([]);
      expect(store.scanOfAccount(accountId, scan.token)).toBeUndefined();
    }
    await store.claimNext(now);
    await store.finishScan(scan.token, outcome);
    expect(store.publicScans({ limit: 10, cursor: null }).items.map(({ token }) => token)).toEqual([scan.token]);
  });

  test("its place in the queue counts down to one, and is none once it was claimed", async () => {
    const [first, second, third] = [await queued(), await queued(), await queued()];
    const places = () => [first, second, third].map(({ token }) => store.queuePosition(token));
    expect(places()).toEqual([1, 2, 3]);
    await store.claimNext(now);
    expect(places()).toEqual([null, 1, 2]);
    expect(store.queuePosition("0".repeat(22))).toBeNull();
  });

  test("what waits and what runs can be looked at, in order", async () => {
    const [first, second, third] = [await queued(), await queued(), await queued()];
    await store.claimNext(now);
    expect(store.runningScans().map(({ token }) => token)).toEqual([first.token]);
    expect(store.waitingScans(10).map(({ token }) => token)).toEqual([second.token, third.token]);
    expect(store.waitingScans(1).map(({ token }) => token)).toEqual([second.token]);
  });

  test("a step that the table does not know changes nothing", async () => {
    const { token } = await queued();
    await expect(store.finishScan(token, outcome)).rejects.toThrow("a scan cannot go from queued to finished");
    expect(store.scanByToken(token)?.status).toBe("queued");
    expect(store.resultOf(token)).toBeUndefined();
    const ended = (await store.claimNext(now))?.token ?? "";
    await store.finishScan(ended, outcome);
    await expect(store.failScan(ended, { code: "timeout", evidence: null, timings: {}, now })).rejects.toThrow("from finished to failed");
    await expect(store.finishScan("0".repeat(22), outcome)).rejects.toThrow("no scan has the token");
  });

  test("the table knows four steps", () => {
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
    expect(allowed).toEqual(["queued -> running", "running -> queued", "running -> finished", "running -> failed"]);
  });
});

describe("an interrupted scan", () => {
  test("goes back to its place in the queue, and fails the second time", async () => {
    const { token } = await running();
    await store.setProgress(token, "browsing", 20);
    const waiting = await queued();
    await store.close();
    store = openStore(dataDir);
    expect((await store.requeueInterrupted(later)).map((scan) => scan.status)).toEqual(["queued"]);
    expect(store.scanByToken(token)).toMatchObject({ status: "queued", progressStage: null, attempts: 1, progressPercent: 20 });
    expect((await store.claimNext(later))?.token).toBe(token);
    expect(await store.requeueInterrupted(later)).toMatchObject([{ token, status: "failed", errorCode: "interrupted", attempts: 2 }]);
    expect((await store.claimNext(later))?.token).toBe(waiting.token);
    expect(store.runningLength()).toBe(1);
  });
});

describe("lists", () => {
  test("an account's scans, newest first, page by page, without those of its neighbours", async () => {
    store = await reopened({ queueMax: 100 });
    for (const accountId of [1, 2, 1, 3, 2, 2, 1]) await queued("https://site.example/", accountId);
    const first = store.scansOfAccount(2, { limit: 2, cursor: null });
    expect(first.items.map((scan) => scan.id)).toEqual([6, 5]);
    const second = store.scansOfAccount(2, { limit: 2, cursor: first.nextCursor });
    expect(second.items.map((scan) => scan.id)).toEqual([2]);
    expect(second.nextCursor).toBeNull();
    expect(store.scansOfAccount(2, { limit: 3, cursor: null }).nextCursor).toBeNull();
    expect(store.scansOfAccount(2, { limit: 3, cursor: 1 }).items).toEqual([]);
    expect(store.scansOfAccount(9, { limit: 3, cursor: null }).items).toEqual([]);
  });

  test("a token of any shape is unknown, not an error", () => {
    for (const token of ["", " ", "a".repeat(5_000), "../x", "\0", "0".repeat(22)]) expect(store.scanByToken(token)).toBeUndefined();
  });

  test("an account's own scan is found by its token, and nobody else's", async () => {
    const own = await queued("https://site.example/", 1);
    const foreign = await queued("https://site.example/", 2);
    expect(store.scanOfAccount(1, own.token)).toEqual(own);
    for (const token of [foreign.token, "", " ", "a".repeat(5_000), "../x", "\0", "0".repeat(22)])
      expect(store.scanOfAccount(1, token)).toBeUndefined();
  });
});

async function reopened(options: { queueMax?: number } = {}): Promise<Store> {
  await store.close();
  return openStore(dataDir, options);
}

describe("accounts", () => {
  test("the first is admin and on the Agency plan, the others as asked", async () => {
    expect(await store.createAccount({ email: "First@Site.example", now })).toEqual({
      id: 1,
      email: "First@Site.example",
      admin: true,
      plan: "agency",
      disabled: false,
      locale: null,
      theme: "system",
      createdAt: now.toISOString(),
    });
    expect(await store.createAccount({ email: "second@site.example", now })).toMatchObject({ id: 2, admin: false, plan: "free" });
    expect(store.accounts().map((account) => account.id)).toEqual([1, 2]);
  });

  test("an address is one account, however it is written", async () => {
    await store.createAccount({ email: "me@site.example", now });
    expect(await store.createAccount({ email: " ME@Site.Example ", now })).toBe("email-taken");
    expect(store.accountByEmail("Me@SITE.example")?.id).toBe(1);
    for (const email of ["", "me", "@", "a b@c", `${"a".repeat(250)}@b.example`]) {
      expect(await store.createAccount({ email, now })).toBe("email-invalid");
      expect(store.accountByEmail(email)).toBeUndefined();
    }
  });

  test("a plan can change", async () => {
    await store.createAccount({ email: "me@site.example", now });
    expect(await store.setPlan(1, "free")).toMatchObject({ plan: "free", admin: true });
    expect(store.accountById(1)?.plan).toBe("free");
    expect(await store.setPlan(2, "free")).toBeUndefined();
  });
});

describe("API tokens", () => {
  test("are known by their value alone, which is nowhere in the store", async () => {
    const { token, value } = await store.createApiToken({ accountId: 1, name: " CI ", now });
    expect(value).toMatch(/^assay_[0-9A-Za-z]{38}$/);
    expect(token).toEqual({
      id: 1,
      accountId: 1,
      name: "CI",
      shown: value.slice(0, 10),
      createdAt: now.toISOString(),
      revokedAt: null,
      expiresAt: null,
      lastUsedAt: null,
    });
    expect(store.apiTokenByValue(value)).toEqual(token);
    await store.close();
    const bytes = await Bun.file(join(dataDir, "store", "data.mdb")).bytes();
    expect(Buffer.from(bytes).includes(value.slice(10))).toBe(false);
    store = openStore(dataDir);
    expect(store.apiTokenByValue(value)).toEqual(token);
  });

  test("any other value is unknown", async () => {
    const { value } = await store.createApiToken({ accountId: 1, name: "CI", now });
    const other = value.slice(0, 20) + (value[20] === "a" ? "b" : "a") + value.slice(21);
    for (const wrong of ["", "assay_", value.slice(0, -1), `${value}0`, other, value.toUpperCase(), "x".repeat(100_000)])
      expect(store.apiTokenByValue(wrong)).toBeUndefined();
  });

  test("are revoked for good, by their own account", async () => {
    const { token, value } = await store.createApiToken({ accountId: 1, name: "CI", now });
    await store.createApiToken({ accountId: 2, name: "other", now });
    expect(await store.revokeApiToken(2, token.id, now)).toBeUndefined();
    await store.revokeApiToken(1, token.id, now);
    await store.revokeApiToken(1, token.id, later);
    expect(store.apiTokenByValue(value)?.revokedAt).toBe(now.toISOString());
    expect(store.apiTokensOf(1).map(({ name }) => name)).toEqual(["CI"]);
  });

  test("are forgotten a month after they died, when another is made, and never more than a hundred dead ones are kept", async () => {
    const day = (days: number) => new Date(now.getTime() + days * 86_400_000);
    const make = (name: string, at: Date, expiresAt: Date | null = null) =>
      store.createApiToken({ accountId: 1, name, expiresAt, now: at });
    const names = () => store.apiTokensOf(1).map(({ name }) => name);
    const alive = await make("alive", now);
    const revoked = await make("revoked", now);
    await make("expired", now, day(1));
    await make("expires later", now, day(40));
    await store.createApiToken({ accountId: 2, name: "neighbour", expiresAt: day(1), now });
    await store.revokeApiToken(1, revoked.token.id, day(2));
    await make("after 31 days", day(31.5));
    expect(names()).toEqual(["alive", "revoked", "expires later", "after 31 days"]);
    await make("after 33 days", day(33));
    expect(names()).toEqual(["alive", "expires later", "after 31 days", "after 33 days"]);
    expect(store.apiTokenByValue(revoked.value)).toBeUndefined();
    expect(store.apiTokenByValue(alive.value)?.name).toBe("alive");
    for (let count = 0; count < 130; count++) {
      const { token } = await make(`churn ${count}`, day(34));
      await store.revokeApiToken(1, token.id, day(34));
    }
    expect(names().filter((name) => name.startsWith("churn"))).toHaveLength(100);
    expect(store.apiTokensOf(2)).toHaveLength(1);
  });

  test("remember their last use to the hour", async () => {
    const { token, value } = await store.createApiToken({ accountId: 1, name: "CI", now });
    await store.noteApiTokenUse(token, new Date("2026-11-21T13:59:59.000Z"));
    expect(store.apiTokenByValue(value)?.lastUsedAt).toBe("2026-11-21T13:00:00.000Z");
  });
});

describe("reading beside a server", () => {
  test("a read-only opening sees what others write, and cannot write", async () => {
    const reader = openStore(dataDir, { readOnly: true });
    const { token } = await queued();
    await Bun.sleep(1);
    expect(reader.scanByToken(token)?.token).toBe(token);
    await expect(reader.createAccount({ email: "me@site.example", now })).rejects.toThrow();
    await reader.close();
  });
});
