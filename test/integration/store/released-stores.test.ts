/**
 * A store of every released schema opens and is brought up to date. The files in `stores` were written by the last commit of each schema:
 * two accounts, an API token, and scans in every state. A new schema adds a file, and changes none.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { authenticate } from "../../../src/accounts/token-operations.ts";
import { compactStore } from "../../../src/store/compact-store.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { compareDerivedTables } from "../../../src/store/derived-tables.ts";
import { schemaVersion } from "../../../src/store/migrations.ts";
import { openStore } from "../../../src/store/store.ts";
import { storeFileOf } from "../../../src/store/store-file.ts";
import { runInProcess } from "../../support/program.ts";

// reads: test/integration/store/stores/
const stores = join(import.meta.dirname, "stores");
const folder = mkdtempSync(join(tmpdir(), "assay-released-"));
const now = new Date("2026-11-02T12:00:00Z");
/** Values of the API tokens, which the stores hold as hashes. */
const tokens: readonly string[] = [
  "assay_T0dkYayqe8yBwdkjIZsX4pYfz6UdxXxK1TvdDT",
  "assay_493rPfBA7GfF03uykkptidGx2gPgve0t0VXN9c",
  "assay_xuo9rhSLdgNCm3SoMh69768EjzJQI9el07g6Fu",
  "assay_pUEZYPfkHNIzxh0t16KCBPeMPrCbb1ZV3GJdAW",
  "assay_MLZh2nkmEKUwmXeiHd0B3rzCHYnLdEnN31RqKL",
  "assay_FFPWxvBtyxaJfD76bQf0rkjotrOoH3i40Mm9nT",
  "assay_qJUgRigVuqDSCvFHnjlqmMwMIX4ZSsMp1P6F5L",
  "assay_cDQTjz96XrCZ4ilNFeZi9e3WFhMFOe5J4f9oTo",
  "assay_cDQTjz96XrCZ4ilNFeZi9e3WFhMFOe5J4f9oTo",
];
const schemas = tokens.map((_token, at) => at + 1);

afterAll(() => rmSync(folder, { recursive: true }));

function dataDirOf(schema: number): string {
  const dataDir = mkdtempSync(join(folder, `schema-${schema}-`));
  mkdirSync(join(dataDir, "store"), { mode: 0o700 });
  const file = readFileSync(join(stores, `schema-${schema}.mdb.zst`));
  writeFileSync(storeFileOf(dataDir), Bun.zstdDecompressSync(file));
  return dataDir;
}

test("there is a store of every schema before this one", () => {
  expect(readdirSync(stores).toSorted()).toEqual(schemas.map((schema) => `schema-${schema}.mdb.zst`));
  expect(schemas).toHaveLength(schemaVersion - 1);
});

describe.each(schemas)("a store of schema %i", (schema) => {
  test("keeps its data and is consistent, also once compacted", async () => {
    const dataDir = dataDirOf(schema);
    await openStore(dataDir).close();
    const db = openDatabase(dataDir, { readOnly: false });
    expect(db.meta.get("schemaVersion")).toBe(schemaVersion);
    const derived = await compareDerivedTables(db, { repair: false });
    expect(derived.filter(({ missing, stray }) => missing + stray > 0)).toEqual([]);
    await db.close();
    await compactStore(dataDir);

    const store = openStore(dataDir);
    expect(store.accounts.list().map(({ email, admin, plan }) => [email, admin, plan])).toEqual([
      ["first@fixture.test", true, "agency"],
      ["second@fixture.test", false, "free"],
    ]);
    expect(authenticate(store, tokens[schema - 1] ?? "", now)).toMatchObject({ status: "authenticated", account: { id: 1 } });
    const listed = store.publicScans.list({ limit: 9, cursor: null }).items;
    expect(listed.map(({ url, summary }) => [url, summary?.measured])).toEqual([
      ["https://other.example/a", false],
      ["https://www.fixture.example/", true],
    ]);
    expect(store.publicScans.list({ limit: 9, cursor: null, host: "fixture.example" }).items).toHaveLength(1);
    for (const { token } of listed) {
      expect(store.results.find(token)?.ledger.length).toBeGreaterThan(50);
      expect(store.evidence.find(token)?.evidence.subject).toBeDefined();
    }
    expect([store.scans.queueLength(), store.scans.runningCount()]).toEqual([schema < 5 ? 2 : 3, 1]);
    expect(await store.scans.requeueInterrupted(now)).toMatchObject([{ url: "https://runs.example/" }]);
    expect(await store.scans.queue({ accountId: 1, url: "https://new.example/", now })).toMatchObject({ id: schema < 5 ? 7 : 8 });
    expect(await store.accounts.create({ email: "third@fixture.test", now })).toMatchObject({ id: 3, admin: false });
    await store.close();
  });

  test("is brought up to date by the compaction alone", async () => {
    const dataDir = dataDirOf(schema);
    await compactStore(dataDir);
    const db = openDatabase(dataDir, { readOnly: true });
    expect(db.meta.get("schemaVersion")).toBe(schemaVersion);
    await db.close();
  });

  test("is brought up to date by a command that only lists", async () => {
    const { code, stdout } = await runInProcess(["user", "list", "--data", dataDirOf(schema)]);
    expect([code, stdout.split("\n").length]).toEqual([0, 4]);
  });
});
