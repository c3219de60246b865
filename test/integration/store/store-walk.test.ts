/** What a walk reports of a sound store, and which files it does not take for a store. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkStoreFile } from "../../../src/store/store-file.ts";
import { type StoreReport, walkStore } from "../../../src/store/store-walk.ts";
import { putStore, storedPageBytes, writeSmallStore } from "./damaged-store.ts";

let whole: Buffer;
let dataDir: string;

beforeAll(async () => {
  whole = await writeSmallStore();
});
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-walk-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

async function walked(bytes: Buffer, onTable: (table: string) => void = () => {}): Promise<StoreReport> {
  putStore(dataDir, bytes);
  const report = await walkStore(dataDir, onTable);
  if (report === null) throw new Error("there is no store");
  return report;
}

test("a walk names each table with rows once, before it", async () => {
  const names: string[] = [];
  const { tables } = await walked(whole, (table) => names.push(table));
  const full = tables.filter(({ rows }) => rows > 0).map(({ table }) => table);
  expect(names.filter((name) => full.includes(name)).toSorted()).toEqual(full.toSorted());
  expect(full).toContain("evidence");
});

test("the hash of a table knows its values, not only their number and length", async () => {
  const before = await walked(whole);
  const edited = Buffer.from(whole.toString("latin1").replaceAll('"plan":"free"', '"plan":"fref"'), "latin1");
  const after = await walked(edited);
  const rowsOf = (report: StoreReport) => report.tables.map(({ table, rows }) => [table, rows]);
  expect(rowsOf(after)).toEqual(rowsOf(before));
  const hashes = new Map(before.tables.map(({ table, sha256 }) => [table, sha256]));
  expect(after.tables.filter(({ table, sha256 }) => hashes.get(table) !== sha256).map(({ table }) => table)).toContain("accounts");
});

describe("no store is a file whose meta pages", () => {
  /** Both meta pages with another value. `struct MDB_db` of the free list begins at byte 48: page size, then flags. */
  function withMeta(write: (bytes: Buffer, at: number) => void): Buffer {
    const bytes = Buffer.from(whole);
    for (const page of [0, storedPageBytes / 2, storedPageBytes]) write(bytes, page + 48);
    return bytes;
  }

  test.each<[string, (bytes: Buffer, at: number) => void]>([
    ["have flags of another order of keys", (bytes, at) => void bytes.writeUInt16LE(bytes.readUInt16LE(at + 4) | 0x02, at + 4)],
    ["have a size of pages that LMDB does not know", (bytes, at) => void bytes.writeUInt32LE(storedPageBytes + 1, at)],
  ])("%s", async (_words, write) => {
    const { tables, damagedTables } = await walked(withMeta(write));
    expect([tables, damagedTables]).toEqual([
      [],
      [{ table: "(list of tables)", reason: expect.stringMatching(/data\.mdb is not a store of assay$/) }],
    ]);
    expect(() => checkStoreFile(join(dataDir, "store", "data.mdb"))).toThrow("is not a store of assay");
  });
});
