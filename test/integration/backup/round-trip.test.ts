/** A backup restored elsewhere holds the same rows and files; what cannot be backed up leaves no file. */
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { backupName, listBackups, noteBackup, pruneBackups, readBackupState } from "../../../src/backup/backup-folder.ts";
import { restoreBackup, verifyBackup } from "../../../src/backup/restore-backup.ts";
import { openStore } from "../../../src/store/store.ts";
import { makeBackup, noStop, pathsBelow, type StoredData, storeData, toolsHere, wholeStore } from "./stored-data.ts";

let stored: StoredData;

beforeAll(async () => {
  stored = await storeData();
});
afterAll(() => stored.remove());

function place(name: string): string {
  const folder = join(stored.folder, name);
  mkdirSync(folder);
  return folder;
}

describe("a backup", () => {
  test("is one file that only its owner may read, and leaves nothing else", () => {
    expect(statSync(stored.backup.archive).mode & 0o777).toBe(0o600);
    expect(pathsBelow(stored.folder).filter((path) => path.includes(".assay"))).toEqual([]);
  });

  test("restored elsewhere has every row and file", async () => {
    const restored = join(stored.folder, "restored");
    await restoreBackup(restored, { archive: stored.backup.archive, tools: toolsHere, stop: noStop });
    const [before, after] = [await wholeStore(stored.dataDir), await wholeStore(restored)];
    expect(after.tables).toEqual(before.tables);
    const rowsOf = (name: string) => after.tables.find(({ table }) => table === name)?.rows;
    expect(["scans", "proofs", "proofResults"].map(rowsOf)).toEqual([4, 1, 1]);
    const files = ["assay.toml", "nats-head.nk", "checks/acme.ts", "checks/lib/b.ts", "checks/linked.ts"];
    for (const name of files) expect(readFileSync(join(restored, name), "utf8")).toBe(readFileSync(join(stored.dataDir, name), "utf8"));
    expect(pathsBelow(restored).filter((path) => !path.includes("lock"))).toEqual([
      "assay.toml",
      "checks",
      "checks/acme.ts",
      "checks/lib",
      "checks/lib/b.ts",
      "checks/linked.ts",
      "nats-head.nk",
      "store",
      "store/data.mdb",
    ]);
    for (const name of [...files, "store/data.mdb"]) expect(statSync(join(restored, name)).mode & 0o777).toBe(0o600);
    const store = openStore(restored);
    await store.accounts.create({ email: "new@assay.test", now: new Date() });
    await store.close();
    await wholeStore(restored);
  });

  test("is verified beside the archive, which leaves nothing there", async () => {
    const manifest = await verifyBackup(stored.folder, { archive: stored.backup.archive, tools: toolsHere, stop: noStop });
    expect(manifest).toEqual(stored.backup.manifest);
    expect(pathsBelow(stored.folder).filter((path) => path.includes(".assay"))).toEqual([]);
  });

  test("has copies of a configuration and of plugins that lie elsewhere, where a restore does not use them", async () => {
    const elsewhere = place("elsewhere");
    writeFileSync(join(elsewhere, "server.toml"), "# other\n");
    mkdirSync(join(elsewhere, "plugins"));
    writeFileSync(join(elsewhere, "plugins/other.ts"), "other");
    const archive = join(elsewhere, "a.tar.zst");
    const { manifest } = await makeBackup(stored.dataDir, archive, {
      configFile: join(elsewhere, "server.toml"),
      checksDir: join(elsewhere, "plugins"),
    });
    expect(manifest.outside).toEqual({ config: join(elsewhere, "server.toml"), checks: join(elsewhere, "plugins") });
    await restoreBackup(join(elsewhere, "restored"), { archive, tools: toolsHere, stop: noStop });
    expect(readFileSync(join(elsewhere, "restored/outside/assay.toml"), "utf8")).toBe("# other\n");
    expect(readFileSync(join(elsewhere, "restored/outside/checks/other.ts"), "utf8")).toBe("other");
    expect(readFileSync(join(elsewhere, "restored/assay.toml"), "utf8")).toContain("internal");
  });

  test("of a data directory behind a link is the same", async () => {
    const linked = join(place("linked"), "data");
    symlinkSync(stored.dataDir, linked);
    const { manifest } = await makeBackup(linked, join(dirname(linked), "a.tar.zst"));
    expect(manifest.files.map(({ name }) => name)).toEqual(stored.backup.manifest.files.map(({ name }) => name));
  });
});

describe("a backup that cannot be made", () => {
  test.each<[string, (folder: string) => Parameters<typeof makeBackup>, RegExp]>([
    ["replaces no file", (folder) => [stored.dataDir, join(folder, "taken")], /exists already/],
    ["needs a folder", (folder) => [stored.dataDir, join(folder, "missing/a.tar.zst")], /missing cannot be written: it does not exist/],
    ["needs a store", (folder) => [folder, join(folder, "a.tar.zst")], /has no store yet/],
    [
      "takes sources of plugins only",
      (folder) => [stored.dataDir, join(folder, "a.tar.zst"), { checksDir: largeFolder(folder) }],
      /more than 64 MiB/,
    ],
    [
      "ends when it is stopped",
      (folder) => [stored.dataDir, join(folder, "a.tar.zst"), { stop: AbortSignal.abort(new Error("stopped")) }],
      /stopped/,
    ],
  ])("%s, and leaves nothing", async (name, args, message) => {
    const folder = place(name);
    writeFileSync(join(folder, "taken"), "kept");
    const given = args(folder);
    const before = pathsBelow(folder);
    await expect(makeBackup(...given)).rejects.toThrow(message);
    expect(pathsBelow(folder)).toEqual(before);
    expect(readFileSync(join(folder, "taken"), "utf8")).toBe("kept");
  });

  function largeFolder(folder: string): string {
    const checks = join(folder, "checks");
    mkdirSync(checks);
    writeFileSync(join(checks, "data.bin"), "");
    truncateSync(join(checks, "data.bin"), 65 * 2 ** 20);
    return checks;
  }
});

describe("the folder of backups", () => {
  test("lists by time, and removes the oldest of its own names only", async () => {
    const folder = place("backups");
    const times = [3, 1, 2].map((day) => new Date(Date.UTC(2026, 10, day, 3, 30)));
    for (const time of times) writeFileSync(join(folder, backupName(time)), "x");
    for (const name of ["mine.tar.zst", "assay-20261199T033000.000Z.tar.zst", `${backupName(new Date(0))}.old`])
      writeFileSync(join(folder, name), "x");
    mkdirSync(join(folder, backupName(new Date(0))));
    mkdirSync(join(folder, ".assay-backup-killed/files"), { recursive: true });
    expect((await listBackups(folder)).map(({ createdAt }) => createdAt.getUTCDate())).toEqual([3, 2, 1]);
    expect((await pruneBackups(folder, 2)).map(({ path }) => path)).toEqual([
      join(folder, backupName(new Date(Date.UTC(2026, 10, 1, 3, 30)))),
    ]);
    expect((await listBackups(folder)).length).toBe(2);
    expect(existsSync(join(folder, "mine.tar.zst"))).toBe(true);
    expect(existsSync(join(folder, ".assay-backup-killed"))).toBe(false);
    expect(await listBackups(join(folder, "missing"))).toEqual([]);
    expect(await pruneBackups(join(folder, "missing"), 1)).toEqual([]);
  });

  test("has its last outcomes in the data directory, which damage makes unknown", () => {
    const folder = place("state");
    expect(readBackupState(folder)).toEqual({ lastSuccess: null, lastFailure: null });
    const lastSuccess = { at: "2026-11-22T03:30:00.000Z", archive: "/a", bytes: 7 };
    noteBackup(folder, { lastSuccess });
    noteBackup(folder, { lastFailure: { at: "2026-11-23T03:30:00.000Z", because: "x".repeat(1_000) } });
    expect(readBackupState(folder)).toEqual({ lastSuccess, lastFailure: { at: "2026-11-23T03:30:00.000Z", because: "x".repeat(500) } });
    expect(pathsBelow(folder)).toEqual(["backup-state.json"]);
    writeFileSync(join(folder, "backup-state.json"), "{");
    expect(readBackupState(folder)).toEqual({ lastSuccess: null, lastFailure: null });
  });
});
