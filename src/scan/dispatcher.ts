/** Dispatcher: claims queued scans, runs a bounded number of them, and stores the outcomes. */
import { setTimeout as wait } from "node:timers/promises";
import { type Log, messageOf } from "../base/log.ts";
import { type ProgressStage, stagePercent } from "../evidence/scan.ts";
import { localLocation } from "../parse/location.ts";
import { DataDirError } from "../store/data-dir.ts";
import type { ScanRecord } from "../store/scans.ts";
import type { Store } from "../store/store.ts";
import type { ProgressHub } from "./progress.ts";
import type { Scanner } from "./scanner.ts";
import type { ScanOutcome } from "./task.ts";

/** Interval between writes of a scan's progress: each write reaches the disk. */
const progressEveryMs = 250;
/** Wait before a retry after a failed write, as on a full disk. */
const storeRetryMs = 2_000;

/** Replaces an outcome that cannot be stored; contains nothing that could fail again. */
const storageFailure: ScanOutcome = { status: "failed", code: "crashed", evidence: null, timings: {} };

export interface DispatcherOptions {
  readonly store: Pick<Store, "scans">;
  readonly scanner: Pick<Scanner, "scanStored">;
  readonly concurrency: number;
  readonly progress: Pick<ProgressHub, "publish">;
  readonly log: Log;
}

export interface Dispatcher {
  wake(): void;
  running(): number;
  /** Waits at most `drainMs` for running scans. The others stay `running` in the store, so that the next start requeues them. */
  stop(drainMs: number): Promise<void>;
}

/** Requeues interrupted scans of an earlier process, then starts. */
export async function startDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { store, concurrency, log } = options;
  for (const { token, status } of await store.scans.requeueInterrupted(new Date())) log.warn("scan was interrupted", { token, status });

  const active = new Set<Promise<void>>();
  const abandon = new AbortController();
  let stopped = false;
  let claiming = false;
  let latestClaim = Promise.resolve();
  let wokenDuringClaim = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  async function claimScans(): Promise<void> {
    claiming = true;
    try {
      while (!stopped && active.size < concurrency) {
        wokenDuringClaim = false;
        const scan = await store.scans.claimNext(localLocation, new Date());
        // A scan queued during `claimNext` may be missed by it.
        if (scan === undefined && !wokenDuringClaim) break;
        if (scan === undefined) continue;
        log.debug("scan claimed", { token: scan.token, ms: Date.now() - Date.parse(scan.createdAt) });
        const work = runScan(options, scan, abandon.signal).finally(() => {
          active.delete(work);
          wake();
        });
        active.add(work);
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

  wake();
  return {
    wake,
    running: () => active.size,
    stop: async (drainMs) => {
      stopped = true;
      const timer = setTimeout(() => abandon.abort(), drainMs);
      // It may still claim one scan, which then counts as running.
      await latestClaim;
      clearTimeout(retry);
      await Promise.all(active);
      clearTimeout(timer);
    },
  };
}

async function runScan(options: DispatcherOptions, scan: ScanRecord, signal: AbortSignal): Promise<void> {
  const { scanner, progress, log } = options;
  const { token, url, attempts } = scan;
  log.info("scan started", { token, url, attempt: attempts });
  progress.publish(token, { type: "claimed" });
  const writer = createProgressWriter(options, scan);
  const stored = { token, attempt: attempts, location: localLocation, adopted: false };
  const { outcome, release } = await scanner.scanStored(url, stored, writer.report, signal);
  writer.end();
  if (signal.aborted) return;
  const kept = await storePersistently(options, token, outcome, signal);
  if (kept === null) return;
  await release();
  progress.publish(token, { type: kept.status });
  const ended = kept.status === "failed" ? { code: kept.code } : { score: kept.result.score };
  log.info("scan ended", { token, url, status: kept.status, ...ended, ms: outcome.timings.total ?? null });
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
