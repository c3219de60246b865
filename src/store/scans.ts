/** Scans, and the queue that they share with proofs: progress and outcome. Each change of status is one transaction. */
import type { Evidence } from "../evidence/evidence.ts";
import type { ProofBody, ProofPictures } from "../evidence/proof.ts";
import type { ProgressStage, Timings } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import { localLocation } from "../parse/location.ts";
import { hostOf } from "../parse/site.ts";
import type { Db } from "./database.ts";
import { reads, transactions } from "./methods.ts";
import { newestPage, type Page, type PageRequest } from "./page.ts";
import { findProof, type ProofRecord } from "./proofs.ts";
import { removeFromPublicList } from "./public-list.ts";
import {
  frontOfLane,
  isBackgroundLane,
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
import { noteProofEnd, noteScanEnd } from "./site-events.ts";
import { startMethods } from "./start-scans.ts";
import { newestFirst } from "./table.ts";

export type { ScanRecord } from "./scan-record.ts";

/** What the queue holds. */
export type Job = ScanRecord | ProofRecord;
type JobOf<J extends Job> = J extends ScanRecord ? ScanRecord : ProofRecord;

export function isProof(job: Job): job is ProofRecord {
  return "plan" in job;
}

/** Undefined for an unknown or malformed token. */
function findJob(db: Db, token: string): Job | undefined {
  return findScan(db, token) ?? findProof(db, token);
}

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
    ...reads(db, { lanesOf: laneStates, queuedLocations: locationsWithQueue, findByToken: findScan, findJob }),
    ...transactions(db, { claimNext, setProgress, requeueInterrupted, cancelQueued, fail }),
    finishProof: (token: string, body: ProofBody, now: Date, pictures?: ProofPictures): Promise<ProofRecord> =>
      db.write(() => finishProof(db, token, { body, pictures, now }, screenshotsKept)),
    finish: (token: string, outcome: FinishedOutcome): Promise<ScanRecord> => db.write(() => finish(db, token, outcome, screenshotsKept)),
    findOfAccount: ownScanFinder(db),
    /** Number of running scans at all locations. */
    runningCount: (): number => db.running.getCount(),
    /** Running scans at all locations, oldest first. */
    listRunning: (): readonly ScanRecord[] => db.running.values().flatMap((token) => findScan(db, token) ?? []),

    /** Fails scans that have waited for the location since before that instant, with the code `no-worker`, and returns them. */
    failWaiting: async (location: string, createdBefore: Date, now: Date): Promise<readonly Job[]> => {
      const failed: Job[] = [];
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
 * Starts the next scan or proof that waits for the location; undefined without one. Scans of background lanes only if `background`, and if
 * their network is not a busy one. Proofs only if their host is not among those that are proven.
 */
function claimNext(
  db: Db,
  location: string,
  now: Date,
  background = true,
  busyNetworks: ReadonlySet<string> = new Set(),
  provenHosts: ReadonlySet<string> | "all" = new Set(),
): Job | undefined {
  const mayStart = (token: string) => {
    const job = findJob(db, token);
    if (job !== undefined && isProof(job)) return provenHosts !== "all" && !provenHosts.has(hostOf(job.url) ?? "");
    return job?.queueKey === undefined || !isBackgroundLane(job.queueKey[1]) || !busyNetworks.has(job.network ?? "");
  };
  const takeNext = () => takeNextQueued(db, location, { background, mayStart });
  for (let token = takeNext(); token !== undefined; token = takeNext()) {
    const job = findJob(db, token);
    // A row whose scan is lost must not stop the queue.
    if (job?.status !== "queued") continue;
    return changeStatus(db, job, "running", { startedAt: now.toISOString(), attempts: job.attempts + 1 });
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
 * Puts interrupted scans and proofs back to the front of their lanes and returns them. A second interruption fails the scan with the code
 * `interrupted`. Adoptable scans stay `running`: a worker may have gone on with them. Call once, before the first claim.
 */
function requeueInterrupted(db: Db, now: Date, isAdoptable: (job: Job) => boolean = () => false): readonly Job[] {
  // The newest first, so that the oldest is in front at the end.
  return [...db.running.getRange()].reverse().flatMap(({ key: id, value: token }) => {
    const job = findJob(db, token);
    if (job?.status !== "running" || job.id !== id) {
      db.running.remove(id);
      return [];
    }
    if (isAdoptable(job)) return [];
    if (job.attempts >= attemptsMax) return [failJob(db, job, "interrupted", now)];
    const lane = job.queueKey?.[1] ?? laneOf(db, job.accountId);
    return [changeStatus(db, job, "queued", { queueKey: prependToLane(db, [scanLocationOf(job), lane]) })];
  });
}

/** Place in the order of claims of its location if no other scan arrives: 1 for the next scan, null when it is not queued. */
function queuePosition(db: Db, token: string): number | null {
  const job = findJob(db, token);
  return job?.status !== "queued" || job.queueKey === undefined ? null : queuePositionOf(db, job.queueKey);
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
  const summary = scanSummaryOf(result);
  const scan = changeStatus(db, existing(findScan(db, token), token), "finished", { ...endedAtTime(now), progressPercent: 100, summary });
  db.results.put(token, result);
  db.evidence.put(token, { evidence, timings });
  if (screenshot !== null) putScreenshot(db, scan.id, screenshot, screenshotsKept, now);
  return scan;
}

interface ProvenOutcome {
  readonly body: ProofBody;
  readonly pictures: ProofPictures | undefined;
  readonly now: Date;
}

/** Stores what a running proof shows. The limit of kept screenshots counts its pictures, too. */
function finishProof(db: Db, token: string, { body, pictures, now }: ProvenOutcome, screenshotsKept: number): ProofRecord {
  const idOf = (bytes: Uint8Array | null = null): number | null => {
    if (bytes === null || screenshotsKept === 0) return null;
    const id = db.next("nextScanId");
    putScreenshot(db, id, bytes, screenshotsKept, now);
    return id;
  };
  const ids = { before: idOf(pictures?.before), after: idOf(pictures?.after) };
  const proof = changeStatus(db, existing(findProof(db, token), token), "finished", { ...endedAtTime(now), pictures: ids });
  db.proofResults.put(token, body);
  noteProofEnd(db, proof, body, now);
  return proof;
}

/** Fails a scan or proof that waits, with the code `cancelled`, and returns it as it waited. Undefined for any other. */
function cancelQueued(db: Db, token: string, now: Date): Job | undefined {
  const job = findJob(db, token);
  if (job?.status !== "queued") return undefined;
  if (job.queueKey !== undefined) removeFromLane(db, job.queueKey);
  failJob(db, job, "cancelled", now);
  return job;
}

interface FailedOutcome extends Pick<FinishedOutcome, "timings" | "now"> {
  readonly code: string;
  readonly evidence: Evidence | null;
}

/** Ends a running scan or proof with an error code and the evidence gathered so far. */
function fail(db: Db, token: string, { code, evidence, timings, now }: FailedOutcome): Job {
  const job = failJob(db, existing(findJob(db, token), token), code, now);
  if (evidence !== null) db.evidence.put(token, { evidence, timings });
  return job;
}

/** See `findOwnScan`. */
function ownScanFinder(db: Db): (accountId: number, token: string) => ScanRecord | undefined {
  const findOwned = db.cacheReads((accountAndToken: string) => {
    const [accountId, token = ""] = accountAndToken.split(" ");
    return findOwnScan(db, Number(accountId), token);
  });
  return (accountId, token) => findOwned(`${accountId} ${wellFormedToken(token)}`);
}

function existing<J extends Job>(job: J | undefined, token: string): J {
  if (job === undefined) throw new Error(`no scan has the token ${token}`);
  return job;
}

/** Only within a transaction. */
function changeStatus<J extends Job>(db: Db, job: J, to: ScanStatus, change: Partial<JobOf<J>>): J {
  assertTransition(job.status, to);
  const changed: J = { ...job, ...(isProof(job) ? { step: null } : { progressStage: null }), ...change, status: to };
  if (isProof(changed)) db.proofs.put(changed.token, changed);
  else db.scans.put(changed.token, changed);
  if (!isProof(job) && !isProof(changed) && changed.endedAt !== null) noteScanEnd(db, job, changed, new Date(changed.endedAt));
  return changed;
}

function failJob<J extends Job>(db: Db, job: J, code: string, now: Date): J {
  const failed = changeStatus<Job>(db, job, "failed", { ...endedAtTime(now), errorCode: code }) as J;
  if (isProof(failed)) noteProofEnd(db, failed, null, now);
  return failed;
}

/** A bounded number of scans, from the front of each lane. A row whose scan is lost, or does not wait, is removed. */
function failOverdue(db: Db, location: string, createdBefore: Date, now: Date): readonly Job[] {
  const failed: Job[] = [];
  for (const lane of laneNames)
    for (const [place, token] of frontOfLane(db, [location, lane], failedAtOnce)) {
      const job = findJob(db, token);
      const waits = job?.status === "queued";
      // Later places are younger.
      if (waits && Date.parse(job.createdAt) >= createdBefore.getTime()) break;
      removeFromLane(db, [location, lane, place]);
      if (waits) failed.push(failJob(db, job, "no-worker", now));
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
