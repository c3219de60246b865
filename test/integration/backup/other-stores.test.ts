/** Stores that are not as usual: of an older schema, with lost pages, of another user, damaged. */
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { storeTools } from "../../../src/app/backups.ts";
import { restoreBackup } from "../../../src/backup/restore-backup.ts";
import { schemaVersion } from "../../../src/store/migrations.ts";
import { openStore } from "../../../src/store/store.ts";
import { rootIsMissing } from "../../support/missing.ts";
import { putStore, storedPageBytes, withDamagedLeaves, writeSmallStore } from "../store/damaged-store.ts";
import { writeSchema5 } from "../store/schema-5.ts";
import { makeBackup, noStop, pathsBelow, toolsHere, wholeStore } from "./stored-data.ts";

const nobody = 65_534;
let folder: string;
let dataDir: string;
let archive: string;
let whole: Buffer;

beforeAll(async () => {
  whole = await writeSmallStore(12);
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-backup-test-"));
  dataDir = join(folder, "data");
  mkdirSync(dataDir);
  archive = join(folder, "a.tar.zst");
});
afterEach(() => rmSync(folder, { recursive: true }));

function restore(into: string) {
  return restoreBackup(into, { archive, tools: toolsHere, stop: noStop });
}

describe("a backup", () => {
  test("of an older schema is restored as it is, and migrated at the next opening", async () => {
    await writeSchema5(dataDir, 5, { scans: [] });
    const { manifest } = await makeBackup(dataDir, archive);
    expect([manifest.schema, manifest.tables.reduce((sum, { lost }) => sum + lost, 0)]).toEqual([5, 0]);
    const restored = join(folder, "restored");
    await restore(restored);
    expect((await wholeStore(restored)).schema).toBe(5);
    await openStore(restored).close();
    expect((await wholeStore(restored)).schema).toBe(schemaVersion);
  });

  test("has a store of which LMDB makes no compact copy, because it has lost a free page", async () => {
    putStore(dataDir, withLostPage());
    const before = await wholeStore(dataDir);
    const { manifest } = await makeBackup(dataDir, archive);
    expect(manifest.files[0]?.bytes).toBe(before.fileBytes);
    await restore(join(folder, "restored"));
    expect((await wholeStore(join(folder, "restored"))).tables).toEqual(before.tables);
  });

  test("of a damaged store is none", async () => {
    putStore(dataDir, withDamagedLeaves(whole, '"token":"'));
    await expect(makeBackup(dataDir, archive, { tools: storeTools })).rejects.toThrow(/damaged/);
    expect(pathsBelow(folder).filter((path) => !path.startsWith("data"))).toEqual([]);
  });

  test.skipIf(rootIsMissing())("restored by root belongs to the user of the directory", async () => {
    putStore(dataDir, whole);
    writeFileSync(join(dataDir, "assay.toml"), "");
    await makeBackup(dataDir, archive);
    const restored = join(folder, "restored");
    mkdirSync(restored);
    chownSync(restored, nobody, nobody);
    await restore(restored);
    for (const path of pathsBelow(restored)) expect([path, statSync(join(restored, path)).uid]).toEqual([path, nobody]);
  });
});

/** Store without one number of the list of free pages: the page is neither used nor free. */
function withLostPage(): Buffer {
  const bytes = Buffer.from(whole);
  // Root of the free list (`mm_dbs[FREE_DBI].md_root`) in the meta page of the newest transaction, whose number is at byte 152.
  const [first, second] = [0, storedPageBytes].map((at) => ({ at, transaction: bytes.readBigUInt64LE(at + 152) }));
  const newest = (first?.transaction ?? 0n) > (second?.transaction ?? 0n) ? first : second;
  const root = Number(bytes.readBigInt64LE((newest?.at ?? 0) + 88));
  if (root < 0) throw new Error("the store has no free pages");
  const page = root * storedPageBytes;
  const node = page + 24 + bytes.readUInt16LE(page + 24);
  const list = node + 8 + bytes.readUInt16LE(node + 6);
  const length = Number(bytes.readBigInt64LE(list));
  // A negative number is the length of a run of pages, whose first page follows it.
  const entries = Array.from({ length }, (_, at) => list + 8 * (at + 1));
  const isRun = (at: number) => at > list && bytes.readBigInt64LE(at) < 0n;
  const lost = entries.find((at) => bytes.readBigInt64LE(at) < -1n || (bytes.readBigInt64LE(at) > 0n && !isRun(at - 8)));
  if (lost === undefined) throw new Error("the store has too few free pages");
  bytes.writeBigInt64LE(bytes.readBigInt64LE(lost) < 0n ? bytes.readBigInt64LE(lost) + 1n : 0n, lost);
  return bytes;
}
