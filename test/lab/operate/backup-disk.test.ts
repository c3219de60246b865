/** Full disks, as small file systems in memory: a whole backup or one clear sentence, no rest, and a server that goes on. */
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compiledBinary, skippedNote } from "../../support/binary.ts";
import { rootIsMissing } from "../../support/missing.ts";
import { endServers, serve } from "../../support/program.ts";
import { fillStore, type Installation, installed, unfinishedIn } from "./operated.ts";

const testMsMax = 120_000;
const scans = 30;
/** Bytes of that many scans with their screenshots, about. */
const storeBytes = scans * 450_000;

describe.skipIf(compiledBinary === null || rootIsMissing())(`a full disk${skippedNote}`, () => {
  let installation: Installation;
  const mounted: string[] = [];

  beforeEach(() => {
    installation = installed();
  });
  afterEach(async () => {
    await endServers();
    for (const folder of mounted.splice(0)) expect(Bun.spawnSync(["umount", "--lazy", folder]).exitCode).toBe(0);
    installation.remove();
  });

  function smallDisk(name: string, bytes: number): string {
    const folder = installation.newFolder(name);
    expect(Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]).exitCode).toBe(0);
    mounted.push(folder);
    return folder;
  }

  /** Leaves so many bytes free. */
  function fill(folder: string, leaving: number): void {
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(join(folder, "filler"), new Uint8Array(Math.max(0, bavail * bsize - leaving)));
  }

  test.each([
    ["before it begins", 0.02],
    ["while the store is copied", 0.5],
    ["while the archive is written", 1.4],
  ])(
    "of the backups ends a backup %s",
    async (_, share) => {
      const data = installation.newFolder("data");
      await fillStore(data, scans);
      const disk = smallDisk("disk", storeBytes * 3);
      fill(disk, storeBytes * share);
      const made = await installation.assay(["backup", "create", "--data", data], { ASSAY_BACKUP_DIR: disk });
      expect([made.code, made.stdout]).toEqual([6, ""]);
      expect(made.stderr).toMatch(/^assay: .*(no room|its disk is full)/);
      expect(made.stderr.trim().split("\n").length).toBe(1);
      expect(unfinishedIn(disk)).toEqual([]);
      rmSync(join(disk, "filler"));
      expect((await installation.assay(["backup", "create", "--data", data], { ASSAY_BACKUP_DIR: disk })).code).toBe(0);
    },
    testMsMax,
  );

  test.each([2, 2.5])(
    "that the server shares, of %d times its store, leaves it what it needs",
    async (times) => {
      const disk = smallDisk("disk", storeBytes * times);
      const data = join(disk, "data");
      mkdirSync(data);
      await fillStore(data, scans);
      const server = await serve(["--data", data, "--browser-path", "/nonexistent"], {
        command: installation.command,
        cwd: installation.folder,
      });
      const made = installation.assay(["backup", "create", "--data", data]);
      const statuses = new Set<number>();
      let isDone = false;
      void made.then(() => {
        isDone = true;
      });
      while (!isDone) {
        statuses.add((await fetch(`${server.url}/scans`)).status);
        const health: { readonly disk?: unknown } = await (await fetch(`${server.url}/readyz`)).json();
        expect(JSON.stringify(health)).not.toContain("disk is full");
        await Bun.sleep(5);
      }
      expect((await made).code).toBe(6);
      expect([...statuses]).toEqual([200]);
      const added = await installation.assay(["user", "create", "new@assay.test", "--data", data]);
      expect(added.code).toBe(0);
      expect(await server.end("SIGTERM")).toBe(0);
    },
    testMsMax,
  );

  test(
    "ends a restore before anything takes its place",
    async () => {
      const data = installation.newFolder("data");
      await fillStore(data, scans);
      const archive = join(installation.folder, "a.tar.zst");
      expect((await installation.assay(["backup", "create", "--out", archive, "--data", data])).code).toBe(0);
      const disk = smallDisk("disk", storeBytes / 2);
      const restored = await installation.assay(["restore", archive, "--data", join(disk, "data")]);
      expect([restored.code, restored.stderr]).toEqual([6, expect.stringContaining("has no room")]);
      expect([...new Bun.Glob("**").scanSync({ cwd: disk, dot: true, onlyFiles: false })]).toEqual([]);
      const verified = await installation.assay(["backup", "verify", archive, "--work", disk]);
      expect([verified.code, verified.stderr]).toEqual([6, expect.stringContaining("has no room")]);
      const whole = smallDisk("whole", storeBytes * 4);
      expect((await installation.assay(["restore", archive, "--data", whole])).code).toBe(0);
    },
    testMsMax,
  );
});
