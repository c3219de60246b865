/** Screenshots: stored byte by byte, and only for the newest scans. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Db, openDatabase } from "../../../src/store/database.ts";
import { putScreenshot } from "../../../src/store/retention.ts";
import { screenshotsKeptDefault } from "../../../src/store/store.ts";

const kept = screenshotsKeptDefault;
const put = (scanId: number, bytes: Uint8Array) => putScreenshot(db, scanId, bytes, kept, new Date());
let dataDir: string;
let db: Db;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-screenshots-"));
  db = openDatabase(dataDir, { readOnly: false, noSync: true });
});

afterEach(async () => {
  await db.close();
  rmSync(dataDir, { recursive: true });
});

const keep = (...ids: readonly number[]) =>
  db.write(() => {
    for (const id of ids) put(id, new Uint8Array([id & 0xff]));
  });

test("a screenshot is returned byte by byte", async () => {
  await db.write(() => put(7, new Uint8Array([0xff, 0xd8, 0, 0xff])));
  expect([...(db.screenshots.get(7) ?? [])]).toEqual([0xff, 0xd8, 0, 0xff]);
});

test("returned bytes do not change while others are read and written", async () => {
  const pictures = [1, 2, 3].map((fill) => new Uint8Array(300_000).fill(fill));
  await db.write(() => pictures.forEach((picture, at) => void put(at + 1, picture)));
  const first = db.screenshots.get(1);
  for (const id of [2, 3]) db.screenshots.get(id);
  await db.write(() => put(1, new Uint8Array(300_000).fill(9)));
  expect(new Set(first)).toEqual(new Set([1]));
  expect(first?.length).toBe(300_000);
});

test("new ones evict the oldest, also with gaps and late ends", async () => {
  await keep(1, 2, 5, 900);
  await keep(kept + 2);
  expect([...db.screenshots.getKeys()]).toEqual([5, 900, kept + 2]);
  // A slow scan ends after newer ones.
  await keep(901);
  expect([...db.screenshots.getKeys()]).toEqual([5, 900, 901, kept + 2]);
  await keep(...Array.from({ length: 3_000 }, (_none, at) => 10_000 + at));
  expect(db.screenshots.getKeysCount()).toBe(kept);
});
