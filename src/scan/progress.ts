/** Tells whoever watches a scan what becomes of it, the moment it happens; nothing here is stored. */
import { type Log, messageOf } from "../base/log.ts";
import type { ProgressListener, ScanEvent, ScanProgress } from "../evidence/scan.ts";

/** Each is an open connection of somebody; one more is refused, and looks again by itself. */
const defaultListenersMax = 2_000;
/** Scans whose length says how long those that wait will take. */
const lengthsKept = 20;

export interface ProgressHub extends ScanProgress {
  /** For the dispatcher: what just happened to a scan. What it says of scans that are over comes after they are on disk. */
  tell(token: string, event: Exclude<ScanEvent, { readonly type: "moved" }>): void;
  /** Ears now open. */
  listening(): number;
}

export interface ProgressOptions {
  /** Scans at the same time. */
  readonly concurrency: number;
  readonly log: Log;
  readonly listenersMax?: number;
}

interface InHand {
  readonly fromMs: number;
  latest: ScanEvent;
}

export function createProgress({ concurrency, log, listenersMax = defaultListenersMax }: ProgressOptions): ProgressHub {
  const listeners = new Map<string, Set<ProgressListener>>();
  const inHand = new Map<string, InHand>();
  const lengthsMs: number[] = [];
  let listening = 0;

  function subscribe(token: string, listener: ProgressListener): (() => void) | null {
    if (listening >= listenersMax) return null;
    // An object of its own: the same function may listen twice.
    const ear: ProgressListener = (event) => hear(listener, event);
    const ears = listeners.get(token) ?? new Set();
    listeners.set(token, ears.add(ear));
    listening++;
    const latest = inHand.get(token)?.latest;
    if (latest !== undefined) ear(latest);
    return () => {
      if (!ears.delete(ear)) return;
      listening--;
      if (ears.size === 0) listeners.delete(token);
    };
  }

  /** Nothing follows the end of a scan. */
  function forget(token: string): void {
    const ears = listeners.get(token);
    listeners.delete(token);
    listening -= ears?.size ?? 0;
    ears?.clear();
  }

  /** A scan goes on whoever fails to listen. */
  function hear(listener: ProgressListener, event: ScanEvent): void {
    try {
      listener(event);
    } catch (error) {
      log.error("progress was not heard", { event: event.type, because: messageOf(error) });
    }
  }

  /** Over copies, here and below: who hears may stop listening. */
  function tellOne(token: string, event: ScanEvent): void {
    for (const ear of [...(listeners.get(token) ?? [])]) ear(event);
  }

  function tellWaiting(): void {
    for (const token of [...listeners.keys()]) if (!inHand.has(token)) tellOne(token, { type: "moved" });
  }

  function noteEnd(token: string): void {
    const scan = inHand.get(token);
    if (scan === undefined) return;
    inHand.delete(token);
    lengthsMs.push(performance.now() - scan.fromMs);
    if (lengthsMs.length > lengthsKept) lengthsMs.shift();
  }

  return {
    subscribe,
    tell: (token, event) => {
      const over = event.type === "finished" || event.type === "failed";
      if (over) noteEnd(token);
      else inHand.set(token, { fromMs: inHand.get(token)?.fromMs ?? performance.now(), latest: event });
      tellOne(token, event);
      if (event.type === "claimed") tellWaiting();
      if (over) forget(token);
    },
    waitMs: (position) => {
      if (lengthsMs.length === 0) return null;
      const mean = lengthsMs.reduce((sum, each) => sum + each, 0) / lengthsMs.length;
      return Math.round((mean * position) / concurrency);
    },
    listening: () => listening,
  };
}
