/** Group commit on a real LMDB: what arrives together shares a transaction, and each action succeeds or fails on its own. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Db, openDatabase } from "../../../src/store/database.ts";
import { openStore } from "../../../src/store/store.ts";

const script = join(import.meta.dirname, "full-disk-child.ts");

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-group-"));
});

afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

describe("writes of one turn", () => {
  let db: Db;

  beforeEach(() => {
    db = openDatabase(dataDir, { readOnly: false });
  });

  afterEach(() => db.close());

  const transactions = () => (db.screenshots.getStats() as { lastTxnId: number }).lastTxnId;

  test("share one transaction and run in the order of their calls", async () => {
    const before = transactions();
    const numbers = await Promise.all(Array.from({ length: 20 }, () => db.write(() => db.next("nextScanId"))));
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    expect(transactions() - before).toBe(1);
  });

  test("are visible when they resolve, also to an action of the same group", async () => {
    const [, seen] = await Promise.all([db.write(() => db.running.put(7, "seven")), db.write(() => db.running.get(7))]);
    expect(seen).toBe("seven");
    expect(db.running.get(7)).toBe("seven");
  });

  test.each([1, 2, 9])("%d of which throw are rolled back alone", async (failing) => {
    const failed = Array.from({ length: failing }, (_, at) =>
      db.write(() => {
        db.running.put(100 + at, "half done");
        db.next("nextScanId");
        throw new Error(`fails ${at}`);
      }),
    );
    const outcomes = await Promise.allSettled([db.write(() => db.next("nextScanId")), ...failed, db.write(() => db.next("nextScanId"))]);
    expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason.message))).toEqual([
      1,
      ...Array.from({ length: failing }, (_, at) => `fails ${at}`),
      2,
    ]);
    expect([...db.running.getKeys()]).toEqual([]);
  });

  test("one that throws alone is rolled back, and the next one succeeds", async () => {
    const failed = db.write(() => {
      db.running.put(1, "half done");
      throw new Error("fails");
    });
    await expect(failed).rejects.toThrow("fails");
    await db.write(() => db.running.put(2, "two"));
    expect([...db.running.getKeys()]).toEqual([2]);
  });

  test("and one of a later turn are two transactions", async () => {
    const before = transactions();
    await db.write(() => db.running.put(1, "one"));
    await db.write(() => db.running.put(2, "two"));
    expect(transactions() - before).toBe(2);
  });
});

test("closing commits what waits", async () => {
  const db = openDatabase(dataDir, { readOnly: false });
  const written = db.write(() => db.running.put(1, "one"));
  await db.close();
  await written;
  const reopened = openDatabase(dataDir, { readOnly: true });
  expect(reopened.running.get(1)).toBe("one");
  await reopened.close();
});

test("what is acknowledged survives kill -9", async () => {
  const rounds = 5;
  const acknowledgedMin = 40;
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const child = Bun.spawn([process.execPath, join(import.meta.dirname, "queue-in-child.ts"), dataDir], { stdout: "pipe" });
    const killAfter = acknowledgedMin + Math.floor(Math.random() * acknowledgedMin);
    let text = "";
    for await (const chunk of child.stdout) {
      text += Buffer.from(chunk).toString("latin1");
      if (text.split("\n").length > killAfter) child.kill("SIGKILL");
    }
    acknowledged.push(...text.split("\n").filter((token) => token !== ""));
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(rounds * acknowledgedMin);
  const store = openStore(dataDir);
  expect(acknowledged.filter((token) => store.scans.findByToken(token)?.status !== "queued")).toEqual([]);
  expect(store.scans.queueLength()).toBeGreaterThanOrEqual(acknowledged.length);
  await store.close();
});

describe("on a full disk every action of the group is refused as full, and no acknowledged one is lost", () => {
  async function expectCleanRefusals(folder: string, fileKibMax: number | null): Promise<void> {
    const { acknowledged, refusedAs, groupsRefused } = await fill(folder, fileKibMax);
    expect(refusedAs).toEqual(["full"]);
    expect(groupsRefused).toBe(6);
    expect(acknowledged.length).toBeGreaterThan(100);
    const copy = join(dataDir, "copy");
    cpSync(folder, copy, { recursive: true });
    const store = openStore(copy, { queueMax: 1_000_000 });
    expect(acknowledged.filter((token) => store.scans.findByToken(token)?.status !== "queued")).toEqual([]);
    expect(store.scans.queueLength()).toBe(acknowledged.length);
    expect(await store.scans.queue({ accountId: 1, url: "https://site.example/", now: new Date() })).toMatchObject({ status: "queued" });
    await store.close();
  }

  test.skipIf(!mayMount())("a file system of 4 MB", async () => {
    const folder = join(dataDir, "small");
    mountTmpfs(folder);
    try {
      await expectCleanRefusals(folder, null);
    } finally {
      Bun.spawnSync(["umount", folder]);
    }
  });

  test("a limit of the file size", () => expectCleanRefusals(join(dataDir, "limited"), 2_048));
});

/** Root in a container may not mount. */
function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "assay-mount-"));
  const mounted = mountTmpfs(folder);
  if (mounted) Bun.spawnSync(["umount", folder]);
  rmSync(folder, { recursive: true });
  return mounted;
}

function mountTmpfs(folder: string): boolean {
  return Bun.spawnSync(["sh", "-c", 'mkdir -p "$1" && mount -t tmpfs -o size=4m tmpfs "$1"', "sh", folder], { stderr: "ignore" }).success;
}

async function fill(folder: string, fileKibMax: number | null) {
  const command = [process.execPath, script, folder];
  // With SIGXFSZ ignored, a write beyond the limit fails, as on a full disk.
  const limited = ["bash", "-c", `trap '' XFSZ; ulimit -f ${fileKibMax}; exec "$@"`, "bash", ...command];
  const child = Bun.spawn(fileKibMax === null ? command : limited, { stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(errors);
  return JSON.parse(output) as { acknowledged: string[]; refusedAs: string[]; groupsRefused: number };
}
