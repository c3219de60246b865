/** Backups and restores that are killed at random instants: no archive and no store that is not whole, and no rest after the next run. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomFrom } from "../../integration/store/damaged-store.ts";
import { compiledBinary, skippedNote } from "../../support/binary.ts";
import { fillStore, type Installation, installed, tablesOf, unfinishedIn } from "./operated.ts";

/** Kills that come before the end of the command. */
const kills = Number(process.env.OPERATE_KILLS ?? 20);
/** After a command that ended before its kill, the next kill comes earlier. */
const haste = 0.9;
const seed = Number(process.env.OPERATE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const scans = 80;
const testMsMax = 600_000;

describe.skipIf(compiledBinary === null)(`kill -9${skippedNote}, seed ${seed}`, () => {
  let installation: Installation;
  let data: string;
  let archive: string;
  const random = randomFrom(seed);

  beforeAll(async () => {
    installation = installed();
    data = installation.newFolder("data");
    await fillStore(data, scans);
    archive = join(installation.folder, "whole.tar.zst");
    expect((await installation.assay(["backup", "create", "--out", archive, "--data", data])).code).toBe(0);
  }, testMsMax);
  afterAll(() => installation?.remove());

  /** True if the command had ended before. */
  async function killed(args: readonly string[], afterMs: number): Promise<boolean> {
    const child = Bun.spawn([...installation.command, ...args], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      cwd: installation.folder,
    });
    await Promise.race([child.exited, Bun.sleep(afterMs)]);
    const hasEnded = child.exitCode !== null;
    child.kill("SIGKILL");
    await child.exited;
    return hasEnded;
  }

  /** Milliseconds of the command when nothing disturbs it. */
  async function durationOf(args: readonly string[]): Promise<number> {
    const began = performance.now();
    expect((await installation.assay(args)).code).toBe(0);
    return performance.now() - began;
  }

  test(
    "of a backup leaves a whole archive or none, and the next backup removes the rest",
    async () => {
      const folder = installation.newFolder("backups");
      const args = (name: string) => ["backup", "create", "--out", join(folder, name), "--data", data];
      let ms = await durationOf(args("first"));
      let interrupted = 0;
      for (let round = 0; interrupted < kills; round++) {
        const name = `killed-${round}`;
        if (await killed(args(name), random() * ms)) ms *= haste;
        else interrupted++;
        if (existsSync(join(folder, name))) expect((await installation.assay(["backup", "verify", join(folder, name)])).code).toBe(0);
      }
      expect((await installation.assay(args("last"))).code).toBe(0);
      expect(unfinishedIn(folder)).toEqual([]);
      expect((await installation.assay(["doctor", "--store", "--data", data])).code).toBe(0);
    },
    testMsMax,
  );

  test(
    "of a restore leaves a whole store or none, and the next restore begins anew",
    async () => {
      const expected = await tablesOf(data);
      const args = (dataDir: string) => ["restore", archive, "--data", dataDir];
      let ms = await durationOf(args(join(installation.folder, "undisturbed")));
      let interrupted = 0;
      for (let round = 0; interrupted < kills; round++) {
        const dataDir = join(installation.folder, `killed-${round}`);
        await killed(args(dataDir), random() * ms);
        const isRestored = existsSync(join(dataDir, "store/data.mdb"));
        if (isRestored) ms *= haste;
        if (!isRestored) {
          interrupted++;
          // Without its store, the directory is no new one for any command.
          const made = await installation.assay(["user", "create", "new@assay.test", "--data", dataDir]);
          if (existsSync(dataDir) && unfinishedIn(dataDir).length > 0)
            expect([made.code, made.stderr]).toEqual([6, expect.stringContaining("half restored")]);
          else await removeNew(dataDir);
          expect((await installation.assay(args(dataDir))).code).toBe(0);
        }
        expect(await tablesOf(dataDir)).toEqual(expected);
        expect(readdirSync(dataDir).filter((name) => !name.startsWith(".assay-"))).toEqual(expect.arrayContaining(["store"]));
        if (!isRestored) expect(unfinishedIn(dataDir)).toEqual([]);
      }
    },
    testMsMax,
  );

  /** The restore was killed before it began: the command above made a new store. */
  async function removeNew(dataDir: string): Promise<void> {
    await Bun.$`rm -rf ${dataDir}`.quiet();
  }
});
