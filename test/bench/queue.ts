/** Measures claims and positions while very many scans wait, beside a queue with one scan in each lane. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localLocation } from "../../src/parse/location.ts";
import { openDatabase } from "../../src/store/database.ts";
import { appendToLane, laneNames } from "../../src/store/queue.ts";
import { openStore } from "../../src/store/store.ts";
import type { Row } from "./report.ts";
import { type Spread, spreadOf } from "./spread.ts";

const waitingMany = 100_000;
const positionUsMax = 100;
const positionsPerRound = 200;
const claims = 50;
const now = new Date();

interface Costs {
  readonly claimMs: Spread;
  readonly positionUs: Spread;
}

export async function benchQueue({ rounds }: { readonly rounds: number }): Promise<readonly Row[]> {
  const many = await costsOf(waitingMany, rounds);
  const few = await costsOf(2 * claims, rounds);
  const isMet = many.positionUs.median <= positionUsMax;
  return [
    { name: `claim, ${waitingMany} scans wait`, unit: "ms", measured: many.claimMs, baseline: few.claimMs },
    {
      name: `position, ${waitingMany} scans wait`,
      unit: "us",
      measured: many.positionUs,
      baseline: few.positionUs,
      target: { text: `at most ${positionUsMax} us`, met: isMet },
      note: `the baseline is a queue of ${2 * claims} scans`,
    },
  ];
}

async function costsOf(waiting: number, rounds: number): Promise<Costs> {
  const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-queue-"));
  try {
    const tokens = await fillQueue(dataDir, waiting);
    const store = openStore(dataDir);
    const [claimMs, positionUs]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const startMs = performance.now();
      for (let at = 0; at < positionsPerRound; at++) store.scans.queuePosition(tokens[(at * 7_919) % tokens.length] ?? "");
      positionUs.push(((performance.now() - startMs) * 1_000) / positionsPerRound);
    }
    for (let at = 0; at < claims; at++) {
      const startMs = performance.now();
      if ((await store.scans.claimNext("local", now)) === undefined) throw new Error("nothing to claim");
      claimMs.push(performance.now() - startMs);
    }
    await store.close();
    return { claimMs: spreadOf(claimMs), positionUs: spreadOf(positionUs) };
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

/** The lanes take turns. */
async function fillQueue(dataDir: string, waiting: number): Promise<readonly string[]> {
  const store = openStore(dataDir);
  const scan = await store.scans.queue({ accountId: null, url: "https://site.example/", now });
  if (scan === "full") throw new Error("an empty queue is full");
  await store.close();
  const db = openDatabase(dataDir, { readOnly: false });
  const tokens = await db.write(() =>
    Array.from({ length: waiting - 1 }, (_, at) => {
      const token = String(at).padStart(scan.token.length, "a");
      const queueKey = appendToLane(db, [localLocation, laneNames[at % laneNames.length] ?? "free"]);
      db.scans.put(token, { ...scan, token, id: db.next("nextScanId"), queueKey });
      return token;
    }),
  );
  await db.close();
  return tokens;
}
