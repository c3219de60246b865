/** Scans: queue, progress and outcome. Each change of status is one transaction. */
import type { Evidence } from "../evidence/evidence.ts";
import type { ProgressStage, Timings } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import { localLocation } from "../parse/location.ts";
import { hostOf } from "../parse/site.ts";
import type { Db } from "./database.ts";
import { reads, transactions } from "./methods.ts";
import { newestPage, type Page, type PageRequest } from "./page.ts";
import { removeFromPublicList } from "./public-list.ts";
import {
  frontOfLane,
  laneNames,
  laneOf,
  laneStates,
  locationsWithQueue,
  prependToLane,
  queuedCount,
  queuePositionOf,
  removeFromLane,
  takeNextQueued,
  tokensInQueueOrder,
} from "./queue.ts";
import { putScreenshot } from "./retention.ts";
import { scanLocationOf } from "./scan-location.ts";
import {
  assertTransition,
  findOwnScan,
  findScan,
  type ScanRecord,
  type ScanStatus,
  scanSummaryOf,
  wellFormedToken,
} from "./scan-record.ts";
import { noteScanEnd } from "./site-events.ts";
import { startMethods } from "./start-scans.ts";
import { newestFirst } from "./table.ts";

export type { ScanRecord } from "./scan-record.ts";

/** An interrupted scan is tried once more. */
const attemptsMax = 2;

/** Scans of each lane that one transaction fails. */
const failedAtOnce = 500;

/** `screenshotsKept`: newest scans that keep their screenshot. */
export function scanRepository(db: Db, { queueMax, screenshotsKept }: { readonly queueMax: number; readonly screenshotsKept: number }) {
  return {
    ...startMethods(db, queueMax),
    ...reads(db, { queuePosition, newestPerHost }),
    /** Scans that wait for the location, or for any. */
    queueLength: (location?: string): number =>
      (location === undefined ? locationsWithQueue(db) : [location]).reduce((sum, name) => sum + queuedCount(db, name), 0),
    /** In the order of `queuePosition`. */
    listQueued: (limit: number, location: string = localLocation): readonly ScanRecord[] =>
      tokensInQueueOrder(db, location, limit).flatMap((token) => findScan(db, token) ?? []),
    /** Newest first. */
    listOfAccount: (accountId: number, request: PageRequest): Page<ScanRecord> =>
      newestPage(db.scansByAccount, [accountId], request, ({ value }) => findScan(db, value)),
    // `queuedLocations`: workers may be enrolled for others, and for none of these.
    ...reads(db, { lanesOf: laneStates, queuedLocations: locationsWithQueue, findByToken: findScan }),
    ...transactions(db, { claimNext, setProgress, requeueInterrupted, cancelQueued, fail }),
    finish: (token: string, outcome: FinishedOutcome): Promise<ScanRecord> => db.write(() => finish(db, token, outcome, screenshotsKept)),
    findOfAccount: ownScanFinder(db),
    /** Number of running scans at all locations. */
    runningCount: (): number => db.running.getCount(),
    /** Running scans at all locations, oldest first. */
    listRunning: (): readonly ScanRecord[] => db.running.values().flatMap((token) => findScan(db, token) ?? []),

    /** Fails scans that have waited for the location since before that instant, with the code `no-worker`, and returns them. */
    failWaiting: async (location: string, createdBefore: Date, now: Date): Promise<readonly ScanRecord[]> => {
      const failed: ScanRecord[] = [];
      for (let isMore = true; isMore; ) {
        const some = await db.write(() => failOverdue(db, location, createdBefore, now));
        failed.push(...some);
        isMore = some.length > 0;
      }
      return failed;
    },
  };
}

/**
 * Starts the next scan that waits for the location; undefined without one. Scans of background lanes only if `background`, and if their
 * network is not a busy one.
 */
function claimNext(
  db: Db,
  location: string,
  now: Date,
  background = true,
  busyNetworks: ReadonlySet<string> = new Set(),
): ScanRecord | undefined {
  const mayStart = (token: string) => !busyNetworks.has(findScan(db, token)?.network ?? "");
  const takeNext = () => takeNextQueued(db, location, { background, mayStart });
  for (let token = takeNext(); token !== undefined; token = takeNext()) {
    const scan = findScan(db, token);
    // A row whose scan is lost must not stop the queue.
    if (scan?.status !== "queued") continue;
    return changeStatus(db, token, "running", { startedAt: now.toISOString(), attempts: scan.attempts + 1 });
  }
  return undefined;
}

/** The percentage never falls. Ignored unless the scan is running. */
function setProgress(db: Db, token: string, stage: ProgressStage, percent: number): void {
  const scan = findScan(db, token);
  if (scan?.status !== "running") return;
  db.scans.put(token, { ...scan, progressStage: stage, progressPercent: Math.max(scan.progressPercent, percent) });
}

/**
 * Puts interrupted scans back to the front of their lanes and returns them. A second interruption fails the scan with the code
 * `interrupted`. Adoptable scans stay `running`: a worker may have gone on with them. Call once, before the first claim.
 */
function requeueInterrupted(db: Db, now: Date, isAdoptable: (scan: ScanRecord) => boolean = () => false): readonly ScanRecord[] {
  // The newest first, so that the oldest is in front at the end.
  return [...db.running.getRange()].reverse().flatMap(({ key: id, value: token }) => {
    const scan = findScan(db, token);
    if (scan?.status !== "running" || scan.id !== id) {
      db.running.remove(id);
      return [];
    }
    if (isAdoptable(scan)) return [];
    if (scan.attempts >= attemptsMax) return [failScan(db, token, "interrupted", now)];
    const lane = scan.queueKey?.[1] ?? laneOf(db, scan.accountId);
    return [changeStatus(db, token, "queued", { queueKey: prependToLane(db, [scanLocationOf(scan), lane]) })];
  });
}

/** Place in the order of claims of its location if no other scan arrives: 1 for the next scan, null when the scan is not queued. */
function queuePosition(db: Db, token: string): number | null {
  const scan = findScan(db, token);
  return scan?.status !== "queued" || scan.queueKey === undefined ? null : queuePositionOf(db, scan.queueKey);
}

interface FinishedOutcome {
  readonly result: StoredResult;
  readonly evidence: Evidence;
  readonly timings: Timings;
  /** Bytes of a `screenshotType` image. */
  readonly screenshot?: Uint8Array | null;
  readonly now: Date;
}

/** Stores the outcome of a running scan and adds it to the public list. */
function finish(db: Db, token: string, outcome: FinishedOutcome, screenshotsKept: number): ScanRecord {
  const { result, evidence, timings, screenshot = null, now } = outcome;
  const scan = changeStatus(db, token, "finished", { ...endedAtTime(now), progressPercent: 100, summary: scanSummaryOf(result) });
  db.results.put(token, result);
  db.evidence.put(token, { evidence, timings });
  if (screenshot !== null) putScreenshot(db, scan.id, screenshot, screenshotsKept, now);
  return scan;
}

/** Fails a scan that waits, with the code `cancelled`, and returns it as it waited. Undefined for any other. */
function cancelQueued(db: Db, token: string, now: Date): ScanRecord | undefined {
  const scan = findScan(db, token);
  if (scan?.status !== "queued") return undefined;
  if (scan.queueKey !== undefined) removeFromLane(db, scan.queueKey);
  failScan(db, token, "cancelled", now);
  return scan;
}

interface FailedOutcome extends Pick<FinishedOutcome, "timings" | "now"> {
  readonly code: string;
  readonly evidence: Evidence | null;
}

/** Ends a running scan with an error code and the evidence gathered so far. */
function fail(db: Db, token: string, { code, evidence, timings, now }: FailedOutcome): ScanRecord {
  const scan = failScan(db, token, code, now);
  if (evidence !== null) db.evidence.put(token, { evidence, timings });
  return scan;
}

/** See `findOwnScan`. */
function ownScanFinder(db: Db): (accountId: number, token: string) => ScanRecord | undefined {
  const findOwned = db.cacheReads((accountAndToken: string) => {
    const [accountId, token = ""] = accountAndToken.split(" ");
    return findOwnScan(db, Number(accountId), token);
  });
  return (accountId, token) => findOwned(`${accountId} ${wellFormedToken(token)}`);
}

/** Only within a transaction. */
function changeStatus(db: Db, token: string, to: ScanStatus, change: Partial<ScanRecord>): ScanRecord {
  const scan = findScan(db, token);
  if (scan === undefined) throw new Error(`no scan has the token ${token}`);
  assertTransition(scan.status, to);
  const changed: ScanRecord = { ...scan, progressStage: null, ...change, status: to };
  db.scans.put(token, changed);
  if (changed.endedAt !== null) noteScanEnd(db, scan, changed, new Date(changed.endedAt));
  return changed;
}

function failScan(db: Db, token: string, code: string, now: Date): ScanRecord {
  return changeStatus(db, token, "failed", { ...endedAtTime(now), errorCode: code });
}

/** A bounded number of scans, from the front of each lane. A row whose scan is lost, or does not wait, is removed. */
function failOverdue(db: Db, location: string, createdBefore: Date, now: Date): readonly ScanRecord[] {
  const failed: ScanRecord[] = [];
  for (const lane of laneNames)
    for (const [place, token] of frontOfLane(db, [location, lane], failedAtOnce)) {
      const scan = findScan(db, token);
      const waits = scan?.status === "queued";
      // Later places are younger.
      if (waits && Date.parse(scan.createdAt) >= createdBefore.getTime()) break;
      removeFromLane(db, [location, lane, place]);
      if (waits) failed.push(failScan(db, token, "no-worker", now));
    }
  return failed;
}

function endedAtTime(now: Date): Pick<ScanRecord, "endedAt" | "queueKey"> {
  return { endedAt: now.toISOString(), queueKey: undefined };
}

/** Removes a scan with all that belongs to it; the outcome of a running scan is dropped. Only within a transaction. */
export function removeScan(db: Db, token: string): void {
  const scan = findScan(db, token);
  db.results.remove(token);
  db.evidence.remove(token);
  if (scan === undefined) return;
  if (scan.status === "queued" && scan.queueKey !== undefined) removeFromLane(db, scan.queueKey);
  db.screenshots.remove(scan.id);
  removeFromPublicList(db, scan);
  db.scans.remove(token);
}

interface AccountHostsRequest {
  readonly hostsMax: number;
  /** Scans that are read at most: bounds the time for an account that scans few hosts often. */
  readonly scansMax: number;
}

/** Newest scan for each host and location, in any state, newest first; found among the newest `scansMax` scans of the account. */
function newestPerHost(db: Db, accountId: number, { hostsMax, scansMax }: AccountHostsRequest): readonly ScanRecord[] {
  const found = new Map<string, ScanRecord>();
  for (const token of db.scansByAccount.values({ ...newestFirst([accountId]), limit: scansMax })) {
    const scan = db.scans.get(token);
    const host = scan === undefined ? null : hostOf(scan.url);
    if (scan === undefined || host === null) continue;
    const key = `${host} ${scanLocationOf(scan)}`;
    if (!found.has(key)) found.set(key, scan);
    if (found.size >= hostsMax) break;
  }
  return [...found.values()];
}
