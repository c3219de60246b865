/** Archives and data directories that a restore refuses, before it touches anything. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { storeTools } from "../../../src/app/backups.ts";
import { BackupError, type Manifest, readArchive } from "../../../src/backup/archive.ts";
import { restoreBackup } from "../../../src/backup/restore-backup.ts";
import { DataDirError } from "../../../src/store/data-dir.ts";
import { lockDataDir } from "../../../src/store/lock.ts";
import { openStore } from "../../../src/store/store.ts";
import { type ArchiveEntry, entriesOf, tarOf, writeHandMade, writeWithTrailer } from "../../support/hand-made-archive.ts";
import { randomFrom } from "../store/damaged-store.ts";
import { makeBackup, noStop, pathsBelow, type StoredData, storeData, toolsHere } from "./stored-data.ts";

let stored: StoredData;
let manifest: Manifest;
let entries: readonly ArchiveEntry[];
let count = 0;
let folder: string;
let archive: string;

beforeAll(async () => {
  stored = await storeData();
  ({ manifest } = stored.backup);
  const contents: Record<string, Uint8Array> = {};
  await readArchive(stored.backup.archive, {
    stop: noStop,
    openFile: async ({ name }) => {
      const chunks: Uint8Array[] = [];
      return {
        write: async (chunk) => void chunks.push(Buffer.from(chunk)),
        close: async () => {
          contents[name] = Buffer.concat(chunks);
        },
      };
    },
  });
  entries = entriesOf(manifest, contents);
});
afterAll(() => stored.remove());

beforeEach(() => {
  folder = join(stored.folder, `refused-${count++}`);
  mkdirSync(folder);
  archive = join(folder, "a.tar.zst");
});

function restore(dataDir = join(folder, "data")): Promise<Manifest> {
  return restoreBackup(dataDir, { archive, tools: toolsHere, stop: noStop });
}

async function refusal(dataDir?: string): Promise<string> {
  const before = pathsBelow(folder);
  const error = await restore(dataDir).then(
    () => new Error("it was restored"),
    (thrown: unknown) => thrown,
  );
  expect(error instanceof BackupError || error instanceof DataDirError ? "refused" : String(error)).toBe("refused");
  expect(pathsBelow(folder)).toEqual(before);
  return (error as Error).message;
}

function changed(change: Partial<Manifest>): readonly ArchiveEntry[] {
  return [{ name: "manifest.json", content: JSON.stringify({ ...manifest, ...change }) }, ...entries.slice(1)];
}

/** Puts entries in place of the last one. */
function ending(...last: readonly ArchiveEntry[]): readonly ArchiveEntry[] {
  return [...entries.slice(0, -1), ...last];
}

describe("an archive", () => {
  test("written by hand is restored", async () => {
    await writeHandMade(archive, entries);
    expect(await restore()).toEqual(manifest);
  });

  test("cut off anywhere is refused", async () => {
    const whole = readFileSync(stored.backup.archive);
    const lengths = [
      0,
      1,
      10,
      whole.length - 1,
      whole.length - 4,
      ...Array.from({ length: 12 }, (_, at) => Math.floor((whole.length * at) / 12)),
    ];
    for (const length of lengths) {
      writeFileSync(archive, whole.subarray(0, length));
      expect(await refusal()).toMatch(/cut off|not a backup/);
    }
  });

  test("with one other byte anywhere is refused", async () => {
    const whole = readFileSync(stored.backup.archive);
    const random = randomFrom(7);
    for (let round = 0; round < 15; round++) {
      const bytes = Buffer.from(whole);
      const at = Math.floor(random() * bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      writeFileSync(archive, bytes);
      expect([at, await refusal()]).toEqual([at, expect.stringContaining(archive)]);
    }
  });

  test("with anything after its end is refused", async () => {
    writeFileSync(archive, Buffer.concat([readFileSync(stored.backup.archive), Buffer.from("more")]));
    expect(await refusal()).toContain("damaged");
    const tar = await tarOf([...entries, { name: "checks/more.ts", content: "more" }]);
    await writeWithTrailer(archive, zstdCompressSync(tar));
    expect(await refusal()).toContain('holds a file named "checks/more.ts", which its manifest does not have');
  });

  test.each<[string, () => readonly ArchiveEntry[]]>([
    ["a symbolic link", () => ending({ name: "checks/linked.ts", type: "symlink", linkname: "/etc/passwd" })],
    ["a hard link", () => ending({ name: "checks/linked.ts", type: "link", linkname: "assay.toml" })],
    ["a device", () => ending({ name: "checks/linked.ts", type: "character-device" })],
    ["a pipe", () => ending({ name: "checks/linked.ts", type: "fifo" })],
    ["a folder", () => ending({ name: "checks/linked.ts", type: "directory" })],
    ["a path to the folder above", () => ending({ name: "../linked.ts", content: "l" })],
    ["an absolute path", () => ending({ name: "/tmp/linked.ts", content: "l" })],
    ["another length", () => ending({ name: "checks/linked.ts", content: "longer" })],
    ["another content", () => ending({ name: "checks/linked.ts", content: "x" })],
    ["one file less", () => ending()],
    ["files in another order", () => [...entries.slice(0, 1), ...entries.slice(1).toReversed()]],
    ["no manifest", () => entries.slice(1)],
    ["nothing", () => []],
    ["other counts of rows", () => changed({ tables: manifest.tables.map((table) => ({ ...table, rows: table.rows + 1 })) })],
    ["other sums of tables", () => changed({ tables: manifest.tables.map((table) => ({ ...table, sha256: "0".repeat(64) })) })],
    ["no table", () => changed({ tables: [] })],
    ["one table less", () => changed({ tables: manifest.tables.filter(({ table }) => table !== "scans") })],
    ["the schema of another store", () => changed({ schema: manifest.schema - 1 })],
    ["a newer schema", () => changed({ schema: manifest.schema + 1 })],
    ["more bytes than the disk has", () => changed({ files: manifest.files.map((file) => ({ ...file, bytes: 2 ** 50 })) })],
  ])("with %s is refused", async (_, hostile) => {
    await writeHandMade(archive, hostile());
    expect(await refusal()).not.toBe("");
  });

  test("that is a decompression bomb is refused after some megabytes", async () => {
    const zeros = zstdCompressSync(Buffer.alloc(2 ** 26));
    await writeWithTrailer(archive, Buffer.concat([zstdCompressSync((await tarOf(entries)).subarray(0, -1_024)), zeros]));
    expect(await refusal()).toContain("far more than its files");
  });

  test("that is no file is refused", async () => {
    expect(await refusal()).toContain("does not exist");
    mkdirSync(archive);
    expect(await refusal()).toContain("is not a file");
    expect(Bun.spawnSync(["mkfifo", join(folder, "pipe")]).exitCode).toBe(0);
    archive = join(folder, "pipe");
    expect(await refusal()).toContain("is not a file");
  });

  test("whose store is damaged behind right sums is refused", async () => {
    const files = entries.slice(1);
    const bytes = Buffer.from(files[0]?.content ?? "");
    for (let page = 3 * 4_096; page < bytes.length; page += 4_096) bytes.writeUInt16LE(0xffff, page + 18);
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    const described = changed({ files: manifest.files.map((file, at) => (at === 0 ? { ...file, sha256 } : file)) });
    await writeHandMade(archive, [...described.slice(0, 1), { name: "store/data.mdb", content: bytes }, ...files.slice(1)]);
    const restored = restoreBackup(join(folder, "data"), { archive, tools: storeTools, stop: noStop });
    await expect(restored).rejects.toThrow("the store of the backup is damaged in table");
    expect(pathsBelow(folder)).toEqual(["a.tar.zst"]);
  });
});

describe("a data directory", () => {
  beforeEach(() => {
    archive = stored.backup.archive;
  });

  test.each(["store", "notes.txt", ".hidden", "backups"])("with %s is refused", async (name) => {
    mkdirSync(join(folder, "data", name), { recursive: true });
    expect(await refusal()).toContain(`is not empty (${name})`);
  });

  test("that a server uses is refused", async () => {
    const lock = lockDataDir(join(folder, "data"));
    expect(await refusal()).toContain("in use by another assay server");
    lock.release();
    expect(await restore()).toEqual(manifest);
  });

  test("that is a file is refused", async () => {
    writeFileSync(join(folder, "file"), "");
    expect(await refusal(join(folder, "file"))).toContain("is not a folder");
    expect(await refusal(join(folder, "file/data"))).toContain("cannot be written");
  });

  test("may be the root of a volume", async () => {
    mkdirSync(join(folder, "data/lost+found"), { recursive: true });
    expect(await restore()).toEqual(manifest);
  });

  test("that is half restored is no empty one for a server, and a restore begins anew", async () => {
    const dataDir = join(folder, "data");
    const left = join(dataDir, ".assay-restore-killed");
    mkdirSync(join(left, "store"), { recursive: true });
    writeFileSync(join(left, "store/data.mdb"), "");
    writeFileSync(join(dataDir, "assay.toml"), "# of the other archive");
    mkdirSync(join(dataDir, "checks"));
    writeFileSync(join(dataDir, "checks/of-the-other.ts"), "");
    expect(() => openStore(dataDir)).toThrow('is half restored; run "assay restore" again');
    await restore();
    expect(pathsBelow(dataDir).filter((path) => path.includes("other") || path.includes("killed"))).toEqual([]);
    expect(readFileSync(join(dataDir, "assay.toml"), "utf8")).toContain("internal");
    await openStore(dataDir).close();
  });

  test("keeps its files when an old restore left an empty folder", async () => {
    const dataDir = join(folder, "data");
    mkdirSync(join(dataDir, ".assay-restore-killed"), { recursive: true });
    writeFileSync(join(dataDir, "assay.toml"), "# mine");
    expect(await refusal()).toContain("is not empty (assay.toml)");
  });
});

describe("a backup of a restored store", () => {
  test("equals its own", async () => {
    archive = stored.backup.archive;
    await restore();
    const again = await makeBackup(join(folder, "data"), join(folder, "again.tar.zst"));
    expect(again.manifest.tables).toEqual(manifest.tables);
  });
});
