/** Compaction: every row is kept, the file shrinks, and a store that is used, damaged or missing is refused unchanged. */
import { chownSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compactStore } from "../../../src/store/compact-store.ts";
import { addDeletion, deletionsName } from "../../../src/store/deletions-file.ts";
import { lockDataDir } from "../../../src/store/lock.ts";
import { openStore } from "../../../src/store/store.ts";
import { storeFileOf } from "../../../src/store/store-file.ts";
import { walkStore } from "../../../src/store/store-walk.ts";
import { removeDueEvidence } from "../../support/evidence-removal.ts";
import { storeSite } from "../../support/finished-scans.ts";
import { rootIsMissing } from "../../support/missing.ts";
import { withDamagedLeaves } from "./damaged-store.ts";

let dataDir: string;

/** Empty for a file that is closed by now. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-compact-"));
  const store = openStore(dataDir);
  await store.accounts.create({ email: "me@assay.test", now: new Date() });
  for (let at = 0; at < 12; at++)
    await storeSite(store, "sound", {
      at: new Date(Date.now() - 40 * 86_400_000),
      accountId: 1,
      screenshot: new Uint8Array(300_000).fill(at),
    });
  await store.scans.queue({ accountId: 1, url: "https://waits.test/", now: new Date() });
  const rules = { evidenceDays: 30, scansPerHost: null, screenshots: 100 };
  await removeDueEvidence(store, rules, new Date());
  await store.close();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const contentOf = async () => (await walkStore(dataDir, () => {}))?.tables;
/** Files below the folder that this process has open. */
const openFiles = () =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    const path = linkOf(join("/proc/self/fd", fd));
    return path.startsWith(dataDir) ? [path] : [];
  });
const leftovers = () => readdirSync(dataDir).filter((name) => name.startsWith("."));

describe("compaction", () => {
  test("keeps every row of every table and gives the free pages back", async () => {
    const before = await contentOf();
    const { bytesBefore, bytesAfter } = await compactStore(dataDir);
    expect(bytesAfter).toBeLessThan(bytesBefore / 4);
    expect(statSync(storeFileOf(dataDir)).size).toBe(bytesAfter);
    expect(statSync(storeFileOf(dataDir)).mode & 0o777).toBe(0o600);
    expect(await contentOf()).toEqual(before);
    expect(before?.find(({ table }) => table === "scans")?.rows).toBe(13);
    expect([leftovers(), openFiles()]).toEqual([[], []]);
    const store = openStore(dataDir);
    expect([store.scans.queueLength(), store.publicScans.list({ limit: 20, cursor: null }).items.length]).toEqual([1, 12]);
    await storeSite(store, "bare", { at: new Date(), location: "berlin" });
    expect(store.publicScans.list({ limit: 20, cursor: null }).items).toHaveLength(13);
    await store.close();
  });

  test.skipIf(rootIsMissing())("leaves the files to the user of the server if root runs it", async () => {
    const [user, group] = [12_345, 12_346];
    for (const path of [dataDir, storeFileOf(dataDir)]) chownSync(path, user, group);
    await compactStore(dataDir);
    addDeletion(dataDir, { id: "i", at: new Date().toISOString(), kind: "host", reference: "r", accountId: null, withSubdomains: false });
    for (const path of [storeFileOf(dataDir), join(dataDir, deletionsName)]) {
      const { uid, gid } = statSync(path);
      expect([uid, gid]).toEqual([user, group]);
    }
  });

  test("refuses a store that a server or another command uses", async () => {
    const before = readFileSync(storeFileOf(dataDir));
    const lock = lockDataDir(dataDir);
    await expect(compactStore(dataDir)).rejects.toThrow("in use by another assay server");
    lock.release();
    const code = `const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, "../../../src/store/store.ts"))});
      openStore(${JSON.stringify(dataDir)}); process.stdout.write("open"); await new Promise(() => setTimeout(() => {}, 60_000));`;
    const user = Bun.spawn([process.execPath, "-e", code], { stdin: "ignore", stdout: "pipe" });
    await user.stdout.getReader().read();
    await expect(compactStore(dataDir)).rejects.toThrow("another command used the store");
    user.kill("SIGKILL");
    await user.exited;
    expect(readFileSync(storeFileOf(dataDir)).equals(before)).toBe(true);
  });

  test("refuses a damaged store, and a folder without one", async () => {
    const whole = readFileSync(storeFileOf(dataDir));
    writeFileSync(storeFileOf(dataDir), withDamagedLeaves(whole, '"token":"'));
    await expect(compactStore(dataDir)).rejects.toThrow("assay doctor --store");
    await expect(compactStore(join(dataDir, "none"))).rejects.toThrow("has no store yet");
  });
});
