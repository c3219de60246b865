/** The check of the whole store: after an unclean end only, in a child process whose death names the damage. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkWholeStore } from "../../../src/doctor/store-examination.ts";
import { putStore, storedPageBytes, withDamagedLeaves, writeSmallStore } from "../../integration/store/damaged-store.ts";
import { endServers, processesMentioning, programUnderTest, run, serve } from "../../support/program.ts";

let whole: Buffer;
let dataDir: string;

beforeAll(async () => {
  whole = await writeSmallStore();
});

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-check-"));
});

afterEach(async () => {
  await endServers();
  rmSync(dataDir, { recursive: true });
});
afterAll(endServers);

describe("a server", () => {
  const args = () => ["--data", dataDir, "--browser-path", "/nonexistent"];

  test("checks the whole store after kill -9, and not after an orderly end", async () => {
    const first = await serve(args());
    await first.end("SIGKILL");
    const second = await serve(args());
    expect(second.stderr()).toContain("the whole store is checked");
    expect(await second.end("SIGTERM")).toBe(0);
    const third = await serve(args());
    expect(third.stderr()).not.toContain("checked");
    expect(await third.end("SIGTERM")).toBe(0);
  });

  test("is refused with exit 6 if that finds damage, at every start until the store is replaced", async () => {
    putStore(dataDir, withDamagedLeaves(whole, '"token":"'));
    writeFileSync(join(dataDir, "lock"), "running\n");
    for (const _start of [1, 2]) {
      const { code, stderr } = await run(["serve", "--listen", "127.0.0.1:0", ...args()]);
      expect([code, stderr]).toEqual([6, expect.stringMatching(/assay: data directory \S+ is damaged \(table scans: /)]);
    }
    putStore(dataDir, whole);
    expect((await serve(args())).stderr()).toContain("the whole store is checked");
  });

  test("stopped during the check ends in order, blames nothing, and checks again at the next start", async () => {
    putStore(dataDir, whole);
    writeFileSync(join(dataDir, "lock"), "running\n");
    const [program = "", ...fixed] = programUnderTest;
    // A process group of its own: Ctrl-C and systemd signal the check, too.
    const server = spawn(program, [...fixed, "serve", "--listen", "127.0.0.1:0", ...args()], { detached: true });
    let stderr = "";
    server.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const ended = new Promise((resolve) => server.once("close", resolve));
    while ((await processesMentioning(`store-walk\0${dataDir}`)).length === 0) await Bun.sleep(1);
    process.kill(-Number(server.pid), "SIGINT");
    const code = await ended;
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/damaged|listens/)]);
    expect((await serve(args())).stderr()).toContain("the whole store is checked");
  });

  test("names lost rows and starts", async () => {
    const token = /"token":"(\w{22})"/.exec(whole.toString("latin1"))?.[1] ?? "";
    // Every copy, because pages that are no longer used keep older ones.
    const damaged = Buffer.from(whole.toString("latin1").replaceAll(`{"token":"${token}"`, `("token":"${token}"`), "latin1");
    putStore(dataDir, damaged);
    writeFileSync(join(dataDir, "lock"), "running\n");
    const server = await serve(args(), { env: { ASSAY_LOG_FORMAT: "text" } });
    expect(server.stderr()).toMatch(/rows of the store are lost scans=1/);
    expect((await fetch(`${server.url}/scans`)).status).toBe(200);
  });
});

describe("the check in a child process", () => {
  test("reports tables, rows and pages", async () => {
    putStore(dataDir, whole);
    const tables: string[] = [];
    const percents: number[] = [];
    const check = await checkWholeStore(dataDir, {
      onTable: (table) => tables.push(table),
      onPercent: (percent) => percents.push(percent),
    });
    if (check.status !== "done" || check.report === null) throw new Error(`the check ended as ${check.status}`);
    expect(check.report.tables.find(({ table }) => table === "scans")).toMatchObject({ rows: 40, lost: 0 });
    expect(check.report).toMatchObject({ fileBytes: whole.length, lostRows: [], damagedTables: [] });
    // Long values included, which are most of a store.
    expect(check.report.pages * storedPageBytes).toBeGreaterThan(whole.length / 2);
    expect(tables).toEqual(expect.arrayContaining(["scans", "results", "evidence", "accounts"]));
    expect(percents.at(-1)).toBe(100);
    expect(readFileSync(join(dataDir, "store", "data.mdb")).equals(whole)).toBe(true);
  });

  test("that dies by a signal names the table", async () => {
    const program = ["bash", "-c", `echo '{"table":"evidence"}'; kill -SEGV $$`, "bash"];
    expect(await checkWholeStore(dataDir, { program })).toEqual({ status: "died", signal: "SIGSEGV", table: "evidence" });
  });

  test("that is ended from outside found no damage", async () => {
    const program = ["bash", "-c", `echo '{"table":"evidence"}'; kill -KILL $$`, "bash"];
    expect(await checkWholeStore(dataDir, { program })).toEqual({ status: "failed", because: "SIGKILL ended it in table evidence" });
  });

  test("that hangs ends at its time limit", async () => {
    const program = ["bash", "-c", `echo '{"table":"results"}'; exec sleep 60`, "bash"];
    expect(await checkWholeStore(dataDir, { program, timeoutMs: 500 })).toMatchObject({ status: "timeout", table: "results" });
  });

  test("that cannot start says why", async () => {
    const program = ["bash", "-c", "echo no such thing >&2; exit 3", "bash"];
    expect(await checkWholeStore(dataDir, { program })).toEqual({ status: "failed", because: "no such thing" });
  });
});
