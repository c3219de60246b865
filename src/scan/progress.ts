/** Progress of scans, for readers and for the store. */
import type { Clock } from "../base/clock.ts";
import { type Log, messageOf } from "../base/log.ts";
import { medianOf } from "../base/median.ts";
import {
  type ProgressListener,
  type ProgressStage,
  type ScanErrorCode,
  type ScanEvent,
  type ScanProgress,
  type StagePace,
  stagePercent,
} from "../evidence/scan.ts";
import type { ScanTimer } from "../metrics/scan-metrics.ts";
import { localLocation } from "../parse/location.ts";
import type { Job, ScanRecord } from "../store/scans.ts";
import type { DispatcherOptions } from "./dispatcher.ts";

/** No method may throw. */
export interface ScanObserver {
  /** The scan has left the queue, where it waited so long. */
  claimed(waitedMs: number): void;
  /** A scan begins, or one that workers elsewhere hold is adopted. */
  begin(): ScanTimer;
  /** The outcome of a scan or proof is stored; `code` of a failure, else null. `job` is as it was before. */
  ended(job: Job, code: ScanErrorCode | null): void;
}

/** Each listener is an open connection. Beyond this, clients fall back to polling. */
const defaultListenersMax = 2_000;
/** Latest scans whose mean duration estimates the wait. */
const durationsKept = 20;
/** Fewer durations of a stage say nothing about the next scan. */
const stageDurationsMin = 3;

export interface ProgressHub extends ScanProgress {
  /** Publish the end of a scan, or its removal, only after it is stored. */
  publish(token: string, event: Exclude<ScanEvent, { readonly type: "moved" }>): void;
  listening(): number;
}

interface ProgressOptions {
  /** Scans at once of the server itself. */
  readonly concurrency: number;
  /** Scans at once of another location; 0 while it is unknown. */
  readonly capacityOf?: (location: string) => number;
  readonly clock: Clock;
  readonly log: Log;
  readonly listenersMax?: number;
}

interface ActiveScan {
  readonly location: string;
  readonly startedMs: number;
  /** Time of `latest`. */
  readonly latestMs: number;
  readonly latest: ScanEvent;
}

export function createProgress({
  concurrency,
  capacityOf = () => 0,
  clock,
  log,
  listenersMax = defaultListenersMax,
}: ProgressOptions): ProgressHub {
  const listeners = new Map<string, Set<ProgressListener>>();
  const active = trackActiveScans(clock, (location) => (location === localLocation ? concurrency : capacityOf(location)));
  let listening = 0;

  function subscribe(token: string, listener: ProgressListener): (() => void) | null {
    if (listening >= listenersMax) return null;
    // A separate object, because the same function may subscribe twice.
    const subscription: ProgressListener = (event) => notify(listener, event);
    const subscribed = listeners.get(token) ?? new Set();
    listeners.set(token, subscribed.add(subscription));
    listening++;
    const latest = active.latest(token);
    if (latest !== undefined) subscription(latest);
    return () => {
      if (!subscribed.delete(subscription)) return;
      listening--;
      if (subscribed.size === 0) listeners.delete(token);
    };
  }

  function forget(token: string): void {
    const subscribed = listeners.get(token);
    listeners.delete(token);
    listening -= subscribed?.size ?? 0;
    subscribed?.clear();
  }

  /** A failing listener does not disturb the scan. */
  function notify(listener: ProgressListener, event: ScanEvent): void {
    try {
      listener(event);
    } catch (error) {
      log.error("progress listener failed", { event: event.type, because: messageOf(error) });
    }
  }

  /** Iterates over copies, here and below: a listener may unsubscribe. */
  function notifyListeners(token: string, event: ScanEvent): void {
    for (const subscription of [...(listeners.get(token) ?? [])]) subscription(event);
  }

  function notifyWaiting(): void {
    for (const token of [...listeners.keys()]) if (active.latest(token) === undefined) notifyListeners(token, { type: "moved" });
  }

  return {
    subscribe,
    publish: (token, event) => {
      if (event.type !== "cancelled") active.record(token, event);
      notifyListeners(token, event);
      if (event.type === "finished" || event.type === "failed" || event.type === "cancelled") forget(token);
      if (event.type === "claimed" || event.type === "cancelled") notifyWaiting();
    },
    pace: active.pace,
    waitMs: active.waitMs,
    listening: () => listening,
  };
}

/** Latest event of each running scan, and the times of scans and stages that have ended, by location: networks and machines differ. */
function trackActiveScans(clock: Clock, slotsOf: (location: string) => number) {
  const active = new Map<string, ActiveScan>();
  const scanTimes = createDurations();
  const stageTimes = createDurations();

  return {
    /** A stage of a failed scan has no usual time. */
    record: (token: string, event: ScanEvent): void => {
      const scan = active.get(token);
      const nowMs = clock.monotonicMs();
      if (scan?.latest.type === "stage" && event.type !== "failed")
        stageTimes.add(stageKey(scan.location, scan.latest.stage), nowMs - scan.latestMs);
      const claimedFor = event.type === "claimed" ? event.location : scan?.location;
      if (event.type !== "finished" && event.type !== "failed")
        active.set(token, { location: claimedFor ?? localLocation, startedMs: scan?.startedMs ?? nowMs, latestMs: nowMs, latest: event });
      else if (scan !== undefined) {
        active.delete(token);
        scanTimes.add(scan.location, nowMs - scan.startedMs);
      }
    },
    latest: (token: string): ScanEvent | undefined => active.get(token)?.latest,
    pace: (token: string): StagePace | null => {
      const scan = active.get(token);
      if (scan?.latest.type !== "stage") return null;
      const known = stageTimes.latest(stageKey(scan.location, scan.latest.stage));
      return { sinceMs: clock.monotonicMs() - scan.latestMs, usualMs: known.length < stageDurationsMin ? null : medianOf(known) };
    },
    waitMs: (position: number, location: string): number | null => {
      const slots = slotsOf(location);
      const known = scanTimes.latest(location);
      if (known.length === 0 || slots === 0) return null;
      const meanMs = known.reduce((sum, each) => sum + each, 0) / known.length;
      return Math.round((meanMs * position) / slots);
    },
  };
}

function stageKey(location: string, stage: ProgressStage): string {
  return `${location} ${stage}`;
}

/** Latest durations in milliseconds by key, at most `durationsKept` of each. */
function createDurations() {
  const durations = new Map<string, readonly number[]>();
  return {
    add: (key: string, durationMs: number): void => {
      durations.set(key, [...(durations.get(key) ?? []), durationMs].slice(-durationsKept));
    },
    latest: (key: string): readonly number[] => durations.get(key) ?? [],
  };
}

/** Interval between writes of a scan's progress: each write reaches the disk. */
const progressEveryMs = 250;

type ProgressWriterParts = Pick<DispatcherOptions, "store" | "progress" | "clock" | "log">;

/** Publishes each stage at once, and stores the latest at most once per `progressEveryMs`. */
export function createProgressWriter({ store, progress, log, clock }: ProgressWriterParts, { token, progressPercent }: ScanRecord) {
  let percent = progressPercent;
  let latest: ProgressStage | null = null;
  let cancelWrite: (() => void) | null = null;
  const write = () => {
    cancelWrite = null;
    if (latest === null) return;
    const stage = latest;
    latest = null;
    cancelWrite = clock.after(progressEveryMs, write);
    store.scans
      .setProgress(token, stage, stagePercent[stage])
      .catch((error) => log.warn("progress not stored", { because: messageOf(error) }));
  };
  return {
    report: (stage: ProgressStage) => {
      percent = Math.max(percent, stagePercent[stage]);
      progress.publish(token, { type: "stage", stage, percent });
      latest = stage;
      if (cancelWrite === null) write();
    },
    end: () => {
      latest = null;
      cancelWrite?.();
    },
  };
}
