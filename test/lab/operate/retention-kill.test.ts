/** Retention, compaction, deletion and migration that are killed at random instants: the next start is sound, and each of them ends. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore, type Store } from "../../../src/store/store.ts";
import { randomFrom } from "../../integration/store/damaged-store.ts";
import { type ScanOfSchema1, writeSchema1 } from "../../integration/store/schema-1.ts";
import { compiledBinary, skippedNote } from "../../support/binary.ts";
import { pixelJpeg, storeSite } from "../../support/finished-scans.ts";
import { emptyResult } from "../../support/stored.ts";
import { type Installation, installed, tablesOf, unfinishedIn } from "./operated.ts";

const rounds = Number(process.env.OPERATE_ROUNDS ?? 12);
/** Runs for one that is interrupted, at most. Nearly every run is interrupted on an idle machine. */
const runsPerRoundMax = 6;
const seed = Number(process.env.OPERATE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const testMsMax = 600_000;
const old = new Date(Date.now() - 40 * 86_400_000);
const email = "gone@assay.test";
/** Tables that no command of these tests changes without removing scans. */
const dataTables = ["scans", "results", "evidence", "screenshots", "publicScans", "accounts", "scansByAccount", "ownScans"];

interface KillRounds {
  readonly before?: () => Promise<void>;
  readonly after: () => Promise<void>;
}

describe.skipIf(compiledBinary === null)(`kill -9${skippedNote}, seed ${seed}`, () => {
  let installation: Installation;
  const random = randomFrom(seed);

  beforeAll(() => {
    installation = installed();
  });
  afterAll(() => installation?.remove());

  /**
   * Kills the command at random instants until `rounds` runs were interrupted, with `before` and `after` around each run. A run that ends
   * by itself lowers the time within which the next is killed: the first may have been slow because the machine was busy.
   */
  async function killOften(args: readonly string[], firstMs: number, { before, after }: KillRounds): Promise<void> {
    let withinMs = firstMs;
    let interrupted = 0;
    for (let run = 0; interrupted < rounds; run++) {
      expect(run).toBeLessThan(rounds * runsPerRoundMax);
      await before?.();
      const began = performance.now();
      if (await killed(args, random() * withinMs)) interrupted++;
      else withinMs = Math.min(withinMs, performance.now() - began);
      await after();
    }
  }

  /** True if the command was killed before it ended. */
  async function killed(args: readonly string[], afterMs: number, env: Readonly<Record<string, string>> = {}): Promise<boolean> {
    const child = Bun.spawn([...installation.command, ...args], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      cwd: installation.folder,
      env: { ...process.env, ...env },
    });
    await Promise.race([child.exited, Bun.sleep(afterMs)]);
    const hasEnded = child.exitCode !== null;
    child.kill("SIGKILL");
    await child.exited;
    return !hasEnded;
  }

  async function durationOf(args: readonly string[]): Promise<number> {
    const began = performance.now();
    expect((await installation.assay(args)).code).toBe(0);
    return performance.now() - began;
  }

  async function withStore<T>(data: string, action: (store: Store) => Promise<T> | T): Promise<T> {
    const store = openStore(data);
    try {
      return await action(store);
    } finally {
      await store.close();
    }
  }

  async function filled(name: string, scans: number): Promise<string> {
    const data = installation.newFolder(name);
    await withStore(data, async (store) => {
      await store.accounts.create({ email: "first@assay.test", now: old });
      await store.accounts.create({ email, now: old });
      for (let at = 0; at < scans; at++)
        await storeSite(store, "silent", { at: old, accountId: 2, screenshot: at % 4 === 0 ? pixelJpeg : null });
    });
    return data;
  }

  const contentOf = async (data: string) => (await tablesOf(data)).filter(({ table }) => dataTables.includes(table));
  const expectSound = async (data: string) => {
    const { code, stdout, stderr } = await installation.assay(["doctor", "--store", "--data", data]);
    expect([code, code === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
  };

  test(
    "of a compaction leaves the old file or the new one, with every row",
    async () => {
      const data = await filled("compacted", 150);
      const before = await contentOf(data);
      const args = ["data", "compact", "--data", data];
      const ms = await durationOf(args);
      const expectWhole = async () => {
        expect(await contentOf(data)).toEqual(before);
        await expectSound(data);
      };
      await killOften(args, ms, { after: expectWhole });
      await durationOf(args);
      expect(await contentOf(data)).toEqual(before);
      expect(unfinishedIn(data)).toEqual([]);
    },
    testMsMax,
  );

  test(
    "of a server during retention leaves each scan with its evidence, or with the note that it was removed",
    async () => {
      const data = await filled("retained", 400);
      const env = { ASSAY_RETENTION_EVIDENCE_DAYS: "30", ASSAY_LISTEN: "127.0.0.1:0", ASSAY_BROWSER_PATH: "/bin/false" };
      const left: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await killed(["serve", "--data", data], 150 + random() * 900, env);
        await expectSound(data);
        left.push(await withStore(data, (store) => evidenceLeft(store)));
      }
      expect(left.every((count, at) => at === 0 || count <= (left[at - 1] ?? 0))).toBe(true);
      for (let at = 0; at < 60 && (await withStore(data, evidenceLeft)) > 0; at++) await killed(["serve", "--data", data], 3_000, env);
      expect(await withStore(data, evidenceLeft)).toBe(0);
      expect((await contentOf(data)).find(({ table }) => table === "results")?.rows).toBe(400);
    },
    testMsMax,
  );

  /** Number of scans with evidence. @throws Error for a scan that has lost it without a note. */
  function evidenceLeft(store: Store): number {
    const { items } = store.publicScans.list({ limit: 1_000, cursor: null });
    for (const { token, removed } of items)
      if (store.evidence.has(token) === (removed?.evidence !== undefined)) throw new Error(`scan ${token} contradicts itself`);
    return items.filter(({ token }) => store.evidence.has(token)).length;
  }

  test(
    "of a deletion is made up for by the next start, which leaves nothing",
    async () => {
      const data = await filled("deleted", 120);
      const copy = join(installation.folder, "deleted-copy");
      await Bun.$`cp -a ${data} ${copy}`.quiet();
      const ms = await durationOf(["data", "delete", "--account", email, "--yes", "--data", copy]);
      let interrupted = 0;
      for (let round = 0; round < rounds; round++) {
        rmSync(copy, { recursive: true });
        await Bun.$`cp -a ${data} ${copy}`.quiet();
        await killed(["data", "delete", "--account", email, "--yes", "--data", copy], random() * ms);
        await expectSound(copy);
        const isBegun = existsSync(join(copy, "deletions"));
        const env = { ASSAY_LISTEN: "127.0.0.1:0", ASSAY_BROWSER_PATH: "/bin/false" };
        if (isBegun && (await withStore(copy, ({ accounts }) => accounts.findByEmail(email) !== undefined))) interrupted++;
        for (let at = 0; isBegun && at < 20 && (await withStore(copy, rowsLeft)) > 0; at++)
          await killed(["serve", "--data", copy], 3_000, env);
        expect(await withStore(copy, rowsLeft)).toBe(isBegun ? 0 : 121);
        await expectSound(copy);
      }
      expect(interrupted).toBeGreaterThan(0);
    },
    testMsMax,
  );

  const rowsLeft = ({ accounts, publicScans }: Store): number =>
    Number(accounts.findByEmail(email) !== undefined) + publicScans.list({ limit: 1_000, cursor: null }).items.length;

  test(
    "of a migration leaves the old schema or the new one",
    async () => {
      const scans = Array.from({ length: 3_000 }, (_none, at): ScanOfSchema1 => {
        const token = String(at).padStart(22, "a");
        return { token, url: `https://host-${at % 50}.example/`, status: "finished", result: emptyResult };
      });
      const written = installation.newFolder("written");
      await writeSchema1(written, scans, "none");
      const data = join(installation.folder, "migrated");
      const restart = async () => {
        rmSync(data, { recursive: true, force: true });
        await Bun.$`cp -a ${written} ${data}`.quiet();
      };
      const expectMigrated = async () => {
        expect((await installation.assay(["user", "list", "--data", data])).code).toBe(0);
        await expectSound(data);
        expect(await withStore(data, ({ publicScans }) => publicScans.list({ limit: 5_000, cursor: null }).items.length)).toBe(3_000);
        expect(readdirSync(data).filter((name) => name.startsWith("."))).toEqual([]);
      };
      await restart();
      const args = ["user", "list", "--data", data];
      await killOften(args, await durationOf(args), { before: restart, after: expectMigrated });
    },
    testMsMax,
  );
});
