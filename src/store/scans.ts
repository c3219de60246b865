/** Scans, from the queue to the public list: every change of their status is one transaction here. */
import type { Evidence } from "../evidence/evidence.ts";
import type { ProgressStage, Timings } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import type { Db } from "./database.ts";
import { type Page, type PageAsked, pageOf } from "./page.ts";
import { listPublicly } from "./public-list.ts";
import { randomBase62 } from "./random.ts";
import { assertTransition, type ScanStatus } from "./scan-status.ts";
import { keepScreenshot } from "./screenshots.ts";
import { type ScanSummary, summaryOf } from "./summary.ts";

/** 131 bits: a scan's token cannot be guessed. */
const scanTokenChars = 22;
const scanTokenPattern = /^[0-9A-Za-z]{22}$/;
/** Stands in for what cannot be a token; chance never makes it one. */
const noToken = "0".repeat(scanTokenChars);
/** Of the queue, as much as scans for nothing find room in: whoever pays is never kept out by those who need only ask, be it with a new account. */
const freeShare = 0.5;
/** A scan that a stopped process left running is begun once more, and then given up. */
const attemptsMax = 2;

/** A scan as it is stored. All instants are ISO 8601, UTC. */
export interface ScanRecord {
  /** Unguessable; names the scan in every address. */
  readonly token: string;
  /** Rises with every scan of this appliance. */
  readonly id: number;
  /** Null when a guest asked for it: such a scan is in no account's list. */
  readonly accountId: number | null;
  /** In its ASCII form, without fragment. */
  readonly url: string;
  readonly status: ScanStatus;
  readonly createdAt: string;
  /** Start of the latest attempt; null before the first. */
  readonly startedAt: string | null;
  /** When it finished or failed. */
  readonly endedAt: string | null;
  /** Null unless running. */
  readonly progressStage: ProgressStage | null;
  /** 0 to 100; never falls, 100 when finished. */
  readonly progressPercent: number;
  /** How often a worker took it in hand. */
  readonly attempts: number;
  /** Key of the message for a failed scan (`scanErrors` in the locale files); null otherwise. */
  readonly errorCode: string | null;
  /** Null unless finished. */
  readonly summary: ScanSummary | null;
}

export interface ScanRepository {
  /** Puts a scan into the queue, on disk before this resolves; `full` when the queue holds `queueMax` scans, half of that for guests and the plan `free`. The URL is taken as valid. */
  queue(scan: { readonly accountId: number | null; readonly url: string; readonly now: Date }): Promise<ScanRecord | "full">;
  /** Takes the oldest queued scan in hand; undefined when none waits. */
  claimNext(now: Date): Promise<ScanRecord | undefined>;
  /** Says how far a running scan is; a percentage below the stored one leaves that as it is. A scan that no longer runs is left alone. */
  setProgress(token: string, stage: ProgressStage, percent: number): Promise<void>;
  /** Stores what a running scan brought and puts it on the public list. `screenshot`: bytes of a `screenshotType` image, if there is one. */
  finish(
    token: string,
    outcome: {
      readonly result: StoredResult;
      readonly evidence: Evidence;
      readonly timings: Timings;
      readonly screenshot?: Uint8Array | null;
      readonly now: Date;
    },
  ): Promise<ScanRecord>;
  /** Ends a running scan with the code of its reason, and with whatever evidence there is. */
  fail(
    token: string,
    outcome: { readonly code: string; readonly evidence: Evidence | null; readonly timings: Timings; readonly now: Date },
  ): Promise<ScanRecord>;
  /**
   * Puts every scan that a former process left running back where it stood in the queue; its second time it fails with
   * the code `interrupted` instead. To be called once, before the first claim.
   */
  requeueInterrupted(now: Date): Promise<readonly ScanRecord[]>;
  /** Undefined for an unknown token of whatever shape. */
  findByToken(token: string): ScanRecord | undefined;
  /** The account's own scan of that token. Unknown, foreign and misshapen tokens cost the same single lookup, so that time tells nobody which it was. */
  findOfAccount(accountId: number, token: string): ScanRecord | undefined;
  /** An account's scans, newest first. */
  listOfAccount(accountId: number, page: PageAsked): Page<ScanRecord>;
  /** How many scans wait. */
  queueLength(): number;
  /** Where a scan stands in the queue, 1 when it is the next; null when it does not wait. */
  queuePosition(token: string): number | null;
  /** The scans that are next, in their order. */
  listWaiting(limit: number): readonly ScanRecord[];
  /** How many scans a worker has in hand. */
  runningCount(): number;
  /** The scans that a worker has in hand, oldest first. */
  listRunning(): readonly ScanRecord[];
}

export function scanRepository(db: Db, { queueMax }: { readonly queueMax: number }): ScanRepository {
  const scanByToken = (token: string) => (scanTokenPattern.test(token) ? db.scans.get(token) : undefined);
  const scansOf = (tokens: Iterable<string>) => [...tokens].flatMap((token) => scanByToken(token) ?? []);

  /** Moves a scan along the transition table; only within a transaction. */
  function move(token: string, to: ScanStatus, change: Partial<ScanRecord>): ScanRecord {
    const scan = scanByToken(token);
    if (scan === undefined) throw new Error(`no scan has the token ${token}`);
    assertTransition(scan.status, to);
    const moved: ScanRecord = { ...scan, progressStage: null, ...change, status: to };
    db.scans.put(token, moved);
    if (scan.status === "running") db.running.remove(scan.id);
    return moved;
  }

  function fail(token: string, code: string, now: Date): ScanRecord {
    return move(token, "failed", { errorCode: code, endedAt: now.toISOString() });
  }

  function requeue(token: string, now: Date): ScanRecord {
    if ((scanByToken(token)?.attempts ?? 0) >= attemptsMax) return fail(token, "interrupted", now);
    const scan = move(token, "queued", {});
    db.queue.put(scan.id, token);
    return scan;
  }

  return {
    queue: ({ accountId, url, now }) =>
      db.write(() => {
        const isFree = accountId === null || db.accounts.get(accountId)?.plan === "free";
        const waitingMax = isFree ? Math.ceil(queueMax * freeShare) : queueMax;
        if (db.queue.getCount({ limit: waitingMax }) >= waitingMax) return "full";
        const scan: ScanRecord = {
          token: randomBase62(scanTokenChars),
          id: db.next("nextScanId"),
          accountId,
          url,
          status: "queued",
          createdAt: now.toISOString(),
          startedAt: null,
          endedAt: null,
          progressStage: null,
          progressPercent: 0,
          attempts: 0,
          errorCode: null,
          summary: null,
        };
        db.scans.put(scan.token, scan);
        db.queue.put(scan.id, scan.token);
        if (accountId === null) return scan;
        db.scansByAccount.put([accountId, scan.id], scan.token);
        db.ownScans.put([accountId, scan.token], scan.id);
        return scan;
      }),

    claimNext: (now) =>
      db.write(() => {
        const [oldest] = db.queue.getRange({ limit: 1 });
        if (oldest === undefined) return undefined;
        db.queue.remove(oldest.key);
        db.running.put(oldest.key, oldest.value);
        const attempts = (scanByToken(oldest.value)?.attempts ?? 0) + 1;
        return move(oldest.value, "running", { startedAt: now.toISOString(), attempts });
      }),

    setProgress: (token, stage, percent) =>
      db.write(() => {
        const scan = scanByToken(token);
        if (scan?.status !== "running") return;
        db.scans.put(token, { ...scan, progressStage: stage, progressPercent: Math.max(scan.progressPercent, percent) });
      }),

    finish: (token, { result, evidence, timings, screenshot = null, now }) =>
      db.write(() => {
        const scan = move(token, "finished", { progressPercent: 100, endedAt: now.toISOString(), summary: summaryOf(result) });
        db.results.put(token, result);
        db.evidence.put(token, { evidence, timings });
        if (screenshot !== null) keepScreenshot(db, scan.id, screenshot);
        listPublicly(db, scan);
        return scan;
      }),

    fail: (token, { code, evidence, timings, now }) =>
      db.write(() => {
        const scan = fail(token, code, now);
        if (evidence !== null) db.evidence.put(token, { evidence, timings });
        return scan;
      }),

    requeueInterrupted: (now) => db.write(() => [...db.running.getRange()].map(({ value: token }) => requeue(token, now))),

    findByToken: scanByToken,

    findOfAccount: (accountId, token) => {
      const asked = scanTokenPattern.test(token) ? token : noToken;
      return db.ownScans.doesExist([accountId, asked]) ? scanByToken(asked) : undefined;
    },

    listOfAccount: (accountId, { limit, cursor }) => {
      const start: [number, number] = [accountId, (cursor ?? Number.POSITIVE_INFINITY) - 1];
      const rows = db.scansByAccount.getRange({ start, end: [accountId, 0], reverse: true, limit: limit + 1 });
      return pageOf(scansOf(rows.map(({ value }) => value)), limit);
    },

    queueLength: () => db.queue.getCount(),
    queuePosition: (token) => {
      const scan = scanByToken(token);
      if (scan === undefined || !db.queue.doesExist(scan.id)) return null;
      return db.queue.getKeysCount({ end: scan.id + 1 });
    },
    listWaiting: (limit) => scansOf(db.queue.getRange({ limit }).map(({ value }) => value)),
    runningCount: () => db.running.getCount(),
    listRunning: () => scansOf(db.running.getRange().map(({ value }) => value)),
  };
}
