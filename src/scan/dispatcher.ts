/** Takes queued scans in hand, a bounded number at a time, and stores what becomes of them. */
import { setTimeout as wait } from "node:timers/promises";
import { type Log, messageOf } from "../base/log.ts";
import { type ProgressStage, stagePercent } from "../evidence/scan.ts";
import { DataDirError } from "../store/data-dir.ts";
import type { ScanRecord } from "../store/scans.ts";
import type { Store } from "../store/store.ts";
import type { ProgressHub } from "./progress.ts";
import type { Scanner } from "./scanner.ts";
import type { ScanOutcome } from "./task.ts";

/** Between two writes of one scan's progress: people poll, and every write reaches the disk. */
const progressEveryMs = 250;
/** Before the store is tried again after it refused, as on a full disk. */
const storeRetryMs = 2_000;

/** What becomes of a scan whose outcome the store does not take; it brings nothing along that could be refused again. */
const unstorable: ScanOutcome = { status: "failed", code: "crashed", evidence: null, timings: {} };

export interface DispatcherOptions {
  readonly store: Store;
  readonly scanner: Pick<Scanner, "scanUrl">;
  /** Scans at the same time. */
  readonly concurrency: number;
  /** Told of everything at once. */
  readonly progress: Pick<ProgressHub, "tell">;
  readonly log: Log;
}

export interface Dispatcher {
  /** Looks into the queue; to be called whenever a scan was queued. */
  wake(): void;
  /** Claims nothing more; what runs goes on. */
  pause(): void;
  resume(): void;
  /** Scans in hand. */
  running(): number;
  /**
   * Claims nothing more and waits at most `drainMs` for what runs. What does not end in time is given up and stays
   * `running` in the store, so that the next start puts it back into the queue.
   */
  stop(drainMs: number): Promise<void>;
}

/** Puts back what a former process left running, then begins. */
export async function startDispatcher({ store, scanner, concurrency, progress, log }: DispatcherOptions): Promise<Dispatcher> {
  for (const { token, status } of await store.scans.requeueInterrupted(new Date())) log.warn("scan was interrupted", { token, status });

  const inHand = new Set<Promise<void>>();
  const givingUp = new AbortController();
  let paused = false;
  let stopped = false;
  let claiming = false;
  let wokenMeanwhile = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  async function claimWhileRoom(): Promise<void> {
    claiming = true;
    try {
      while (!paused && !stopped && inHand.size < concurrency) {
        wokenMeanwhile = false;
        const scan = await store.scans.claimNext(new Date());
        // A scan that was queued between the look and its answer was not seen by it.
        if (scan === undefined && !wokenMeanwhile) break;
        if (scan === undefined) continue;
        const work = runScan(scan).finally(() => {
          inHand.delete(work);
          wake();
        });
        inHand.add(work);
      }
    } catch (error) {
      log.error("queue cannot be read", { because: messageOf(error) });
      clearTimeout(retry);
      retry = setTimeout(wake, storeRetryMs);
    } finally {
      claiming = false;
    }
  }

  function wake(): void {
    wokenMeanwhile = true;
    if (!claiming) void claimWhileRoom();
  }

  async function runScan(scan: ScanRecord): Promise<void> {
    const { token, url, attempts } = scan;
    log.info("scan begins", { token, url, attempt: attempts });
    progress.tell(token, { type: "claimed" });
    const writer = progressWriter(scan);
    const outcome = await scanner.scanUrl(url, writer.tell, givingUp.signal);
    writer.end();
    if (givingUp.signal.aborted) return;
    const stored = await storePersistently(token, outcome);
    if (stored === null) return;
    progress.tell(token, { type: stored.status });
    const ended = stored.status === "failed" ? { code: stored.code } : { score: stored.result.score };
    log.info("scan ended", { token, url, status: stored.status, ...ended, ms: outcome.timings.total ?? null });
  }

  /** Tells each stage at once, and writes the latest at most once in `progressEveryMs`. */
  function progressWriter({ token, progressPercent }: ScanRecord) {
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
      tell: (stage: ProgressStage) => {
        percent = Math.max(percent, stagePercent[stage]);
        progress.tell(token, { type: "stage", stage, percent });
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
   * An outcome is kept in hand until the disk takes it: measuring again would cost more than waiting. One that cannot be
   * stored for another reason fails its scan, or that would run for ever in everybody's eyes.
   * @returns what was stored; null when nothing was.
   */
  async function storePersistently(token: string, outcome: ScanOutcome): Promise<ScanOutcome | null> {
    let toStore = outcome;
    while (!givingUp.signal.aborted) {
      try {
        const now = new Date();
        if (toStore.status === "finished") await store.scans.finish(token, { ...toStore, now });
        else await store.scans.fail(token, { ...toStore, now });
        return toStore;
      } catch (error) {
        log.error("scan not stored", { token, status: toStore.status, because: messageOf(error) });
        if (error instanceof DataDirError) await wait(storeRetryMs, undefined, { signal: givingUp.signal }).catch(() => {});
        else if (toStore === unstorable) return null;
        else toStore = unstorable;
      }
    }
    return null;
  }

  wake();
  return {
    wake,
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
      wake();
    },
    running: () => inHand.size,
    stop: async (drainMs) => {
      stopped = true;
      clearTimeout(retry);
      const timer = setTimeout(() => givingUp.abort(), drainMs);
      await Promise.all(inHand);
      clearTimeout(timer);
    },
  };
}
