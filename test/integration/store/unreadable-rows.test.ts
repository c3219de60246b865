/** A row that cannot be read hides no other one: lists go on behind it, and their limit counts what they return. */
import { join } from "node:path";
import { open } from "lmdb";
import { toBufferKey } from "ordered-binary";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../../src/store/database.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

let temporary: TemporaryStore;
beforeEach(() => {
  temporary = temporaryStore();
});
afterEach(() => temporary.stop());

test("rows behind one that cannot be read are listed", async () => {
  const { store, dataDir } = temporary;
  for (const name of ["a", "b", "c", "d"]) await store.accounts.create({ email: `${name}@site.example`, now: new Date() });
  const db = openDatabase(dataDir, { readOnly: false });
  await db.write(() => db.accounts.put(2, { id: 2, email: "b@site.example" } as never));
  expect([...db.accounts.getRange()].map(({ key }) => key)).toEqual([1, 3, 4]);
  expect([...db.accounts.getRange({ limit: 2 })].map(({ key }) => key)).toEqual([1, 3]);
  expect([...db.accounts.getRange({ limit: 0 })]).toEqual([]);
  await db.close();
});

test("a scan whose place in the queue is none cannot be read", async () => {
  const { store, dataDir } = temporary;
  const scan = await store.scans.queue({ accountId: null, url: "https://site.example/", now: new Date(), location: "local" });
  if (scan === "full") throw new Error("the queue is full");
  const db = openDatabase(dataDir, { readOnly: false });
  for (const queueKey of ["local", 5, { location: "local" }, ["local", "no lane", 1], ["local", "free", 1.5]]) {
    await db.write(() => db.scans.put(scan.token, { ...scan, status: "running", queueKey } as never));
    expect(db.scans.get(scan.token)).toBeUndefined();
  }
  await db.write(() => db.scans.put(scan.token, scan));
  expect(db.scans.get(scan.token)).toEqual(scan);
  await db.close();
});

/** Puts a row whose key has a flipped bit between its two numbers. */
async function putDamagedKey(dataDir: string, table: string, parts: readonly [number, number]): Promise<void> {
  const root = open({ path: join(dataDir, "store"), maxDbs: 64 });
  const key = Buffer.from(toBufferKey([...parts]));
  const separator = toBufferKey([parts[0]]).length;
  expect(key[separator]).toBe(0);
  key[separator] = 1;
  root.openDB<string, Uint8Array>({ name: table, keyEncoding: "binary", encoding: "string" }).putSync(key, "no row");
  await root.close();
}

test("a damaged key that is read as a large integer is named", async () => {
  await putDamagedKey(temporary.dataDir, "scansByAccount", [1, 39]);
  const unreadable: unknown[] = [];
  const db = openDatabase(temporary.dataDir, { readOnly: false, onUnreadable: (row) => unreadable.push(row) });
  expect([...db.scansByAccount.getRange()]).toHaveLength(1);
  expect(unreadable).toEqual([{ table: "scansByAccount", key: expect.stringContaining('"1"') }]);
  await db.close();
});

test("a damaged key that nobody can read is damage, in rows and in keys", async () => {
  await putDamagedKey(temporary.dataDir, "scansByAccount", [1.5, 39]);
  const db = openDatabase(temporary.dataDir, { readOnly: false });
  const damaged = expect.objectContaining({ name: "DataDirError", fault: "damaged" });
  expect(() => [...db.scansByAccount.getRange()]).toThrow(damaged);
  expect(() => [...db.scansByAccount.getKeys()]).toThrow(damaged);
  await db.close();
});
