/** An unusable data directory is refused with one sentence and left unchanged, for real faults. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../../src/store/database.ts";
import { lockDataDir } from "../../../src/store/lock.ts";
import { schemaVersion } from "../../../src/store/migrations.ts";
import { openStore } from "../../../src/store/store.ts";

const script = join(import.meta.dirname, "open-in-child.ts");
const unprivilegedUid = 65_534;
const isRoot = process.getuid?.() === 0;

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-data-"));
});

afterEach(() => {
  chmodSync(dataDir, 0o700);
  rmSync(dataDir, { recursive: true });
});

async function inChild(action: "open" | "fill", { uid, fileKibMax }: { uid?: number; fileKibMax?: number } = {}): Promise<string> {
  const command = [process.execPath, script, action, dataDir, ...(uid === undefined ? [] : [String(uid)])];
  // With SIGXFSZ ignored, a write beyond the limit fails, as on a full disk.
  const limited = ["bash", "-c", `trap '' XFSZ; ulimit -f ${fileKibMax}; exec "$@"`, "bash", ...command];
  const child = Bun.spawn(fileKibMax === undefined ? command : limited, { stdout: "pipe", stderr: "pipe" });
  const [output, failed] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  return output.trim() || failed;
}

function dataFile(): Buffer {
  return readFileSync(join(dataDir, "store", "data.mdb"));
}

describe("a data directory", () => {
  test("is created if missing, with mode 0700", async () => {
    const deeper = join(dataDir, "a", "b");
    await openStore(deeper).close();
    expect((await Bun.file(join(deeper, "store", "data.mdb")).stat()).size).toBeGreaterThan(0);
    expect((await Bun.file(join(deeper, "store")).stat()).mode & 0o077).toBe(0);
  });

  test("is refused when read-only", async () => {
    chmodSync(dataDir, 0o555);
    expect(await inChild("open", isRoot ? { uid: unprivilegedUid } : {})).toMatch(
      /^not-writable: data directory \S+ cannot be written \(.*permission denied.*\)$/,
    );
  });

  test("is refused when its store is read-only", async () => {
    await openStore(dataDir).close();
    const before = dataFile();
    for (const [name, mode] of [
      ["store/data.mdb", 0o444],
      ["store/lock.mdb", 0o444],
      ["store", 0o555],
      ["", 0o555],
    ] as const)
      chmodSync(join(dataDir, name), mode);
    expect(await inChild("open", isRoot ? { uid: unprivilegedUid } : {})).toMatch(/^not-writable: /);
    expect(dataFile().equals(before)).toBe(true);
    chmodSync(join(dataDir, "store"), 0o700);
  });

  test("is refused when it is a file", () => {
    writeFileSync(join(dataDir, "file"), "");
    expect(() => openStore(join(dataDir, "file"))).toThrow("cannot be written");
  });

  test("is refused at start when the disk is full", async () => {
    expect(await inChild("open", { fileKibMax: 256 })).toMatch(/^full: data directory \S+ has no room left/);
  });

  test("that fills up later fails only the current change; earlier data stays", async () => {
    expect(await inChild("fill", { fileKibMax: 2_048 })).toMatch(/^full: /);
    const store = openStore(dataDir);
    const { items } = store.scans.listOfAccount(1, { limit: 100, cursor: null });
    expect(items.length).toBeGreaterThan(3);
    for (const scan of items) expect(scan.status === "failed").toBe(store.evidence.find(scan.token) !== undefined);
    expect(items.filter((scan) => scan.status !== "failed").length).toBe(store.scans.queueLength() + store.scans.runningCount());
    await store.scans.queue({ accountId: 1, url: "https://site.example/", now: new Date() });
    await store.close();
  });

  test("of a newer release is refused", async () => {
    const db = openDatabase(dataDir, { readOnly: false });
    db.meta.putSync("schemaVersion", schemaVersion + 1);
    await db.close();
    const before = dataFile();
    expect(() => openStore(dataDir)).toThrow(`was written by a newer assay (schema ${schemaVersion + 1}, this one knows ${schemaVersion})`);
    expect(dataFile().equals(before)).toBe(true);
  });

  test.each([
    ["with a file of another kind", () => Buffer.alloc(20_000, "not a store")],
    ["with a truncated store", (whole: Buffer) => whole.subarray(0, 4_096)],
    ["with a store of a few bytes", (whole: Buffer) => whole.subarray(0, 10)],
  ])("%s is damaged", async (_words, damage) => {
    await openStore(dataDir).close();
    writeFileSync(join(dataDir, "store", "data.mdb"), damage(dataFile()));
    const before = dataFile();
    expect(await inChild("open")).toMatch(/^damaged: \S+data\.mdb is not a store of assay/);
    expect(dataFile().equals(before)).toBe(true);
  });

  test("without a store cannot be opened read-only", () => {
    expect(() => openStore(dataDir, { readOnly: true })).toThrow(`data directory ${dataDir} has no store yet`);
  });
});

describe("the server's lock", () => {
  test("is exclusive, but does not block other users of the store", async () => {
    const lock = lockDataDir(dataDir);
    expect(() => lockDataDir(dataDir)).toThrow(`data directory ${dataDir} is in use by another assay server`);
    expect(await inChild("open")).toBe("fine");
    lock.release();
    lockDataDir(dataDir).release();
  });

  test("is released when the server is killed, even if a child lives on", async () => {
    const server = Bun.spawn([process.execPath, script, "lock", dataDir], { stdout: "pipe" });
    const { value } = await server.stdout.getReader().read();
    const child = Number(new TextDecoder().decode(value).replace("locked ", ""));
    try {
      expect(() => lockDataDir(dataDir)).toThrow("in use by another");
      server.kill("SIGKILL");
      await server.exited;
      lockDataDir(dataDir).release();
    } finally {
      process.kill(child);
    }
  });
});
