/** Backups and restores that are killed at random instants: no archive and no store that is not whole, and no rest after the next run. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { compiledBinary, skippedNote } from "../../support/binary.ts";
import { fillStore, tablesOf, unfinishedIn } from "../operate/operated.ts";
import { openKiller, seed, tallyOf, testMsMax } from "./killing.ts";

/** Some ten megabytes of screenshots. */
const scans = 30;

describe.skipIf(compiledBinary === null)(`kill -9${skippedNote}, seed ${seed}`, () => {
  let data: string;
  let archive: string;
  const { installation, killOften, durationOf, expectSound } = openKiller();

  beforeAll(async () => {
    data = installation().newFolder("data");
    await fillStore(data, scans);
    archive = join(installation().folder, "whole.tar.zst");
    expect((await installation().assay(["backup", "create", "--out", archive, "--data", data])).code).toBe(0);
  }, testMsMax);

  test(
    "backup: leaves a whole archive or none, and the next backup removes the rest",
    async () => {
      const tally = tallyOf("backup", "kills", "ended before", "left half done", "archives verified");
      const folder = installation().newFolder("backups");
      const name = "killed";
      const args = ["backup", "create", "--out", join(folder, name), "--data", data];
      const withinMs = await durationOf([...args.slice(0, 3), join(folder, "first"), ...args.slice(4)]);
      const after = async () => {
        if (unfinishedIn(folder).length > 0) tally.add("left half done");
        if (!existsSync(join(folder, name))) return;
        expect((await installation().assay(["backup", "verify", join(folder, name)])).code).toBe(0);
        tally.add("archives verified");
        rmSync(join(folder, name));
      };
      await killOften(() => args, { tally, withinMs, after });
      await durationOf(args);
      expect(unfinishedIn(folder)).toEqual([]);
      expect(readdirSync(folder).toSorted()).toEqual(["first", name]);
      await expectSound(data);
      tally.print();
    },
    testMsMax,
  );

  test(
    "restore: leaves a whole store or none, and the next restore starts from the beginning",
    async () => {
      const tally = tallyOf("restore", "kills", "ended before", "left half done", "whole already");
      const expected = await tablesOf(data);
      const args = (dataDir: string) => ["restore", archive, "--data", dataDir];
      const withinMs = await durationOf(args(join(installation().folder, "undisturbed")));
      const dataDir = join(installation().folder, "restored");
      const before = async () => rmSync(dataDir, { recursive: true, force: true });
      const after = async () => {
        const isRestored = existsSync(join(dataDir, "store/data.mdb"));
        if (isRestored) tally.add("whole already");
        else {
          // Without its store, the directory is no new one for any command.
          const made = await installation().assay(["user", "create", "new@assay.test", "--data", dataDir]);
          if (existsSync(dataDir) && unfinishedIn(dataDir).length > 0) {
            expect([made.code, made.stderr]).toEqual([6, expect.stringContaining("half restored")]);
            tally.add("left half done");
          } // The restore was killed before it began: the command above made a new store.
          else rmSync(dataDir, { recursive: true, force: true });
          await durationOf(args(dataDir));
          expect(unfinishedIn(dataDir)).toEqual([]);
        }
        expect(await tablesOf(dataDir)).toEqual(expected);
        expect(readdirSync(dataDir)).toContain("store");
        await expectSound(dataDir);
      };
      await killOften(() => args(dataDir), { tally, withinMs, before, after });
      tally.print();
    },
    testMsMax,
  );
});
