/** Damaged stores are refused before LMDB maps them, and damaged rows are passed over: no process ends by a signal. */
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readMetaPages } from "../../../src/store/meta-pages.ts";
import { openStore } from "../../../src/store/store.ts";
import { checkStoreFile, createStoreFile } from "../../../src/store/store-file.ts";
import { walkStore } from "../../../src/store/store-walk.ts";
import { type CommandProcess, startCommandProcess } from "../../support/command-process.ts";
import { isFullTest } from "../../support/random-runs.ts";
import { putStore, storedPageBytes, writeSmallStore } from "./damaged-store.ts";

/** `TEST_FULL` takes all, `DAMAGE_FLIPS` sets another number, and `DAMAGE_SEED` repeats a run. */
const flips = Number(process.env.DAMAGE_FLIPS ?? (isFullTest ? 200 : 50));
const seed = Number(process.env.DAMAGE_SEED ?? Math.floor(Math.random() * 2 ** 31));

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

  test("is refused after every truncation at the boundary of a page that is in use", () => {
    const pages = whole.length / storedPageBytes;
    const accepted: number[] = [];
    for (let kept = 0; kept < pages; kept++) {
      putStore(dataDir, whole.subarray(0, kept * storedPageBytes));
      try {
        checkStoreFile(storeFile());
        accepted.push(kept);
      } catch (error) {
        expect(error).toMatchObject({ fault: "damaged" });
      }
    }
    // Free pages at the end of the file hold nothing.
    expect(accepted.length).toBeLessThan(pages / 4);
    for (const kept of accepted) {
      putStore(dataDir, whole.subarray(0, kept * storedPageBytes));
      expect(openStore(dataDir, { readOnly: true }).publicScans.list({ limit: 100, cursor: null }).items).toHaveLength(34);
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
    expect(checkStoreFile(storeFile())).toBe("sound");
    expect(bytes).toBeLessThan(whole.length + 200_000);
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
          const report = await walkStore(dataDir, () => {});
          expect([report?.damagedPages, report?.tables.filter(({ lost }) => lost > 0)]).toEqual([[], []]);
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
    const transactions = () => {
      const file = openSync(storeFile(), "r");
      const metas = readMetaPages(file);
      closeSync(file);
      return metas?.newest.transaction;
    };
    await openStore(dataDir).close();
    // The second one gives the store its id.
    expect(transactions()).toBe(2);
    await openStore(dataDir).close();
    expect(transactions()).toBe(2);
  });
});

describe("flipped bits", () => {
  test(`end no process and break no list (${flips} flips, seed ${seed})`, async () => {
    const wholeFile = join(dataDir, "whole.mdb");
    writeFileSync(wholeFile, whole);
    const script = join(import.meta.dirname, "use-in-child.ts");
    const child = Bun.spawn([process.execPath, script, dataDir, wholeFile, String(seed), String(flips)], {
      stdout: "pipe",
      stderr: "ignore",
    });
    const output = await new Response(child.stdout).text();
    await child.exited;
    expect([child.signalCode, child.exitCode, output.trim().split("\n").at(-1)]).toEqual([null, 0, expect.stringMatching(/ \S+$/)]);
    const outcomes = output.trim().split("\n");
    expect(outcomes.filter((line) => !/ (fine|passed-over|damaged|newer)$/.test(line))).toEqual([]);
    expect(outcomes).toHaveLength(flips);
    expect(outcomes.filter((line) => line.endsWith(" damaged")).length).toBeGreaterThan(flips / 20);
  });
});

function renamed(from: string, to: string): Buffer {
  return Buffer.from(Buffer.from(whole).toString("latin1").replaceAll(from, to), "latin1");
}
