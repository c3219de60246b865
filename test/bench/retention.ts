/**
 * Simulates 180 days of 500 scans, with evidence kept for 30 of them: what the store grows by, how long requests wait for retention, and
 * how fast lists are at the end and on day 30. Prints the sizes of each thirtieth day.
 */
import { mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayMs } from "../../src/base/units.ts";
import type { Evidence } from "../../src/evidence/evidence.ts";
import { openDatabase } from "../../src/store/database.ts";
import { retentionRepository } from "../../src/store/retention.ts";
import { scanSummaryOf } from "../../src/store/scan-record.ts";
import type { ScanRecord } from "../../src/store/scans.ts";
import { storeFileOf } from "../../src/store/store-file.ts";
import { walkStore } from "../../src/store/store-walk.ts";
import { type KnownScan, knownScans } from "../support/finished-scans.ts";
import { startPages } from "../support/pages.ts";
import type { Row } from "./report.ts";
import { type Spread, spreadOf } from "./spread.ts";

const days = 180;
const scansPerDay = 500;
const rules = { evidenceDays: 30, scansPerHost: null, screenshots: 2_000 };
const sizesEveryDays = 30;
/** From here on, as much evidence goes as comes. */
const steadyFromDay = 60;
const pageBytes = 4_096;
/** Scans of one transaction. */
const batch = 50;
const timings = { page: 1_612, tls: 240, total: 2_340 };
const requests = 200;
/** Longest time of a step beyond a transaction with one small row: what a step adds to a flush to disk. */
const stepMsMax = 5;
/** Small transactions that are measured each day, for comparison. */
const smallWrites = 10;
const listRatioMax = 1.25;
/** Growth above the bytes of the rows that stay: half-full pages, and rows that grew when their evidence went. */
const growthRatioMax = 1.6;

interface Sizes {
  readonly day: number;
  readonly fileBytes: number;
  readonly usedBytes: number;
}

export async function benchRetention(): Promise<readonly Row[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-retention-"));
  try {
    return rowsOf(await simulate(dataDir));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Simulation {
  readonly sizes: readonly Sizes[];
  /** Duration of each step of retention that removed something, its transaction included. */
  readonly stepsMs: readonly number[];
  /** Durations of transactions with one small row. */
  readonly writesMs: readonly number[];
  /** Rows of a scan that stay, as text, on average. */
  readonly keptBytes: number;
  readonly listMs: readonly [day30: Spread, last: Spread];
  readonly hostMs: readonly [day30: Spread, last: Spread];
}

async function simulate(dataDir: string): Promise<Simulation> {
  let db = openDatabase(dataDir, { readOnly: false });
  const begin = Date.parse("2026-01-01T00:00:00Z");
  const [sizes, stepsMs, writesMs]: [Sizes[], number[], number[]] = [[], [], []];
  const lists: Spread[] = [];
  const hosts: Spread[] = [];
  let keptBytes = 0;
  for (let day = 1; day <= days; day++) {
    const now = new Date(begin + day * dayMs);
    for (let at = 0; at < scansPerDay; at += batch)
      await db.write(() => {
        for (let scan = at; scan < at + batch; scan++) keptBytes += putScan(db, hostOfScan(scan, day), now);
      });
    for (let from: string | null = null, isEnd = false; !isEnd; ) {
      const began = performance.now();
      const { next, removed } = await retentionRepository(db).removeEvidence(rules, now, from);
      if (removed > 0) stepsMs.push(performance.now() - began);
      [from, isEnd] = [next, next === null];
    }
    for (let at = 0; at < smallWrites; at++) {
      const began = performance.now();
      await db.write(() => void db.settingsAtStart.put("day", { value: `${day} ${at}` }));
      writesMs.push(performance.now() - began);
    }
    if (day % sizesEveryDays !== 0) continue;
    sizes.push({ day, fileBytes: statSync(storeFileOf(dataDir)).size, usedBytes: ((await walkStore(dataDir))?.pages ?? 0) * pageBytes });
    process.stderr.write(`  day ${day}\n`);
    if (day !== sizesEveryDays && day !== days) continue;
    await db.close();
    // The end of the pages removes their directory.
    const link = `${dataDir}-link`;
    symlinkSync(dataDir, link);
    const pages = await startPages({ dataDir: link });
    lists.push(await requestMs(`${pages.url}/scans`));
    hosts.push(await requestMs(`${pages.url}/hosts/${hostOfScan(7, 1)}`));
    await pages.stop();
    db = openDatabase(dataDir, { readOnly: false });
  }
  await db.close();
  const pair = (spreads: readonly Spread[]) => [spreads[0], spreads[1]] as [Spread, Spread];
  return { sizes, stepsMs, writesMs, keptBytes: keptBytes / (days * scansPerDay), listMs: pair(lists), hostMs: pair(hosts) };
}

/** Each host is scanned for 30 days: the history of one is as long at the end. */
const hostOfScan = (number: number, day: number) => `www.customer-${Math.ceil(day / sizesEveryDays)}-${number}.example.com`;
const recorded: readonly KnownScan[] = Object.values(knownScans);

/** Returns the bytes of the rows that stay. */
function putScan(db: ReturnType<typeof openDatabase>, host: string, now: Date): number {
  const id = db.next("nextScanId");
  const { evidence, result } = recorded[id % recorded.length] ?? knownScans.sound;
  const [token, at] = [String(id).padStart(22, "a"), now.toISOString()];
  const url = `https://${host}/`;
  const scan: ScanRecord = {
    token,
    id,
    accountId: null,
    url,
    status: "finished",
    createdAt: at,
    startedAt: at,
    endedAt: at,
    progressStage: null,
    progressPercent: 100,
    attempts: 1,
    errorCode: null,
    summary: scanSummaryOf(result),
  };
  db.scans.put(token, scan);
  db.results.put(token, result);
  const seen: Evidence = { ...evidence, subject: { ...evidence.subject, url, scannedAt: at } };
  db.evidence.put(token, { evidence: seen, timings });
  return JSON.stringify(scan).length + JSON.stringify(result).length;
}

async function requestMs(url: string): Promise<Spread> {
  const each: number[] = [];
  for (let at = 0; at < requests; at++) {
    const began = performance.now();
    const answer = await fetch(`${url}?rendered=${at}`);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}`);
    each.push(performance.now() - began);
  }
  return spreadOf(each);
}

function rowsOf({ sizes, stepsMs, writesMs, keptBytes, listMs, hostMs }: Simulation): readonly Row[] {
  const steady = sizes.filter(({ day }) => day >= steadyFromDay);
  const [first, last] = [steady[0], steady.at(-1)];
  if (first === undefined || last === undefined) throw new Error("nothing was measured");
  const growth = (last.usedBytes - first.usedBytes) / ((last.day - first.day) * scansPerDay);
  const [steps, writes] = [spreadOf(stepsMs), spreadOf(writesMs)];
  return [
    ...sizes.flatMap(({ day, fileBytes, usedBytes }): Row[] => [
      { name: `store at day ${day}, used`, unit: "MB", measured: spreadOf([usedBytes / 1e6]) },
      { name: `store at day ${day}, file`, unit: "MB", measured: spreadOf([fileBytes / 1e6]) },
    ]),
    {
      name: `growth per scan, day ${first.day} to ${last.day}`,
      unit: "KB",
      measured: spreadOf([growth / 1e3]),
      baseline: spreadOf([keptBytes / 1e3]),
      target: { text: `at most ${growthRatioMax} of what stays`, met: growth <= growthRatioMax * keptBytes },
      note: "the baseline is the record and the result of a scan, as text",
    },
    {
      name: "a step of retention",
      unit: "ms",
      measured: steps,
      baseline: writes,
      target: { text: `at most ${stepMsMax} ms above`, met: steps.median <= writes.median + stepMsMax },
      note: `the baseline is a transaction with one small row; the slowest of ${stepsMs.length} steps took ${Math.max(...stepsMs).toFixed(1)} ms`,
    },
    ...(
      [
        ["list", listMs],
        ["history of a host", hostMs],
      ] as const
    ).map(
      ([name, [day30, end]]): Row => ({
        name: `${name} at day ${days}`,
        unit: "ms",
        measured: end,
        baseline: day30,
        target: { text: `at most ${listRatioMax} of day ${sizesEveryDays}`, met: end.median <= listRatioMax * day30.median },
      }),
    ),
  ];
}
