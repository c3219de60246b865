/** Commits of one process while others open the same store: LMDB alone would forget some of them. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openEnvironment } from "../../../src/store/environment.ts";

const opener = join(import.meta.dirname, "../../support/environment-opener.ts");
/** A file system without a disk: more commits, and so more of them during an opening. */
const memory = "/dev/shm";
const testMs = 1_000;
const commitsMin = 50;

test.each(["write", "read"])("no commit is lost while other processes open the store to %s", async (mode) => {
  const path = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), "assay-environment-"));
  const { root, commit, close } = openEnvironment(path, { mapSize: 2 ** 26 }, (environment) => environment);
  const openers = [1, 2].map(() => Bun.spawn([process.execPath, opener, path, mode], { stdout: "pipe", stderr: "inherit" }));
  await Promise.all(openers.map(({ stdout }) => stdout.getReader().read()));
  let commits = 0;
  const lost: number[] = [];
  for (const begunMs = performance.now(); performance.now() - begunMs < testMs || commits < commitsMin; ) {
    commit(() =>
      root.transactionSync(() => {
        if (commits > 0 && root.get("count") !== commits) lost.push(commits);
        root.putSync("count", ++commits);
      }),
    );
    if (commits % 8 === 0) await new Promise(setImmediate);
  }
  for (const child of openers) child.kill("SIGKILL");
  await Promise.all(openers.map(({ exited }) => exited));
  expect(lost).toEqual([]);
  await close();
  rmSync(path, { recursive: true, force: true });
});
