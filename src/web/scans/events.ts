/** `/scans/{token}/events`: server-sent events of a scan (HTML standard section 9.2). */
import type { ProgressStage, ScanEvent } from "../../evidence/scan.ts";
import { localLocation } from "../../parse/location.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { respond } from "../response.ts";
import { isSessionOpen, type Visit } from "../visit.ts";
import { absenceOf, progressWithin, type ScanEventData, waitingOf } from "./state.ts";

/** Bounds open connections. */
const streamsMax = 1_000;
/** Several people behind one address may watch scans at the same time. */
const streamsPerAddressMax = 20;
/** Shorter than the idle timeout of proxies. It also bounds how long a lost event goes unnoticed. */
const heartbeatMs = 5_000;
/** Longer than any scan in a moving queue; later clients reconnect by themselves. */
const streamMsMax = 15 * 60_000;
/** Unsent events after which the client counts as stalled. */
const unsentEventsMax = 64;
/** Delay before a browser reconnects. */
const reconnectMs = 2_000;
/** `Retry-After` for refused clients, which poll the state meanwhile. */
const refusedRetrySeconds = 30;

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // nginx would otherwise buffer the events.
  "x-accel-buffering": "no",
};

/** State of a scan that was cancelled while watched: its page explains the rest. */
const cancelledScan = { status: "cancelled", progressStage: null, progressPercent: 0 } as const;

/** Pace of the heartbeats of a server. */
export function startHeartbeats(beat: () => void): () => void {
  const interval = setInterval(beat, heartbeatMs);
  return () => clearInterval(interval);
}

export type ScanEvents = (visit: Visit, scan: ScanRecord) => Response;

export function createScanEvents(): ScanEvents {
  const streams = new Map<string, number>();
  let open = 0;

  /** Acquires a stream slot; the returned function releases it once. Null if none is free. */
  function acquireStream(address: string): (() => void) | null {
    const current = streams.get(address) ?? 0;
    if (open >= streamsMax || current >= streamsPerAddressMax) return null;
    open++;
    streams.set(address, current + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      open--;
      const left = (streams.get(address) ?? 1) - 1;
      if (left === 0) streams.delete(address);
      else streams.set(address, left);
    };
  }

  return (visit, scan) => {
    if (visit.request.method === "HEAD") return respond(visit, 200, null, headers);
    const release = acquireStream(visit.address);
    const body = release === null ? null : streamOf(visit, scan, release);
    if (body !== null) return respond(visit, 200, body, headers);
    return respond(visit, 503, null, { "cache-control": "no-store", "retry-after": String(refusedRetrySeconds) });
  };
}

/** Null if the limit of listeners is reached. `leave` is called in every case of ending. */
function streamOf(visit: Visit, scan: ScanRecord, release: () => void): ReadableStream<Uint8Array> | null {
  let end = () => {};
  let refused = false;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const writer = eventWriterOf(visit, scan, (text) => controller.enqueue(Buffer.from(text)));
      const close = () => {
        end();
        controller.close();
      };
      end = release;
      // The scan is over: no event follows.
      if (writer.begin()) return close();
      const unsubscribe = visit.settings.scanning.progress.subscribe(scan.token, (event) => {
        if (!mayReadOn(visit) || writer.write(event)) close();
      });
      const fromMs = performance.now();
      const endHeartbeats = visit.settings.scanning.startHeartbeats(() => {
        const isLate = performance.now() - fromMs > streamMsMax || (controller.desiredSize ?? 0) < -unsentEventsMax;
        if (isLate || !mayReadOn(visit) || writer.heartbeat()) close();
      });
      end = () => {
        endHeartbeats();
        unsubscribe?.();
        release();
      };
      refused = unsubscribe === null;
      if (refused) close();
    },
    // The client disconnected.
    cancel: () => end(),
  });
  return refused ? null : stream;
}

/** A stream outlives the check of its request. */
function mayReadOn(visit: Visit): boolean {
  return visit.settings.config.readers === "everybody" || isSessionOpen(visit);
}

function isEnd(name: string): name is ScanEventData["done"]["status"] {
  return name === "finished" || name === "failed" || name === "cancelled";
}

/** Formats scan events without duplicates. The functions return whether the scan is over. */
function eventWriterOf(visit: Visit, scan: ScanRecord, write: (text: string) => void) {
  const { store } = visit.settings;
  const { token } = scan;
  const latest = new Map<string, string>();

  /** Sends nothing if the latest event of this name had an equal `distinct`. */
  function send<E extends keyof ScanEventData>(event: E, data: ScanEventData[E], distinct = JSON.stringify(data)): void {
    if (latest.get(event) === distinct) return;
    latest.set(event, distinct);
    write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  function sendStage(stage: ProgressStage, percent: number): false {
    send("position", { position: null, text: null });
    send("stage", { stage });
    send("percent", progressWithin(visit, scan, stage, percent), String(percent));
    return false;
  }

  function sendPosition(): false {
    send("position", waitingOf(visit, scan));
    return false;
  }

  function sendAbsence(): void {
    if (scanLocationOf(scan) !== localLocation) send("absence", absenceOf(visit, scan));
  }

  /** The result must be readable before the end is announced. */
  function sendEnd(status: ScanEventData["done"]["status"]): true {
    if (status === "finished") send("percent", { percent: 100, towards: 100, usualMs: null, sinceMs: 0 });
    send("done", { status });
    return true;
  }

  return {
    begin: () => {
      write(`retry: ${reconnectMs}\n\n`);
      const { status, progressStage, progressPercent } = store.scans.findByToken(token) ?? cancelledScan;
      if (isEnd(status)) return sendEnd(status);
      sendAbsence();
      return progressStage === null ? sendPosition() : sendStage(progressStage, progressPercent);
    },
    /** Keeps the connection alive, and ends it if the stored scan is over although its event was lost. */
    heartbeat: () => {
      write(": \n\n");
      const { status } = store.scans.findByToken(token) ?? cancelledScan;
      if (isEnd(status)) return sendEnd(status);
      sendAbsence();
      return status === "queued" ? sendPosition() : false;
    },
    write: (event: ScanEvent) => {
      if (isEnd(event.type)) return sendEnd(event.type);
      return event.type === "stage" ? sendStage(event.stage, event.percent) : sendPosition();
    },
  };
}
