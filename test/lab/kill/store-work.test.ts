/** Retention, compaction, deletion and migration that are killed at random instants: the next start is sound, and each of them ends. */
import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { open } from "lmdb";
import { describe, expect, test } from "vitest";
import { openStore, type Store } from "../../../src/store/store.ts";
import { type ScanOfSchema1, writeSchema1 } from "../../integration/store/schema-1.ts";
import { compiledBinary, skippedNote } from "../../support/binary.ts";
import { pixelJpeg, storeSite } from "../../support/finished-scans.ts";
import { serve } from "../../support/program.ts";
import { emptyResult } from "../../support/stored.ts";
import { tablesOf, unfinishedIn } from "../operate/operated.ts";
import { openKiller, rounds, runsPerRoundMax, seed, tallyOf, testMsMax } from "./killing.ts";

const old = new Date(Date.now() - 40 * 86_400_000);
const email = "gone@assay.test";
/** Scans whose evidence retention removes, which takes about as long as the start of a server. */
const retainedScans = 400;
/** Milliseconds within which the first servers are killed. Later ones depend on what was left. */
const retentionMs = 1_200;
/** A server makes up for an erasure before it is ready, within a second on an idle machine. */
const erasureMsMax = 60_000;
const pollMs = 50;
/** A server without a browser, which works on its store alone. */
const quietServer = { ASSAY_LISTEN: "127.0.0.1:0", ASSAY_BROWSER_PATH: "/bin/false" };
/** Tables that no command of these tests changes without removing scans. */
const dataTables = ["scans", "results", "evidence", "screenshots", "publicScans", "accounts", "scansByAccount", "ownScans"];

describe.skipIf(compiledBinary === null)(`kill -9${skippedNote}, seed ${seed}`, () => {
  const { installation, random, killed, killOften, durationOf, expectSound } = openKiller();

  async function withStore<T>(data: string, action: (store: Store) => Promise<T> | T): Promise<T> {
    const store = openStore(data);
    try {
      return await action(store);
    } finally {
      await store.close();
    }
  }

  async function filled(name: string, scans: number): Promise<string> {
    const data = installation().newFolder(name);
    await withStore(data, async (store) => {
      await store.accounts.create({ email: "first@assay.test", now: old });
      await store.accounts.create({ email, now: old });
      for (let at = 0; at < scans; at++)
        await storeSite(store, "silent", { at: old, accountId: 2, screenshot: at % 4 === 0 ? pixelJpeg : null });
    });
    return data;
  }

  function copyData(from: string, to: string): void {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true });
  }

  const contentOf = async (data: string) => (await tablesOf(data)).filter(({ table }) => dataTables.includes(table));

  test(
    "compaction: leaves the old file or the new one, with every row",
    async () => {
      const tally = tallyOf("compaction", "kills", "ended before", "left half done");
      const data = await filled("compacted", 150);
      const before = await contentOf(data);
      const args = ["data", "compact", "--data", data];
      const withinMs = await durationOf(args);
      const after = async () => {
        if (unfinishedIn(data).length > 0) tally.add("left half done");
        expect(await contentOf(data)).toEqual(before);
        await expectSound(data);
      };
      await killOften(() => args, { tally, withinMs, after });
      await durationOf(args);
      expect(await contentOf(data)).toEqual(before);
      expect(unfinishedIn(data)).toEqual([]);
      tally.print();
    },
    testMsMax,
  );

  test(
    "retention: leaves each scan with its evidence, or with the note that it was removed",
    async () => {
      const tally = tallyOf("retention", "kills", "ended before", "left half done");
      const written = await filled("retained", retainedScans);
      const data = join(installation().folder, "retained-copy");
      let before = 0;
      let withinMs = retentionMs;
      // An instant within the removal is not certain.
      for (let run = 0; tally.count("kills") < rounds || tally.count("left half done") === 0; run++) {
        expect(run).toBeLessThan(rounds * runsPerRoundMax);
        if (before === 0) {
          copyData(written, data);
          before = retainedScans;
        }
        await killed(["serve", "--data", data], random() * withinMs, { ...quietServer, ASSAY_RETENTION_EVIDENCE_DAYS: "30" });
        await expectSound(data);
        const left = await withStore(data, evidenceLeft);
        expect(left).toBeLessThanOrEqual(before);
        tally.add(left === 0 ? "ended before" : "kills");
        if (left > 0 && left < before) tally.add("left half done");
        withinMs *= left === 0 ? 0.9 : 1.02;
        before = left;
        expect((await contentOf(data)).find(({ table }) => table === "results")?.rows).toBe(retainedScans);
        expect(unfinishedIn(data)).toEqual([]);
      }
      tally.print();
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
    "erasure: is made up for by the next start, which leaves nothing",
    async () => {
      const tally = tallyOf("erasure", "kills", "ended before", "left half done");
      const data = await filled("deleted", 120);
      const copy = join(installation().folder, "deleted-copy");
      const args = ["data", "delete", "--account", email, "--yes", "--data", copy];
      copyData(data, copy);
      const withinMs = await durationOf(args);
      const after = async () => {
        await expectSound(copy);
        const isBegun = existsSync(join(copy, "deletions"));
        if (isBegun && (await withStore(copy, ({ accounts }) => accounts.findByEmail(email) !== undefined))) tally.add("left half done");
        if (isBegun) await untilErased(copy);
        expect(await withStore(copy, rowsLeft)).toBe(isBegun ? 0 : 121);
        await expectSound(copy);
        expect(unfinishedIn(copy)).toEqual([]);
      };
      const begins = () => existsSync(join(copy, "deletions"));
      await killOften(() => args, { tally, withinMs, before: async () => copyData(data, copy), begins, after });
      expect(tally.count("left half done")).toBeGreaterThan(0);
      tally.print();
    },
    testMsMax,
  );

  /** Starts the server, and ends it in order once nothing is left. @throws Error with its log if something stays */
  async function untilErased(data: string): Promise<void> {
    const server = await serve(["--data", data], { command: installation().command, cwd: installation().folder, env: quietServer });
    const deadline = performance.now() + erasureMsMax;
    for (let left = 1; left > 0; left = await withStore(data, rowsLeft)) {
      if (performance.now() > deadline) throw new Error(`${left} rows are left after ${erasureMsMax} ms: ${server.stderr()}`);
      await Bun.sleep(pollMs);
    }
    expect(await server.end("SIGTERM")).toBe(0);
  }

  async function schemaOf(data: string): Promise<number | undefined> {
    const root = open({ path: join(data, "store"), maxDbs: 64, readOnly: true });
    const schema = root.openDB<number, string>({ name: "meta" }).get("schemaVersion");
    await root.close();
    return schema;
  }

  const rowsLeft = ({ accounts, publicScans }: Store): number =>
    Number(accounts.findByEmail(email) !== undefined) + publicScans.list({ limit: 1_000, cursor: null }).items.length;

  test(
    "migration: leaves the old schema or the new one",
    async () => {
      const tally = tallyOf("migration", "kills", "ended before", "left the old schema");
      const scans = Array.from({ length: 3_000 }, (_none, at): ScanOfSchema1 => {
        const token = String(at).padStart(22, "a");
        return { token, url: `https://host-${at % 50}.example/`, status: "finished", result: emptyResult };
      });
      const written = installation().newFolder("written");
      await writeSchema1(written, scans, "none");
      const data = join(installation().folder, "migrated");
      const before = async () => copyData(written, data);
      const after = async () => {
        if ((await schemaOf(data)) === 1) tally.add("left the old schema");
        expect((await installation().assay(["user", "list", "--data", data])).code).toBe(0);
        await expectSound(data);
        expect(await withStore(data, ({ publicScans }) => publicScans.list({ limit: 5_000, cursor: null }).items.length)).toBe(3_000);
        expect(readdirSync(data).filter((name) => name.startsWith("."))).toEqual([]);
      };
      await before();
      const args = ["user", "list", "--data", data];
      await killOften(() => args, { tally, withinMs: await durationOf(args), before, after });
      tally.print();
    },
    testMsMax,
  );
});
