/** Backups that the compiled server makes by itself: on time, with its settings, few of them kept, and none left unfinished by a stop. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { backupName, readBackupState } from "../../../src/backup/backup-folder.ts";
import { compiledBinary, skippedNote } from "../../support/binary.ts";
import { endServers, type ServerUnderTest, serve } from "../../support/program.ts";
import { fillStore, type Installation, installed, unfinishedIn } from "./operated.ts";

const testMsMax = 180_000;
/** The server looks half a minute after its start. */
const lookMsMax = 90_000;

describe.skipIf(compiledBinary === null)(`backup.schedule${skippedNote}`, () => {
  let installation: Installation;
  let data: string;
  let backups: string;

  beforeEach(async () => {
    installation = installed();
    data = installation.newFolder("data");
    backups = installation.newFolder("backups");
    await fillStore(data, 3);
  });
  afterEach(async () => {
    await endServers();
    installation.remove();
  });

  function start(...args: readonly string[]): Promise<ServerUnderTest> {
    return serve(["--data", data, "--browser-path", "/nonexistent", "--log-format", "json", ...args], {
      command: installation.command,
      cwd: installation.folder,
      env: { ASSAY_BACKUP_DIR: backups, ASSAY_BACKUP_SCHEDULE: "24h", ASSAY_BACKUP_KEEP: "2" },
    });
  }

  async function until(isDone: () => boolean, { stderr }: ServerUnderTest): Promise<void> {
    const deadline = Date.now() + lookMsMax;
    while (!isDone()) {
      if (Date.now() > deadline) throw new Error(`it did not happen: ${stderr()}`);
      await Bun.sleep(100);
    }
  }

  test(
    "makes one with the settings of the server, and keeps as many as it may",
    async () => {
      for (const day of [1, 2, 3]) writeFileSync(join(backups, backupName(new Date(Date.UTC(2026, 0, day)))), "old");
      mkdirSync(join(backups, ".assay-backup-killed"));
      const checks = installation.newFolder("plugins");
      writeFileSync(join(checks, "_helper.ts"), "export const helper = 1;\n");
      const server = await start("--checks-dir", checks);
      await until(() => server.stderr().includes('"backup made"'), server);
      const { lastSuccess, lastFailure } = readBackupState(data);
      expect([lastFailure, readdirSync(backups).length, unfinishedIn(backups)]).toEqual([null, 2, []]);
      const verified = await installation.assay(["backup", "verify", "--json", lastSuccess?.archive ?? ""]);
      expect(JSON.parse(verified.stdout).files.map(({ name }: { readonly name: string }) => name)).toContain("outside/checks/_helper.ts");
      expect(await server.end("SIGTERM")).toBe(0);
    },
    testMsMax,
  );

  test(
    "notes why one failed, and goes on serving",
    async () => {
      writeFileSync(join(data, "assay.toml"), "");
      const server = await start();
      writeFileSync(join(data, "assay.toml"), "unknown = 1\n");
      await until(() => server.stderr().includes("the scheduled backup failed"), server);
      expect(readBackupState(data).lastFailure?.because).toContain("unknown setting unknown");
      expect((await fetch(`${server.url}/scans`)).status).toBe(200);
      expect(await server.end("SIGTERM")).toBe(0);
    },
    testMsMax,
  );

  test(
    "is ended by the end of the server, without a rest",
    async () => {
      await fillStore(data, 200);
      const server = await start();
      await until(() => unfinishedIn(backups).length > 0, server);
      expect(await server.end("SIGTERM")).toBe(0);
      expect([unfinishedIn(backups), readdirSync(backups), readBackupState(data).lastFailure]).toEqual([[], [], null]);
    },
    testMsMax,
  );
});
