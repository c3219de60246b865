/** `assay backup` and `assay restore`: output, exit codes, and what a command leaves in the data directory. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readBackupState } from "../../../src/backup/backup-folder.ts";
import { openStore } from "../../../src/store/store.ts";
import { runInProcess } from "../../support/program.ts";

let folder: string;
let data: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "assay-backup-command-"));
  data = join(folder, "data");
  const store = openStore(data, { noSync: true });
  await store.accounts.create({ email: "first@assay.test", now: new Date() });
  await store.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

const assay = (...args: readonly string[]) => runInProcess([...args, "--data", data]);

test("a backup is made, listed, verified and restored", async () => {
  const made = await assay("backup", "create");
  const archive = made.stdout.trim();
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining("1 accounts")]);
  expect(readdirSync(join(data, "backups")).map((name) => join(data, "backups", name))).toEqual([archive]);
  expect(readBackupState(data)).toMatchObject({ lastSuccess: { archive }, lastFailure: null });
  expect((await assay("backup", "list")).stdout).toContain(archive);
  expect(JSON.parse((await assay("backup", "list", "--json")).stdout)).toMatchObject([{ path: archive }]);
  expect(await assay("backup", "verify", archive)).toMatchObject({ code: 0, stdout: `${archive} is whole\n` });
  const elsewhere = join(folder, "elsewhere");
  const restored = await runInProcess(["restore", archive, "--data", elsewhere]);
  expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining(`restored into ${elsewhere}: schema`)]);
  expect((await runInProcess(["user", "list", "--data", elsewhere])).stdout).toContain("first@assay.test");
  const again = await runInProcess(["restore", archive, "--data", elsewhere]);
  expect([again.code, again.stderr]).toEqual([6, expect.stringContaining("is not empty")]);
  expect(await assay("backup", "prune", "--keep", "1")).toMatchObject({ code: 0, stdout: "", stderr: "removed 0 backups\n" });
});

test("a failure is one sentence with exit code 6, and is noted", async () => {
  writeFileSync(join(folder, "file"), "");
  const { code, stdout, stderr } = await assay("backup", "create", "--out", join(folder, "file"));
  expect([code, stdout, stderr]).toEqual([6, "", `assay: ${join(folder, "file")} exists already; name another file, or remove it\n`]);
  expect(readBackupState(data).lastFailure?.because).toContain("exists already");
  expect(await assay("backup", "verify", join(folder, "file"))).toMatchObject({ code: 6, stderr: expect.stringContaining("too short") });
  expect(await runInProcess(["backup", "list", "--data", join(folder, "new")])).toMatchObject({ code: 0, stdout: "" });
  expect(await runInProcess(["backup", "create", "--data", join(folder, "new")])).toMatchObject({ code: 6, stdout: "" });
  expect(readdirSync(folder)).not.toContain("new");
});

test.each([["0"], ["-1"], ["1.5"], ["10001"], ["all"]])("prune keeps no %s backups", async (keep) => {
  expect(await assay("backup", "prune", `--keep=${keep}`)).toMatchObject({ code: 2, stdout: "" });
});
