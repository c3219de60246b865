/** Dispatcher: claims queued scans, runs a bounded number of them at each location, and stores the outcomes. */
import { setTimeout as wait } from "node:timers/promises";
import { type Log, messageOf } from "../base/log.ts";
import { type ProgressStage, stagePercent } from "../evidence/scan.ts";
import { localLocation } from "../parse/location.ts";
import { DataDirError } from "../store/data-dir.ts";
import { scanLocationOf } from "../store/scan-location.ts";
import type { ScanRecord } from "../store/scans.ts";
import type { Store } from "../store/store.ts";
import { noRemoteLocations, type RemoteLocations } from "./gatherer.ts";
import type { ProgressHub } from "./progress.ts";
import type { ScanObserver } from "./scan-observer.ts";
import type { Scanner } from "./scanner.ts";
import type { ScanOutcome } from "./task.ts";

/** Interval between writes of a scan's progress: each write reaches the disk. */
const progressEveryMs = 250;
/** Wait before a retry after a failed write, as on a full disk. */
const storeRetryMs = 2_000;
/** Interval of the search for scans that have waited too long for a worker. */
const sweepEveryMs = 60_000;

/** Replaces an outcome that cannot be stored; contains nothing that could fail again. */
const storageFailure: ScanOutcome = { status: "failed", code: "crashed", evidence: null, timings: {} };

export interface DispatcherOptions {
  readonly store: Pick<Store, "scans" | "workers">;
  readonly scanner: Pick<Scanner, "scanStored">;
  /** Scans at a time in this process. */
  readonly concurrency: number;
  /** Locations of workers on other machines; null without a fleet. */
  readonly remote: RemoteLocations | null;
  /** How long a scan waits for a location without workers, in milliseconds. */
  readonly waitMaxMs: number;
  readonly progress: Pick<ProgressHub, "publish">;
  readonly observer: ScanObserver;
  readonly log: Log;
}

export interface Dispatcher {
  wake(): void;
  running(): number;
  /** Waits at most `drainMs` for local scans. The others stay `running` in the store: the next start requeues or adopts them. */
  stop(drainMs: number): Promise<void>;
}

/** Requeues interrupted local scans of an earlier process, adopts those that workers elsewhere have, then starts. */
export async function startDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { store, remote, log } = options;
  await requeueInterrupted(options);
  const active = createActiveScans(options, () => wake());
  let stopped = false;
  let claiming = false;
  let latestClaim = Promise.resolve();
  let wokenDuringClaim = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  /** Whether a scan was claimed. */
  async function claimAt(location: string): Promise<boolean> {
    if (stopped || active.count(location) >= capacityOf(options, location)) return false;
    const scan = await store.scans.claimNext(location, new Date());
    if (scan === undefined) return false;
    const waitedMs = Date.now() - Date.parse(scan.createdAt);
    log.debug("scan claimed", { token: scan.token, location, ms: waitedMs });
    // The wait of a later attempt would count the earlier attempt too.
    if (scan.attempts === 1) options.observer.claimed(waitedMs);
    active.start(scan, false);
    return true;
  }

  async function claimScans(): Promise<void> {
    claiming = true;
    try {
      let claimed = true;
      // A scan queued during `claimNext` may be missed by it.
      while (claimed || wokenDuringClaim) {
        wokenDuringClaim = false;
        claimed = false;
        for (const location of [localLocation, ...(remote?.names() ?? [])]) claimed = (await claimAt(location)) || claimed;
      }
    } catch (error) {
      log.error("queue not readable", { because: messageOf(error) });
      clearTimeout(retry);
      retry = setTimeout(wake, storeRetryMs);
    } finally {
      claiming = false;
    }
  }

  function wake(): void {
    wokenDuringClaim = true;
    if (!claiming) latestClaim = claimScans();
  }

  for (const scan of store.scans.listRunning()) active.start(scan, true);
  remote?.onCapacity(wake);
  const stopSweep = sweepWaiting(options);
  wake();
  return {
    wake,
    running: active.total,
    stop: async (drainMs) => {
      stopped = true;
      stopSweep();
      active.leaveRemote();
      const timer = setTimeout(active.abandon, drainMs);
      // It may still claim one scan, which then counts as running.
      await latestClaim;
      clearTimeout(retry);
      await active.allEnded();
      clearTimeout(timer);
    },
  };
}

async function requeueInterrupted({ store, remote, observer, log }: DispatcherOptions): Promise<void> {
  const isAdoptable = (scan: ScanRecord) => remote !== null && scanLocationOf(scan) !== localLocation;
  for (const scan of await store.scans.requeueInterrupted(new Date(), isAdoptable)) {
    log.warn("scan was interrupted", { token: scan.token, status: scan.status });
    if (scan.status === "failed") observer.ended(scan, "interrupted");
  }
}

function capacityOf({ concurrency, remote }: DispatcherOptions, location: string): number {
  return location === localLocation ? concurrency : (remote?.capacity(location) ?? 0);
}

/** Running scans by location. */
function createActiveScans(options: DispatcherOptions, onEnded: () => void) {
  const active = new Map<string, Set<Promise<void>>>();
  const local = new AbortController();
  const remote = new AbortController();

  return {
    count: (location: string) => active.get(location)?.size ?? 0,
    total: () => [...active.values()].reduce((sum, { size }) => sum + size, 0),
    start: (scan: ScanRecord, adopted: boolean) => {
      const location = scanLocationOf(scan);
      const atLocation = active.get(location) ?? new Set();
      active.set(location, atLocation);
      const { signal } = location === localLocation ? local : remote;
      const work = runScan(options, { scan, location, adopted, signal }).finally(() => {
        atLocation.delete(work);
        onEnded();
      });
      atLocation.add(work);
    },
    /** Workers elsewhere go on with theirs. */
    leaveRemote: () => remote.abort(),
    abandon: () => local.abort(),
    allEnded: () => Promise.all([...active.values()].flatMap((scans) => [...scans])),
  };
}

interface RunningScan {
  readonly scan: ScanRecord;
  readonly location: string;
  readonly adopted: boolean;
  readonly signal: AbortSignal;
}

async function runScan(options: DispatcherOptions, { scan, location, adopted, signal }: RunningScan): Promise<void> {
  const { scanner, progress, observer, log } = options;
  const { token, url, attempts } = scan;
  const inLog = location === localLocation ? { token, url } : { token, url, location };
  log.info(adopted ? "scan adopted" : "scan started", { ...inLog, attempt: attempts });
  progress.publish(token, { type: "claimed", location });
  const writer = createProgressWriter(options, scan);
  const timer = observer.begin();
  const onStage = (stage: ProgressStage) => {
    writer.report(stage);
    timer.stage(stage);
  };
  const { outcome, release } = await scanner.scanStored(url, { token, attempt: attempts, location, adopted }, onStage, signal);
  writer.end();
  if (signal.aborted) return;
  const stored = await storePersistently(options, token, outcome, signal);
  // The server stops: the next process reads what was received.
  if (stored === null && signal.aborted) return;
  await release();
  if (stored === null) return;
  progress.publish(token, { type: stored.status });
  timer.end(stored.evidence);
  observer.ended(scan, stored.status === "failed" ? stored.code : null);
  const ended = stored.status === "failed" ? { code: stored.code } : { score: stored.result.score };
  log.info("scan ended", { ...inLog, status: stored.status, ...ended, ms: outcome.timings.total ?? null });
}

/** Fails queued scans of locations that had no worker for too long. Returns the function that stops it. */
function sweepWaiting({ store, remote, waitMaxMs, progress, observer, log }: DispatcherOptions): () => void {
  const { absentSince: lastWorkerAt } = remote ?? noRemoteLocations(new Date());

  async function sweep(): Promise<void> {
    const now = new Date();
    const before = new Date(now.getTime() - waitMaxMs);
    for (const location of new Set(store.workers.list().map((worker) => worker.location))) {
      const absentSince = lastWorkerAt(location);
      if (absentSince === null || absentSince > before) continue;
      for (const scan of await store.scans.failWaiting(location, before, now)) {
        const { token } = scan;
        log.warn("scan failed: no worker at its location", { token, location, absentSince: absentSince.toISOString() });
        progress.publish(token, { type: "failed" });
        observer.ended(scan, "no-worker");
      }
    }
  }

  const timer = setInterval(() => {
    sweep().catch((error) => log.error("waiting scans not readable", { because: messageOf(error) }));
  }, sweepEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Publishes each stage at once, and stores the latest at most once per `progressEveryMs`. */
function createProgressWriter({ store, progress, log }: DispatcherOptions, { token, progressPercent }: ScanRecord) {
  let percent = progressPercent;
  let latest: ProgressStage | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    timer = undefined;
    if (latest === null) return;
    const stage = latest;
    latest = null;
    timer = setTimeout(write, progressEveryMs);
    store.scans
      .setProgress(token, stage, stagePercent[stage])
      .catch((error) => log.warn("progress not stored", { token, because: messageOf(error) }));
  };
  return {
    report: (stage: ProgressStage) => {
      percent = Math.max(percent, stagePercent[stage]);
      progress.publish(token, { type: "stage", stage, percent });
      latest = stage;
      if (timer === undefined) write();
    },
    end: () => {
      latest = null;
      clearTimeout(timer);
    },
  };
}

/**
 * Retries while the data directory is unusable: waiting costs less than another scan. Any other error fails the scan,
 * or it would stay `running` forever. Null when nothing was stored.
 */
async function storePersistently(
  { store, log }: DispatcherOptions,
  token: string,
  outcome: ScanOutcome,
  signal: AbortSignal,
): Promise<ScanOutcome | null> {
  let toStore = outcome;
  while (!signal.aborted) {
    try {
      const now = new Date();
      if (toStore.status === "finished") await store.scans.finish(token, { ...toStore, now });
      else await store.scans.fail(token, { ...toStore, now });
      return toStore;
    } catch (error) {
      log.error("scan not stored", { token, status: toStore.status, because: messageOf(error) });
      if (error instanceof DataDirError) await wait(storeRetryMs, undefined, { signal }).catch(() => {});
      else if (toStore === storageFailure) return null;
      else toStore = storageFailure;
    }
  }
  return null;
}
