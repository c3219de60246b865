/** Dispatcher over models of store, scanner and clock: the test decides when a write is on disk, and how a scan ends. */
import { createLog } from "../../src/base/log.ts";
import type { ProgressStage, ScanEvent } from "../../src/evidence/scan.ts";
import { localLocation } from "../../src/parse/location.ts";
import { type Dispatcher, type DispatcherOptions, startDispatcher } from "../../src/scan/dispatcher.ts";
import type { StoredJob } from "../../src/scan/gatherer.ts";
import type { ScanOutcome } from "../../src/scan/task.ts";
import { DataDirError } from "../../src/store/data-dir.ts";
import { isBackgroundLane, type Lane } from "../../src/store/queue.ts";
import type { ScanRecord } from "../../src/store/scans.ts";
import type { Worker as StoredWorker } from "../../src/store/workers.ts";
import { evidence } from "./evidence.ts";
import { type FakeClock, fakeClock, settled } from "./fake-clock.ts";
import { emptyResult as result } from "./stored.ts";

export const finishedOutcome: ScanOutcome = { status: "finished", result, evidence: evidence(), screenshot: null, timings: { total: 1 } };
export const failedOutcome = (code: "unresolved" | "interrupted"): ScanOutcome => ({ status: "failed", code, evidence: null, timings: {} });

export type ScanWrite = "claim" | "finish" | "fail" | "cancel" | "requeue" | "sweep" | "progress";

/** Waits before a write becomes visible, and again until it is on disk. A rejection refuses the write. */
export type WriteGate = (write: ScanWrite, moment: "visible" | "durable") => Promise<void>;

/** Scan that a scanner runs until the test ends it. */
export interface HeldScan {
  readonly stored: StoredJob;
  readonly ending: AbortSignal;
  readonly report: (stage: ProgressStage) => void;
  readonly end: (outcome: ScanOutcome) => void;
  isEnded(): boolean;
}

/** What is left when a process ends. */
export interface ModelDisk {
  readonly scans: Map<string, ScanRecord>;
  /** Tokens of waiting scans, the next first. */
  readonly queue: string[];
  /** Number of ends of each scan that were stored. */
  readonly ends: Map<string, number>;
}

export function emptyDisk(): ModelDisk {
  return { scans: new Map(), queue: [], ends: new Map() };
}

export function queueOnDisk(
  { scans, queue }: ModelDisk,
  now: Date,
  { location = localLocation, lane = "agency" as Lane, network = undefined as string | undefined } = {},
): string {
  const id = scans.size + 1;
  const token = `scan${id}`;
  scans.set(token, {
    ...{ token, id, accountId: 1, url: `https://${token}.test/`, status: "queued", createdAt: now.toISOString(), startedAt: null },
    ...{ endedAt: null, progressStage: null, progressPercent: 0, attempts: 0, errorCode: null, summary: null },
    ...{ network, queueKey: [location, lane, id], ...(location === localLocation ? {} : { location }) },
  });
  queue.push(token);
  return token;
}

const isBackground = ({ queueKey }: ScanRecord) => queueKey !== undefined && isBackgroundLane(queueKey[1]);
const locationOf = ({ location = localLocation }: ScanRecord) => location;

/** `gate` of a process that was killed never resolves, so nothing of it reaches the disk. */
function modelStore(disk: ModelDisk, gate: WriteGate): DispatcherOptions["store"] {
  const { scans, queue, ends } = disk;
  async function write<T>(kind: ScanWrite, apply: () => T): Promise<T> {
    await gate(kind, "visible");
    const applied = apply();
    await gate(kind, "durable");
    return applied;
  }
  const change = (token: string, from: ScanRecord["status"], changes: Partial<ScanRecord>): ScanRecord => {
    const scan = scans.get(token);
    if (scan?.status !== from) throw new Error(`${token} is ${scan?.status}, not ${from}`);
    const changed = { ...scan, ...changes };
    scans.set(token, changed);
    if (changed.status === "finished" || changed.status === "failed") ends.set(token, (ends.get(token) ?? 0) + 1);
    return changed;
  };
  const take = (token: string) => void queue.splice(queue.indexOf(token), 1);
  const fail = (token: string, from: ScanRecord["status"], errorCode: string, now: Date) =>
    change(token, from, { status: "failed", errorCode, endedAt: now.toISOString() });
  const waitingAt = (location: string) => queue.flatMap((token) => scans.get(token) ?? []).filter((scan) => locationOf(scan) === location);
  const running = () => [...scans.values()].filter(({ status }) => status === "running");
  return {
    workers: { list: () => [...new Set([...scans.values()].map(locationOf))].map((location) => ({ location }) as StoredWorker) },
    scans: {
      findJob: (token) => scans.get(token),
      listRunning: running,
      lanesOf: () => [],
      claimNext: (location, now, background = true, busyNetworks = new Set()) =>
        write("claim", () => {
          const waiting = waitingAt(location).filter((scan) => !isBackground(scan) || !busyNetworks.has(scan.network ?? ""));
          const next = waiting.find((scan) => !isBackground(scan)) ?? (background ? waiting[0] : undefined);
          if (next === undefined) return undefined;
          take(next.token);
          return change(next.token, "queued", { status: "running", startedAt: now.toISOString(), attempts: next.attempts + 1 });
        }),
      setProgress: (token, progressStage, progressPercent) =>
        write("progress", () => {
          if (scans.get(token)?.status === "running") change(token, "running", { progressStage, progressPercent });
        }),
      requeueInterrupted: (now, isAdoptable = () => false) =>
        write("requeue", () =>
          running()
            .filter((scan) => !isAdoptable(scan))
            .reverse()
            .map(({ token, attempts }) => {
              if (attempts >= 2) return fail(token, "running", "interrupted", now);
              queue.unshift(token);
              return change(token, "running", { status: "queued" });
            }),
        ),
      failWaiting: (location, before, now) =>
        write("sweep", () => {
          const old = waitingAt(location).filter(({ createdAt }) => Date.parse(createdAt) < before.getTime());
          for (const { token } of old) take(token);
          return old.map(({ token }) => fail(token, "queued", "no-worker", now));
        }),
      cancelQueued: (token, now) =>
        write("cancel", () => {
          const scan = scans.get(token);
          if (scan?.status !== "queued") return undefined;
          take(token);
          fail(token, "queued", "cancelled", now);
          return scan;
        }),
      finish: (token, { now }) => write("finish", () => change(token, "running", { status: "finished", endedAt: now.toISOString() })),
      fail: (token, { code, now }) => write("fail", () => fail(token, "running", code, now)),
      finishProof: () => Promise.reject(new Error("the model has no proofs")),
    },
    proofs: { setStep: async () => {} },
  };
}

export interface ModelOptions {
  readonly disk?: ModelDisk;
  readonly clock?: FakeClock;
  /** Scans at a time by location; the test may change them. */
  readonly capacities?: Record<string, number>;
  readonly hasFleet?: boolean;
  /** Time since which a location has no worker. */
  readonly absentSince?: (location: string) => Date | null;
  readonly gate?: WriteGate;
  /** Outcome of a scan that is aborted; null leaves it running. */
  readonly onAbort?: () => ScanOutcome | null;
  readonly onHeld?: (held: HeldScan) => void;
}

/** One process with its dispatcher. */
export interface DispatcherModel {
  readonly disk: ModelDisk;
  readonly clock: FakeClock;
  readonly held: readonly HeldScan[];
  /** Tokens in the order of their release. */
  readonly released: readonly string[];
  /** Each with the status of the scan at that time. */
  readonly events: readonly { readonly token: string; readonly event: ScanEvent; readonly status: string | undefined }[];
  readonly ended: readonly (readonly [token: string, code: string | null])[];
  readonly claimedMs: readonly number[];
  readonly log: readonly string[];
  /** Resolves when the dispatcher has started. */
  readonly dispatcher: Promise<Dispatcher>;
  /** Notifies the dispatcher that a capacity has risen. */
  raised(): void;
}

export function dispatcherModel(given: ModelOptions = {}): DispatcherModel {
  const { disk = emptyDisk(), clock = fakeClock(), capacities = { [localLocation]: 1 }, hasFleet = true } = given;
  const { gate = async () => {}, onAbort = () => failedOutcome("interrupted"), onHeld = () => {}, absentSince = () => null } = given;
  const held: HeldScan[] = [];
  const released: string[] = [];
  const events: { token: string; event: ScanEvent; status: string | undefined }[] = [];
  const ended: (readonly [string, string | null])[] = [];
  const claimedMs: number[] = [];
  const log: string[] = [];
  let raised = () => {};
  const scanner: DispatcherOptions["scanner"] = {
    scanStored: (_url, stored, report, ending = new AbortController().signal) =>
      new Promise((resolve) => {
        let isEnded = false;
        const end = (outcome: ScanOutcome) => {
          isEnded = true;
          resolve({ outcome, release: async () => void released.push(stored.token) });
        };
        const abort = () => {
          const outcome = onAbort();
          if (outcome !== null) end(outcome);
        };
        const scan: HeldScan = { stored, ending, report, end, isEnded: () => isEnded };
        held.push(scan);
        onHeld(scan);
        if (ending.aborted) abort();
        else ending.addEventListener("abort", abort);
      }),
  };
  const dispatcher = startDispatcher({
    ...{
      store: modelStore(disk, gate),
      scanner,
      prove: async () => "crashed",
      concurrency: capacities[localLocation] ?? 1,
      waitMaxMs: 3_600_000,
      clock,
    },
    remote: hasFleet
      ? {
          names: () => Object.keys(capacities).filter((name) => name !== localLocation),
          capacity: (location) => capacities[location] ?? 0,
          absentSince,
          onCapacity: (listener) => {
            raised = listener;
          },
          gather: () => Promise.reject(new Error("the scanner asks, not the dispatcher")),
          visit: () => Promise.reject(new Error("the scanner asks, not the dispatcher")),
          provers: () => ({ present: 1, unable: [] }),
        }
      : null,
    progress: { publish: (token, event) => void events.push({ token, event, status: disk.scans.get(token)?.status }) },
    observer: {
      claimed: (ms) => void claimedMs.push(ms),
      begin: () => ({ stage: () => {}, end: () => {} }),
      ended: ({ token }, code) => void ended.push([token, code]),
    },
    log: createLog({ level: "debug", format: "json", write: (line) => void log.push(line) }),
  });
  return { disk, clock, held, released, events, ended, claimedMs, log, dispatcher, raised: () => raised() };
}

/** Gate with writes that wait, or are refused, until the test lets them through. */
export function switchedGate() {
  const held = new Map<string, PromiseWithResolvers<void>>();
  const refused = new Map<ScanWrite, Error>();
  const gate: WriteGate = async (write, moment) => {
    const error = moment === "visible" ? refused.get(write) : undefined;
    if (error !== undefined) throw error;
    await held.get(`${write} ${moment}`)?.promise;
  };
  return {
    gate,
    refuse: (write: ScanWrite, error: Error | null) => void (error === null ? refused.delete(write) : refused.set(write, error)),
    /** Returns the function that lets the writes through. */
    hold: (write: ScanWrite, moment: "visible" | "durable") => {
      const waiting = Promise.withResolvers<void>();
      held.set(`${write} ${moment}`, waiting);
      return async () => {
        held.delete(`${write} ${moment}`);
        waiting.resolve();
        await settled();
      };
    },
  };
}

/** A dispatcher that has claimed what it can of so many scans. */
export async function startedDispatcher(scans: number, options: ModelOptions = {}) {
  const { clock = fakeClock(), disk = emptyDisk() } = options;
  const tokens = Array.from({ length: scans }, () => queueOnDisk(disk, clock.now()));
  const model = dispatcherModel({ ...options, clock, disk });
  await settled();
  return { model, tokens, clock, disk, dispatcher: await model.dispatcher };
}

export const heldTokens = ({ held }: DispatcherModel) => held.map(({ stored }) => stored.token);
export const statusOnDisk = ({ disk }: DispatcherModel, token = "") => disk.scans.get(token)?.status;
export const eventTypesOf = ({ events }: DispatcherModel, token = "") =>
  events.filter((one) => one.token === token).map(({ event }) => event.type);
export const fullDisk = () => new DataDirError("full", "no space is left");
