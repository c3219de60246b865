/**
 * Files that are no store are refused before LMDB maps them, and damaged rows are passed over. A damaged page may end the process that meets
 * it: the check in a child process then names the table.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkWholeStore } from "../../../src/doctor/store-examination.ts";
import { openStore } from "../../../src/store/store.ts";
import { checkStoreFile, createStoreFile, transactionOf } from "../../../src/store/store-file.ts";
import { type StoreReport, walkStore } from "../../../src/store/store-walk.ts";
import { type CommandProcess, startCommandProcess } from "../../support/command-process.ts";
import { isFullTest } from "../../support/random-runs.ts";
import { flipped, flipsOf, putStore, storedPageBytes, withDamagedLeaves, writeSmallStore } from "./damaged-store.ts";

/** `TEST_FULL` takes all. `DAMAGE_FLIPS` and `DAMAGE_SEED` choose others. */
const flips = Number(process.env.DAMAGE_FLIPS ?? (isFullTest ? 200 : 50));
const seed = Number(process.env.DAMAGE_SEED ?? 1);

let whole: Buffer;
let dataDir: string;

beforeAll(async () => {
  whole = await writeSmallStore();
});

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-damage-"));
});

afterEach(() => rmSync(dataDir, { recursive: true }));

function storeFile(): string {
  return join(dataDir, "store", "data.mdb");
}

describe("the file of the store", () => {
  let commands: CommandProcess;
  beforeAll(() => {
    commands = startCommandProcess();
  });
  afterAll(() => commands.end());

  test("is sound after an orderly end", () => {
    putStore(dataDir, whole);
    expect(checkStoreFile(storeFile())).toBe("sound");
  });

  test("is found to be damaged after a truncation, and commands refuse it with exit 6 and one sentence", async () => {
    const pages = whole.length / storedPageBytes;
    for (const kept of [2, 3, Math.floor(pages / 4), Math.floor(pages / 2)]) {
      const cut = whole.subarray(0, kept * storedPageBytes);
      putStore(dataDir, cut);
      expect([kept, checkStoreFile(storeFile())]).toEqual([kept, "short"]);
      const { code, stderr } = await commands.run(["user", "list", "--data", dataDir]);
      expect([kept, code, stderr]).toEqual([kept, 6, expect.stringContaining(`assay: ${storeFile()} has lost its end`)]);
      expect(readFileSync(storeFile()).equals(cut)).toBe(true);
    }
  });

  test("that is short because its last pages were freed before they were written is sound", async () => {
    const { open } = await import("lmdb");
    putStore(dataDir, whole);
    const root = open({ path: join(dataDir, "store"), maxDbs: 64 });
    const table = root.openDB<string, string>({ name: "evidence", encoding: "string" });
    root.transactionSync(() => {
      table.put("x", "x".repeat(200_000));
      table.remove("x");
    });
    await root.close();
    const bytes = readFileSync(storeFile()).length;
    expect(checkStoreFile(storeFile())).toBe("short");
    expect(bytes).toBeLessThan(whole.length + 200_000);
    expect((await commands.run(["user", "list", "--data", dataDir])).code).toBe(0);
  });

  test.each([
    ["of zero bytes", () => Buffer.alloc(0), "is empty"],
    ["of another kind", () => Buffer.alloc(20_000, "not a store"), "is not a store of assay"],
    ["with the data version of another LMDB", () => Buffer.from(whole).fill(1, 28, 29), "is not a store of assay"],
    ["whose table has another name", () => renamed("screenshots", "screenshotz"), "has lost a table"],
  ])("%s is refused by every command with exit 6 and one sentence", async (_words, content, words) => {
    putStore(dataDir, content());
    for (const args of [
      ["serve", "--listen", "127.0.0.1:0"],
      ["user", "list"],
    ]) {
      const { code, stderr } = await commands.run([...args, "--data", dataDir]);
      expect([args[0], code, stderr]).toEqual([args[0], 6, expect.stringContaining(`assay: ${storeFile()} ${words}`)]);
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
    expect(readFileSync(storeFile()).equals(content())).toBe(true);
  });

  test("is refused if it is a folder", async () => {
    mkdirSync(storeFile(), { recursive: true });
    expect(await commands.run(["user", "list", "--data", dataDir])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("is not a file"),
    });
  });

  test("is never refused while another process writes", async () => {
    // Until there were enough checks, however fast the other process is.
    for (let checks = 0; checks <= 3; ) {
      const child = Bun.spawn([process.execPath, join(import.meta.dirname, "open-in-child.ts"), "fill", dataDir], { stdout: "ignore" });
      while (child.exitCode === null) {
        if (checkStoreFile(storeFile()) !== "missing") {
          const report = await walkStore(dataDir);
          expect([report?.damagedTables, report?.tables.filter(({ lost }) => lost > 0)]).toEqual([[], []]);
          checks++;
        }
        await Bun.sleep(1);
      }
      expect(child.exitCode).toBe(0);
    }
  });

  test("is created whole: no kill leaves a file that is refused", async () => {
    for (let round = 0; round < 10; round++) {
      const folder = join(dataDir, String(round));
      mkdirSync(folder);
      const child = Bun.spawn([process.execPath, join(import.meta.dirname, "open-in-child.ts"), "open", folder], { stdout: "ignore" });
      await Bun.sleep(60 + round * 10);
      child.kill("SIGKILL");
      await child.exited;
      await openStore(folder).close();
    }
    const file = join(dataDir, "data.mdb");
    createStoreFile(file);
    const before = readFileSync(file);
    createStoreFile(file);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("gets all tables of a new store in one transaction", async () => {
    const transactions = () => transactionOf(storeFile());
    await openStore(dataDir).close();
    // The second one gives the store its id.
    expect(transactions()).toBe(2);
    await openStore(dataDir).close();
    expect(transactions()).toBe(2);
  });
});

test.each(["scans", "accounts", "workers"])("a damaged page of the table %s is found and named", async (table) => {
  putStore(
    dataDir,
    withDamagedLeaves(whole, ({ scans: '"token":"', accounts: '"plan":"', workers: '"slots":' } as Record<string, string>)[table] ?? ""),
  );
  const check = await checkWholeStore(dataDir);
  if (check.status !== "done") throw new Error(`the check ended as ${check.status}`);
  expect(check.report?.damagedTables.map((fault) => fault.table)).toContain(table);
  expect(check.report?.tables.find((one) => one.table === table)?.lost).toBeGreaterThan(0);
});

describe("flipped bits", () => {
  test(`break no list, and the check finds what readers meet (${flips} flips, seed ${seed})`, async () => {
    const wholeFile = join(dataDir, "whole.mdb");
    writeFileSync(wholeFile, whole);
    const outcomes: string[] = [];
    while (outcomes.length < flips) outcomes.push(...(await outcomesFrom(wholeFile, outcomes.length)));
    expect(outcomes).toHaveLength(flips);
    expect(outcomes.filter((outcome) => !/^(opening|reading|writing) (fine|passed-over|damaged|newer|full|died)$/.test(outcome))).toEqual(
      [],
    );
    expect(outcomes.filter((outcome) => / (damaged|died)$/.test(outcome)).length).toBeGreaterThan(flips / 50);
    const all = flipsOf(whole, seed, flips);
    for (const [at, outcome] of outcomes.entries()) {
      const flip = all[at];
      if (flip === undefined || !/^reading (damaged|died)$|passed-over$/.test(outcome)) continue;
      putStore(dataDir, flipped(whole, flip));
      const check = await checkWholeStore(dataDir);
      const isFound = check.status === "died" || (check.status === "done" && hasFault(check.report));
      expect([at, flip, outcome, isFound]).toEqual([at, flip, outcome, true]);
    }
  });
});

/** Outcomes of the flips from one on, until one of them ends the process. */
async function outcomesFrom(wholeFile: string, first: number): Promise<readonly string[]> {
  const script = join(import.meta.dirname, "use-in-child.ts");
  const command = [process.execPath, script, dataDir, wholeFile, String(seed), String(flips), String(first)];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "ignore" });
  const output = await new Response(child.stdout).text();
  await child.exited;
  // A line has the phases so far and, unless the process died, the outcome.
  const lines = output.trimEnd().split("\n");
  const ended = child.signalCode === null ? lines : [...lines.slice(0, -1), `${lines.at(-1)?.trimEnd()} died`];
  return ended.map((line) => line.replace(/^.*?(\w+ (?:broken.*|\S+))$/, "$1"));
}

function hasFault(report: StoreReport | null): boolean {
  return report !== null && (report.damagedTables.length > 0 || report.tables.some(({ lost }) => lost > 0));
}

function renamed(from: string, to: string): Buffer {
  return Buffer.from(Buffer.from(whole).toString("latin1").replaceAll(from, to), "latin1");
}
