/** Stores of older releases migrate once, as a whole, and only while no other server runs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, open } from "lmdb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { authenticate } from "../../../src/accounts/token-operations.ts";
import type { StoredResult } from "../../../src/judge/result.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { compareDerivedTables } from "../../../src/store/derived-tables.ts";
import { lockDataDir } from "../../../src/store/lock.ts";
import { schemaVersion } from "../../../src/store/migrations.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { evidence } from "../../support/evidence.ts";
import { type ScanOfSchema1, writeSchema1 } from "./schema-1.ts";
import { type WaitingScanOfSchema3, writeSchema3 } from "./schema-3.ts";
import { type ScanOfSchema5, writeSchema5 } from "./schema-5.ts";

const result: StoredResult = {
  algorithmVersion: 2,
  catalogVersion: "v",
  measured: true,
  score: 70,
  band: "warn",
  rank: "fair",
  ledger: [
    { key: "a", state: "passed", evidence: [] },
    { key: "b", state: "violated", evidence: [] },
    { key: "c", state: "violated", evidence: [] },
  ],
  findings: [],
};
const unmeasured: StoredResult = { ...result, measured: false, score: null, band: "unknown", rank: "unknown", ledger: [] };
const tokens = ["A", "B", "C", "D", "E"].map((letter) => letter.repeat(22));
const [first = "", second = "", waiting = "", broken = "", interrupted = ""] = tokens;
const all = { limit: 10, cursor: null };

let dataDir: string;
let apiToken: string;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-migration-"));
  apiToken = await apiTokenValue();
  const scans: readonly ScanOfSchema1[] = [
    { token: first, url: "https://www.site.example/", status: "finished", result, evidence: evidence() },
    { token: second, url: "https://other.example/", status: "finished", result: unmeasured },
    { token: waiting, url: "https://www.site.example/", status: "queued" },
    { token: broken, url: "https://www.site.example/", status: "failed" },
    { token: interrupted, url: "https://www.site.example/", status: "running" },
  ];
  await writeSchema1(dataDir, scans, apiToken);
});

afterEach(() => rmSync(dataDir, { recursive: true }));

/** Valid form and checksum, as the store creates them. */
async function apiTokenValue(): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), "assay-migration-"));
  const store = openStore(scratch, { noSync: true });
  const { value } = await store.apiTokens.create({ accountId: 1, name: "ci", now: new Date() });
  await store.close();
  rmSync(scratch, { recursive: true });
  return value;
}

describe("a store of schema 1", () => {
  test("gains summaries and the public list, and keeps its data", async () => {
    const store = openStore(dataDir, { noSync: true });
    expect(store.scans.findByToken(first)?.summary).toEqual({
      measured: true,
      score: 70,
      band: "warn",
      rank: "fair",
      violated: 2,
      algorithmVersion: 2,
      catalogVersion: "v",
    });
    for (const token of [waiting, broken, interrupted]) expect(store.scans.findByToken(token)?.summary).toBeNull();
    const listed = (filter: object) => store.publicScans.list({ ...all, ...filter }).items.map(({ token }) => token);
    expect(listed({})).toEqual([second, first]);
    expect(listed({ host: "www.site.example" })).toEqual([first]);
    expect(listed({ host: "other.example", exactly: true, band: "unknown" })).toEqual([second]);

    expect(store.results.find(first)).toEqual(result);
    expect(store.evidence.find(first)).toEqual({ evidence: evidence(), timings: { total: 12 } });
    expect(store.scans.listOfAccount(1, all).items.map(({ token }) => token)).toEqual(tokens.toReversed());
    expect([store.scans.queueLength(), store.scans.runningCount(), store.accounts.list().length]).toEqual([1, 1, 1]);
    expect(store.accounts.list()).toMatchObject([{ disabled: false, locale: null, theme: "system" }]);
    expect(await store.scans.queue({ accountId: 1, url: "https://site.example/", now: new Date() })).toMatchObject({ id: 6 });
    await store.close();
  });

  test("keeps its account without a password and its API token without expiry", async () => {
    const store = openStore(dataDir, { noSync: true });
    const now = new Date();
    const authentication = authenticate(store, apiToken, now);
    expect(authentication).toMatchObject({ status: "authenticated", account: { id: 1, plan: "agency" }, token: { expiresAt: null } });
    expect(store.accounts.findByEmail("ME@site.example")).toMatchObject({ id: 1, admin: true });
    expect(store.credentials.get(1)).toEqual({ passwordHash: null, totp: null, recoveryCodeHashes: [] });
    await store.apiTokens.revoke(1, 1, now);
    expect(authenticate(store, apiToken, now)).toMatchObject({ because: "revoked" });
    expect(await store.accounts.create({ email: "you@site.example", now })).toMatchObject({ id: 2, admin: false });
    await store.close();
  });

  test("migrates once and removes the old public list", async () => {
    await openStore(dataDir, { noSync: true }).close();
    const db = openDatabase(dataDir, { readOnly: false, noSync: true });
    expect(db.meta.get("schemaVersion")).toBe(schemaVersion);
    await db.close();
    const root = open({ path: join(dataDir, "store"), maxDbs: 64 });
    expect(root.openDB({ name: "finished", encoding: "json" }).getCount()).toBe(0);
    await root.close();
    const store = openStore(dataDir, { readOnly: true });
    expect(store.publicScans.list(all).items).toHaveLength(2);
    await store.close();
  });

  test("opened read-only is refused with an instruction", () => {
    expect(() => openStore(dataDir, { readOnly: true })).toThrow(
      `data directory ${dataDir} was written by an older assay (schema 1, this one reads ${schemaVersion}); start "assay serve" once`,
    );
  });

  test("stays unchanged while another server holds the lock; the lock's owner may migrate", async () => {
    const lock = lockDataDir(dataDir);
    expect(() => openStore(dataDir, { noSync: true })).toThrow("in use by another assay server");
    await openStore(dataDir, { noSync: true, lock }).close();
    await openStore(dataDir, { noSync: true }).close();
    expect(() => lockDataDir(dataDir)).toThrow("in use by another assay server");
    lock.release();
  });

  test("opens read-only after the migration", async () => {
    await openStore(dataDir, { noSync: true }).close();
    const store = openStore(dataDir, { readOnly: true });
    expect(store.scans.findByToken(waiting)).toMatchObject({ status: "queued", summary: null });
    await store.close();
  });
});

describe("the queue of schema 3", () => {
  let ownDir: string;

  beforeEach(() => {
    ownDir = mkdtempSync(join(tmpdir(), "assay-migration-"));
  });
  afterEach(() => rmSync(ownDir, { recursive: true }));

  test("moves into lanes in its order; interrupted scans return to the front of theirs", async () => {
    const scan = (letter: string, accountId: 1 | 2 | null, status: "queued" | "running" = "queued"): WaitingScanOfSchema3 => ({
      token: letter.repeat(22),
      accountId,
      status,
    });
    const running = [scan("a", null, "running"), scan("b", 1, "running"), scan("c", 2, "running")];
    await writeSchema3(ownDir, [...running, scan("d", null), scan("e", 2), scan("f", 1), scan("g", null), scan("h", 1), scan("i", 1)]);
    const store = openStore(ownDir, { noSync: true });
    const order = () =>
      store.scans
        .listQueued(20)
        .map(({ token }) => token[0])
        .join("");
    expect([order(), store.scans.queueLength()]).toEqual(["fhdieg", 6]);
    expect(store.scans.queuePosition("i".repeat(22))).toBe(4);
    await store.scans.requeueInterrupted(new Date());
    expect([order(), store.scans.queueLength()]).toEqual(["bfahicdeg", 9]);
    await store.close();

    const root = open({ path: join(ownDir, "store"), maxDbs: 64 });
    expect(root.openDB({ name: "queue", encoding: "json" }).getCount()).toBe(0);
    await root.close();
  });

  test("moves as far as its rows can be read; a damaged record stays as it is", async () => {
    const scan = (letter: string): WaitingScanOfSchema3 => ({ token: letter.repeat(22), accountId: 1, status: "queued" });
    const damaged = scan("b").token;
    await writeSchema3(ownDir, [scan("a"), scan("b"), scan("c")]);
    await damageRow(ownDir, "queue", 1);
    await damageRow(ownDir, "scans", damaged);
    const store = openStore(ownDir, { noSync: true });
    expect(store.scans.listQueued(20).map(({ token }) => token[0])).toEqual(["c"]);
    await store.close();
    expect(await storedText(ownDir, "scans", damaged)).toBe(damagedText);
  });
});

describe("the queues of schema 4 and 5", () => {
  const inDirectory = async (check: (ownDir: string) => Promise<void>) => {
    const ownDir = mkdtempSync(join(tmpdir(), "assay-migration-"));
    await check(ownDir);
    rmSync(ownDir, { recursive: true });
  };
  const scan = (letter: string, lane: "agency" | "free", place: number, status: "queued" | "running" = "queued"): ScanOfSchema5 => ({
    token: letter.repeat(22),
    status,
    queueKey: [lane, place],
  });
  const order = (store: Store, location?: string) =>
    store.scans
      .listQueued(20, location)
      .map(({ token }) => token[0])
      .join("");

  test("of schema 4 keeps its order, and counts the gaps that a repair had left", () =>
    inDirectory(async (ownDir) => {
      await writeSchema5(ownDir, 4, { scans: ["a", "c", "d", "e", "f"].map((letter, at) => scan(letter, "free", at === 0 ? 1 : at + 2)) });
      const store = openStore(ownDir, { noSync: true });
      expect([order(store), store.scans.queueLength()]).toEqual(["acdef", 5]);
      expect(store.scans.listQueued(10).map(({ token }) => store.scans.queuePosition(token))).toEqual([1, 2, 3, 4, 5]);
      const idempotency = { key: "k", fingerprint: "f" };
      await store.accounts.create({ email: "me@site.example", now: new Date() });
      const request = { accountId: 1, urls: ["https://site.example/"], idempotency, now: new Date() };
      expect(await store.scans.queueAll(request)).toMatchObject({ replayed: false });
      expect(await store.scans.queueAll(request)).toMatchObject({ replayed: true });
      await store.close();
    }));

  test("of schema 5 becomes that of the location local, with its turn and its gaps", () =>
    inDirectory(async (ownDir) => {
      const agency = [scan("a", "agency", -1), scan("b", "agency", 0), scan("d", "agency", 2)];
      const free = [scan("f", "free", 7), scan("g", "free", 8), scan("h", "free", 11)];
      const running = [scan("r", "agency", -2, "running"), scan("s", "free", 6, "running")];
      const gaps = [
        ["agency", 1],
        ["free", 9],
        ["free", 10],
      ] as const;
      // The third turn of the cycle belongs to the free lane.
      await writeSchema5(ownDir, 5, { scans: [...running, ...agency, ...free], gaps, turn: 2 });
      const store = openStore(ownDir, { noSync: true });
      expect([order(store), store.scans.queueLength("local"), store.scans.queuedLocations()]).toEqual(["fabdgh", 6, ["local"]]);
      expect(store.scans.queuePosition("h".repeat(22))).toBe(6);
      expect(store.scans.findByToken("d".repeat(22))?.queueKey).toEqual(["local", "agency", 2]);
      expect(store.instance()).toMatch(/^\w{22}$/);
      expect(store.workers.list()).toEqual([]);
      await store.scans.requeueInterrupted(new Date());
      expect(order(store)).toBe("srabdfgh");
      expect((await store.scans.claimNext("local", new Date()))?.token[0]).toBe("s");
      await store.close();

      const db = openDatabase(ownDir, { readOnly: false, noSync: true });
      const differing = (await compareDerivedTables(db, { repair: false })).filter(({ missing, stray }) => missing + stray > 0);
      expect(differing).toEqual([]);
      await db.close();
      const root = open({ path: join(ownDir, "store"), maxDbs: 64 });
      expect(root.openDB<number, string>({ name: "meta" }).doesExist("queueTurn")).toBe(false);
      await root.close();
    }));

  test("of schema 5 with a host below many others lists it under its own name", () =>
    inDirectory(async (ownDir) => {
      const domains = ["d.e.f.g.example.com", "e.f.g.example.com", "f.g.example.com", "g.example.com", "example.com"];
      const parents = ["c.d.e.f.g.example.com", ...domains];
      const host = `a.b.${parents[0]}`;
      const token = "z".repeat(22);
      await writeSchema5(ownDir, 5, {
        scans: [{ token, status: "finished", url: `https://${host}/`, listedAs: ["", `=${host}`, ...parents] }],
      });
      const store = openStore(ownDir, { noSync: true });
      for (const query of [{ host }, { host, exactly: true }, { host: "example.com" }, {}])
        expect(store.publicScans.list({ ...all, ...query }).items.map((each) => each.token)).toEqual([token]);
      await store.close();
      const db = openDatabase(ownDir, { readOnly: true });
      expect((await compareDerivedTables(db, { repair: false })).filter(({ missing, stray }) => missing + stray > 0)).toEqual([]);
      await db.close();
    }));

  test("of schema 5 without the row of a waiting scan can be repaired", () =>
    inDirectory(async (ownDir) => {
      await writeSchema5(ownDir, 5, { scans: [scan("a", "free", 1), scan("b", "free", 2)] });
      await changeTable(ownDir, "queueByLane", (table) => table.remove(["free", 2]));
      const db = openDatabase(ownDir, { readOnly: false, noSync: true });
      const reports = await compareDerivedTables(db, { repair: true });
      expect(reports.find(({ table }) => table === "queueByLane")).toMatchObject({ missing: 1, stray: 0 });
      await db.close();
      const store = openStore(ownDir, { noSync: true });
      expect(order(store)).toBe("ab");
      await store.close();
    }));

  test("a damaged row of the queue leads nowhere and stops nothing", () =>
    inDirectory(async (ownDir) => {
      await writeSchema5(ownDir, 5, { scans: [scan("a", "free", 1), scan("b", "free", 2), scan("c", "free", 3)] });
      await changeTable(ownDir, "queueByLane", (table) => table.put(["free", 1], damagedText));
      const store = openStore(ownDir, { noSync: true });
      expect(order(store)).toBe("bc");
      expect((await store.scans.claimNext("local", new Date()))?.token[0]).toBe("b");
      await store.close();
    }));
});

describe("damaged records of schema 1", () => {
  test("stay as they are: no row has only the members that a migration adds", async () => {
    await damageRow(dataDir, "scans", first);
    await damageRow(dataDir, "accounts", 1);
    const store = openStore(dataDir, { noSync: true });
    expect(store.publicScans.list(all).items.map(({ token }) => token)).toEqual([second]);
    await store.close();
    expect(await storedText(dataDir, "scans", first)).toBe(damagedText);
    expect(await storedText(dataDir, "accounts", 1)).toBe(damagedText);
  });
});

const damagedText = "(";

async function changeTable(
  dir: string,
  table: string,
  change: (table: Database<string, (string | number)[]>) => Promise<boolean>,
): Promise<void> {
  const root = open({ path: join(dir, "store"), maxDbs: 64 });
  await change(root.openDB<string, (string | number)[]>({ name: table, encoding: "string" }));
  await root.close();
}

async function damageRow(dir: string, table: string, key: string | number): Promise<void> {
  const root = open({ path: join(dir, "store"), maxDbs: 64 });
  await root.openDB<string, string | number>({ name: table, encoding: "string" }).put(key, damagedText);
  await root.close();
}

async function storedText(dir: string, table: string, key: string | number): Promise<string | undefined> {
  const root = open({ path: join(dir, "store"), maxDbs: 64 });
  const text = root.openDB<string, string | number>({ name: table, encoding: "string" }).get(key);
  await root.close();
  return text;
}
