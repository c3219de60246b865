/** Cached reads on a real LMDB: in memory until anything is committed, by this process or another. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Db, openDatabase } from "../../../src/store/database.ts";

const script = join(import.meta.dirname, "put-in-child.ts");

let dataDir: string;
let db: Db;
let reads: string[];
let find: (token: string) => number | undefined;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-cache-"));
  db = openDatabase(dataDir, { readOnly: false, noSync: true });
  await db.write(() => db.accountIdsByEmail.put("a", 1));
  reads = [];
  find = db.cacheReads((email: string) => {
    reads.push(email);
    return db.accountIdsByEmail.get(email);
  });
});

afterEach(async () => {
  await db.close();
  rmSync(dataDir, { recursive: true });
});

/** Commits in another process. */
function putInOtherProcess(email: string, id: number): void {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, script, dataDir, email, String(id)], { stderr: "pipe" });
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("a value is read once while nothing is committed", async () => {
  for (let count = 0; count < 5; count++) {
    expect(find("a")).toBe(1);
    await Bun.sleep(2);
  }
  expect(reads).toEqual(["a"]);
});

test("every commit of this process empties the cache, whatever it changes", async () => {
  find("a");
  await db.write(() => db.next("nextScanId"));
  expect(find("a")).toBe(1);
  await db.write(() => db.accountIdsByEmail.put("a", 2));
  expect(find("a")).toBe(2);
  expect(reads).toEqual(["a", "a", "a"]);
});

test("a commit of another process counts from the next turn of the event loop on", async () => {
  for (let id = 2; id < 6; id++) {
    putInOtherProcess("a", id);
    await nextTurn();
    expect(find("a")).toBe(id);
    expect(find("a")).toBe(id);
  }
  expect(reads.length).toBe(4);
});

test("a commit of another process counts within a turn that takes long", () => {
  expect(find("a")).toBe(1);
  putInOtherProcess("a", 2);
  expect(find("a")).toBe(2);
});

test("a change that is rolled back leaves the value", async () => {
  find("a");
  const failed = db.write(() => {
    db.accountIdsByEmail.put("a", 9);
    throw new Error("fails");
  });
  await expect(failed).rejects.toThrow("fails");
  expect(find("a")).toBe(1);
});

test("what is not there is read again", async () => {
  expect([find("b"), find("b")]).toEqual([undefined, undefined]);
  expect(reads).toEqual(["b", "b"]);
  putInOtherProcess("b", 7);
  await nextTurn();
  expect(find("b")).toBe(7);
});

test("a store that is only readable follows the writer", async () => {
  const reader = openDatabase(dataDir, { readOnly: true });
  const findThere = reader.cacheReads((email: string) => reader.accountIdsByEmail.get(email));
  expect(findThere("a")).toBe(1);
  await db.write(() => db.accountIdsByEmail.put("a", 3));
  await nextTurn();
  expect(findThere("a")).toBe(3);
  await reader.close();
});
