/** `assay doctor --store` names what is lost and rebuilds what follows from the records. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { StoreExamination } from "../../../src/doctor/store-examination.ts";
import { openStore } from "../../../src/store/store.ts";
import { putStore, smallStoreLocation, writeSmallStore } from "../../integration/store/damaged-store.ts";
import { endServers, run, serve } from "../../support/program.ts";

const newest = { limit: 100, cursor: null };

let whole: Buffer;
let dataDir: string;

beforeAll(async () => {
  whole = await writeSmallStore();
});

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-doctor-"));
  putStore(dataDir, whole);
});

afterEach(() => rmSync(dataDir, { recursive: true }));
afterAll(endServers);

async function doctor(...args: string[]): Promise<{ code: number; examination: StoreExamination; stderr: string }> {
  const { code, stdout, stderr } = await run(["doctor", "--store", "--json", "--data", dataDir, ...args]);
  return { code, stderr, examination: JSON.parse(stdout === "" ? "null" : stdout) };
}

/** Changes raw rows, as no release would. */
async function change(name: string, action: (table: ReturnType<typeof openRaw>["table"]) => void): Promise<void> {
  const { root, table } = openRaw(name);
  root.transactionSync(() => action(table));
  await root.close();
}

function openRaw(name: string) {
  const root = open({ path: join(dataDir, "store"), maxDbs: 64 });
  return { root, table: root.openDB<string, string | number | (string | number)[]>({ name, encoding: "string" }) };
}

async function listed(): Promise<readonly string[]> {
  const store = openStore(dataDir);
  const lists = [store.publicScans.list(newest), store.scans.listOfAccount(1, newest), store.scans.listOfAccount(2, newest)];
  const queues = ["local", smallStoreLocation].flatMap((location) => store.scans.listQueued(100, location));
  const history = store.publicScans.list({ ...newest, host: "site-9.example", exactly: true, location: smallStoreLocation });
  const tokens = [...[...lists, history].flatMap(({ items }) => items), ...queues].map(({ token }) => token);
  await store.close();
  return tokens;
}

describe("assay doctor --store", () => {
  test("and the server say in one sentence that the store cannot be reached, with exit code 6", async () => {
    rmSync(join(dataDir, "store"), { recursive: true });
    writeFileSync(join(dataDir, "store"), "");
    const { code, stderr } = await doctor();
    expect([code, stderr]).toEqual([6, expect.stringMatching(/^assay: the store could not be checked \(ENOTDIR: [^\n]+\)\n$/)]);
    writeFileSync(join(dataDir, "lock"), "running\n");
    const server = await run(["serve", "--listen", "127.0.0.1:0", "--data", dataDir]);
    expect([server.code, server.stderr]).toEqual([6, expect.stringContaining(`assay: data directory ${dataDir} cannot be written`)]);
  });

  test("finds nothing in a whole store, also beside its server, and changes nothing", async () => {
    expect(await doctor()).toMatchObject({ code: 0, examination: { state: "ok", derived: [], lowCounters: [], repaired: false } });
    expect(readFileSync(join(dataDir, "store", "data.mdb")).equals(whole)).toBe(true);
    const server = await serve(["--data", dataDir, "--browser-path", "/nonexistent"]);
    expect((await doctor()).code).toBe(0);
    const refused = await run(["doctor", "--store", "--repair", "--data", dataDir]);
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining("is in use by another assay server") });
    await server.end("SIGTERM");
  });

  test("names lost records, which a repair cannot bring back", async () => {
    const [token = ""] = await listed();
    await change("scans", (table) => void table.put(token, `${table.get(token)?.slice(0, -1)}`));
    await change("accounts", (table) => void table.put(2, "[]"));
    await change("workers", (table) => void table.put("UA", `${table.get("UA")?.replace(smallStoreLocation, "Berlin")}`));
    const { code, examination } = await doctor();
    expect([code, examination.state]).toEqual([1, "lost"]);
    expect(examination.report?.lostRows).toEqual([
      { table: "scans", key: JSON.stringify(token) },
      { table: "accounts", key: "2" },
      { table: "workers", key: '"UA"' },
    ]);
    const text = await run(["doctor", "--store", "--data", dataDir]);
    expect(text.stdout).toContain("40 rows, 1 of them lost");
    const repaired = await doctor("--repair");
    expect(repaired).toMatchObject({ code: 1, examination: { repaired: true, state: "lost" } });
    expect(await doctor()).toMatchObject({ code: 1, examination: { derived: [], state: "lost" } });
    expect(await listed()).not.toContain(token);
  });

  test("--repair rebuilds every derived table from the records", async () => {
    const before = await listed();
    for (const name of ["publicScans", "scansByAccount", "ownScans", "queueByLane", "accountIdsByEmail", "apiTokenHashes", "sessionHashes"])
      await change(name, (table) => {
        const keys = [...table.getKeys()];
        for (const key of keys.slice(1)) table.remove(key);
        table.put(keys[0] ?? 0, "not JSON");
      });
    await change("running", (table) => void table.put(999, '"nothing"'));
    expect(await listed()).toEqual([]);
    const found = await doctor();
    expect([found.code, found.examination.derived.map(({ table }) => table).sort()]).toEqual([
      1,
      ["accountIdsByEmail", "apiTokenHashes", "ownScans", "publicScans", "queueByLane", "running", "scansByAccount", "sessionHashes"],
    ]);
    expect(await doctor("--repair")).toMatchObject({ code: 0, examination: { state: "ok", repaired: true } });
    expect(await doctor()).toMatchObject({ code: 0, examination: { state: "ok", derived: [] } });
    expect(await listed()).toEqual(before);
    const store = openStore(dataDir);
    expect(store.accounts.findByEmail("second@site.example")?.id).toBe(2);
    expect(store.apiTokens.listOfAccount(1)).toHaveLength(1);
    await store.close();
  });

  test("--repair gives the store a new identity in place of a lost one", async () => {
    await change("instance", (table) => void table.put("id", "("));
    expect(await doctor()).toMatchObject({ code: 1, examination: { report: { lostRows: [{ table: "instance", key: '"id"' }] } } });
    expect(await doctor("--repair")).toMatchObject({ code: 0, examination: { state: "ok", report: { lostRows: [] } } });
  });

  test("--repair restores the gaps that cancelled scans left in the queue", async () => {
    const store = openStore(dataDir);
    const scans: string[] = [];
    for (let at = 0; at < 5; at++) {
      const scan = await store.scans.queue({ accountId: 1, url: "https://site.example/", now: new Date() });
      scans.push(scan === "full" ? "" : scan.token);
    }
    for (const token of scans.slice(1, 4)) expect(await store.scans.cancel(1, token)).toBe("cancelled");
    const [length, position] = [store.scans.queueLength(), store.scans.queuePosition(scans[4] ?? "")];
    await store.close();
    await change("queueGaps", (table) => {
      const [first, second] = [...table.getKeys()];
      table.remove(first ?? 0);
      table.put(second ?? 0, "not JSON");
      table.put(["agency", 999], "1");
      table.put(["berlin", "agency", 999], "1");
    });
    const { code, examination } = await doctor("--repair");
    expect([code, examination.derived]).toEqual([0, [{ table: "queueGaps", missing: 2, stray: 2 }]]);
    expect(await doctor()).toMatchObject({ examination: { derived: [] } });
    const repaired = openStore(dataDir);
    expect([repaired.scans.queueLength(), repaired.scans.queuePosition(scans[4] ?? "")]).toEqual([length, position]);
    await repaired.close();
  });

  test("--repair raises a counter that would give an id again", async () => {
    const root = open({ path: join(dataDir, "store"), maxDbs: 64 });
    const meta = root.openDB<unknown, string>({ name: "meta" });
    root.transactionSync(() => {
      meta.put("nextScanId", 3);
      meta.put("nextAccountId", "x");
    });
    await root.close();
    const counters = ["nextScanId", "nextAccountId"];
    expect((await doctor()).examination.lowCounters.map(({ counter }) => counter)).toEqual(counters);
    expect((await doctor("--repair")).code).toBe(0);
    const store = openStore(dataDir);
    expect(await store.scans.queue({ accountId: 1, url: "https://new.example/", now: new Date() })).toMatchObject({ id: 41 });
    await store.close();
  });

  test.each([
    ["a truncated store", () => whole.subarray(0, whole.length / 2)],
    ["an empty file", () => Buffer.alloc(0)],
    ["a foreign file", () => Buffer.alloc(9_999, "x")],
  ])("says that %s is damaged, and repairs nothing", async (_words, content) => {
    putStore(dataDir, content());
    expect(await doctor()).toMatchObject({ code: 6, examination: { state: "damaged" } });
    const { code, examination, stderr } = await doctor("--repair");
    expect([code, examination.repaired, stderr]).toEqual([6, false, expect.stringContaining("restore a backup")]);
    expect(readFileSync(join(dataDir, "store", "data.mdb")).equals(content())).toBe(true);
  });

  test("says that a folder is damaged, and that no store is there yet", async () => {
    rmSync(join(dataDir, "store"), { recursive: true });
    expect(await doctor()).toMatchObject({ code: 0, examination: { state: "ok", report: null } });
    mkdirSync(join(dataDir, "store", "data.mdb"), { recursive: true });
    expect((await doctor()).code).toBe(6);
  });
});
