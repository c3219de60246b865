/** Event stream of scans for subscribers, in memory only. */
import { type Log, messageOf } from "../base/log.ts";
import type { ProgressListener, ScanEvent, ScanProgress } from "../evidence/scan.ts";

/** Each listener is an open connection. Beyond this, clients fall back to polling. */
const defaultListenersMax = 2_000;
/** Latest scans whose mean duration estimates the wait. */
const durationsKept = 20;

export interface ProgressHub extends ScanProgress {
  /** For the dispatcher. Publish the end of a scan only after it is stored. */
  publish(token: string, event: Exclude<ScanEvent, { readonly type: "moved" }>): void;
  listening(): number;
}

export interface ProgressOptions {
  readonly concurrency: number;
  readonly log: Log;
  readonly listenersMax?: number;
}

interface ActiveScan {
  readonly startedMs: number;
  latest: ScanEvent;
}

export function createProgress({ concurrency, log, listenersMax = defaultListenersMax }: ProgressOptions): ProgressHub {
  const listeners = new Map<string, Set<ProgressListener>>();
  const active = new Map<string, ActiveScan>();
  const waitEstimate = createWaitEstimate(concurrency);
  let listening = 0;

  function subscribe(token: string, listener: ProgressListener): (() => void) | null {
    if (listening >= listenersMax) return null;
    // A separate object, because the same function may subscribe twice.
    const subscription: ProgressListener = (event) => notify(listener, event);
    const subscribed = listeners.get(token) ?? new Set();
    listeners.set(token, subscribed.add(subscription));
    listening++;
    const latest = active.get(token)?.latest;
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
    for (const token of [...listeners.keys()]) if (!active.has(token)) notifyListeners(token, { type: "moved" });
  }

  function recordEnd(token: string): void {
    const scan = active.get(token);
    if (scan === undefined) return;
    active.delete(token);
    waitEstimate.add(performance.now() - scan.startedMs);
  }

  return {
    subscribe,
    publish: (token, event) => {
      const ended = event.type === "finished" || event.type === "failed";
      if (ended) recordEnd(token);
      else active.set(token, { startedMs: active.get(token)?.startedMs ?? performance.now(), latest: event });
      notifyListeners(token, event);
      if (event.type === "claimed") notifyWaiting();
      if (ended) forget(token);
    },
    waitMs: waitEstimate.waitMs,
    listening: () => listening,
  };
}

function createWaitEstimate(concurrency: number): { add(durationMs: number): void } & Pick<ScanProgress, "waitMs"> {
  const durationsMs: number[] = [];
  return {
    add: (durationMs) => {
      durationsMs.push(durationMs);
      if (durationsMs.length > durationsKept) durationsMs.shift();
    },
    waitMs: (position) => {
      if (durationsMs.length === 0) return null;
      const mean = durationsMs.reduce((sum, each) => sum + each, 0) / durationsMs.length;
      return Math.round((mean * position) / concurrency);
    },
  };
}
