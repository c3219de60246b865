/** A head with its store in memory, and workers, on a nats-server in memory and under fake timers: the whole protocol in milliseconds. */
import { jetstream } from "@nats-io/jetstream";
import { vi } from "vitest";
import type { ScanErrorCode } from "../../src/evidence/scan.ts";
import type { FleetStore } from "../../src/fleet/head/head-parts.ts";
import { type Fleet, type FleetOptions, openFleet } from "../../src/fleet/head/open-fleet.ts";
import { type PackedResult, packResult } from "../../src/fleet/results.ts";
import { inboxPrefixOf, type JobDelivery, resultSubjects } from "../../src/fleet/subjects.ts";
import { type FleetWorker, type FleetWorkerOptions, startFleetWorker } from "../../src/fleet/worker/fleet-worker.ts";
import type { GatherEnd, ScanTerms } from "../../src/scan/gatherer.ts";
import { defaultDeadlines, type Gathered } from "../../src/scan/task.ts";
import { type FakeClock, fakeClock } from "./fake-clock.ts";
import type { FakeConnection } from "./fake-connection.ts";
import { createFakeNats, type FakeNats } from "./fake-nats.ts";
import { gatheredFor } from "./fleet-rig.ts";

export const fakeLocation = "berlin";
/** Ids of workers, in the form of a public nkey. */
export const fakeWorkerIds = [`U${"A".repeat(55)}`, `U${"B".repeat(55)}`] as const;
const url = "https://shop.test/";
const startedAt = "2026-11-22T10:00:00.000Z";

type StoredWorker = NonNullable<ReturnType<FleetStore["workers"]["find"]>>;

export interface FakeStore extends FleetStore {
  readonly enrolled: Map<string, StoredWorker>;
  readonly running: Map<string, { status: string; location: string; attempts: number; startedAt: string; url: string }>;
}

/** Clock that also moves the timers of the NATS client and of its models. */
export function startClientTime(): Disposable & { readonly clock: FakeClock } {
  vi.useFakeTimers();
  const clock = fakeClock({ startAt: new Date(), alongside: (ms) => void vi.advanceTimersByTime(ms) });
  return { clock, [Symbol.dispose]: () => void vi.useRealTimers() };
}

function createFakeStore(now: Date): FakeStore {
  const enrolled = new Map<string, StoredWorker>();
  const running: FakeStore["running"] = new Map();
  const change = async (id: string, changes: Partial<StoredWorker>) => {
    const known = enrolled.get(id);
    if (known !== undefined) enrolled.set(id, { ...known, ...changes });
    return undefined as never;
  };
  for (const [at, id] of fakeWorkerIds.entries())
    enrolled.set(id, {
      ...{ id, name: `worker-${at + 1}`, location: fakeLocation, enrolledAt: now.toISOString() },
      ...{ revokedAt: null, drained: false, lastSeenAt: null, version: null, slots: 0, reach: null, scansDone: 0, lastFault: null },
    });
  return {
    ...{ enrolled, running },
    instance: () => "installation",
    scans: { findByToken: (token) => running.get(token) as never },
    workers: {
      find: (id) => enrolled.get(id),
      list: () => [...enrolled.values()],
      locations: () => [...new Set([...enrolled.values()].filter(({ revokedAt }) => revokedAt === null).map(({ location }) => location))],
      noteSeen: (id, { version, slots, reach, now }) => change(id, { version, slots, reach, lastSeenAt: now.toISOString() }),
      noteScan: (id) => change(id, { scansDone: (enrolled.get(id)?.scansDone ?? 0) + 1 }),
      noteFault: (id, lastFault) => change(id, { lastFault }),
    },
  };
}

export interface FakeScan {
  readonly token: string;
  readonly terms: ScanTerms;
  readonly signal: AbortSignal | undefined;
  end(value?: Gathered | ScanErrorCode): void;
}

export interface FakeWorker extends FleetWorker {
  readonly id: string;
  readonly connection: FakeConnection;
  /** Scans in order of their start. */
  readonly scans: readonly FakeScan[];
  readonly outcomes: readonly string[];
}

export interface FakeHead extends Fleet {
  readonly connection: FakeConnection;
}

export interface FakeFleet extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly nats: FakeNats;
  readonly store: FakeStore;
  /** Lines of the log with their fields. */
  readonly logged: readonly string[];
  openHead(changes?: Partial<FleetOptions>): Promise<FakeHead>;
  startWorker(options?: Partial<FleetWorkerOptions> & { readonly which?: 0 | 1 }): Promise<FakeWorker>;
  /** A scan that the store has as running, handed out by the head. Its token is `token`. */
  handOut(
    head: Fleet,
    token: string,
    options?: { readonly adopted?: boolean; readonly signal?: AbortSignal; readonly attempt?: number },
  ): HandedOut;
  /** A head alone whose scan `one` is out. */
  headWithScan(options?: Parameters<FakeFleet["handOut"]>[2]): Promise<{ readonly head: FakeHead; readonly scan: HandedOut }>;
  /** Lets the worker change in the store, as an administrator does. */
  changeWorker(which: 0 | 1, changes: Partial<StoredWorker>): void;
  /** Messages of a result as a worker publishes them; `which` are parts, null for the manifest. */
  send(sent?: SentByHand, which?: readonly (number | null)[], packed?: PackedResult): Promise<void>;
  messages(): { readonly jobs: readonly string[]; readonly results: readonly string[] };
}

/** The first delivery of the scan `one` to the first worker by default. */
export type SentByHand = Partial<Omit<JobDelivery, "location">>;

export const honestPacked = () => packResult(gatheredFor(url, startedAt, 512));

export interface HandedOut {
  readonly stages: readonly string[];
  /** Null while the scan is out. */
  readonly ended: GatherEnd | null;
  readonly end: Promise<GatherEnd>;
  /** Stores the outcome as the dispatcher does, then releases. */
  store(): Promise<void>;
}

export async function startFakeFleet(): Promise<FakeFleet> {
  const time = startClientTime();
  const { clock } = time;
  const nats = createFakeNats();
  const store = createFakeStore(clock.now());
  const logged: string[] = [];
  const line = (event: string, fields = {}) => void logged.push(`${event} ${JSON.stringify(fields)}`);
  const log = { debug: line, info: line, warn: line, error: line };
  const closing: (() => Promise<unknown>)[] = [];

  async function openHead(changes: Partial<FleetOptions> = {}): Promise<FakeHead> {
    const connection = nats.connect();
    const opening = openFleet({
      ...{ servers: ["fake"], credentialsFile: null, caFile: null, store, clock, log, connect: async () => connection },
      jobSettings: { deadlines: defaultDeadlines, screenshot: false, headerCharsMax: 512 },
      ...{ readers: "everybody", waitMaxMs: 3_600_000 },
      ...changes,
    });
    const fleet = await clock.until(opening);
    const head = { ...fleet, connection };
    closing.push(head.close);
    return head;
  }

  const handOut: FakeFleet["handOut"] = (head, token, { adopted = false, signal, attempt = 1 } = {}) => {
    store.running.set(token, { status: "running", location: fakeLocation, attempts: attempt, startedAt, url });
    return handedOut(head, token, store, { adopted, signal, attempt });
  };

  return {
    ...{ clock, nats, store, logged, openHead },
    startWorker: async ({ which = 0, ...options } = {}) => {
      const id = fakeWorkerIds[which];
      const connection = nats.connect({ inboxPrefix: inboxPrefixOf(id) });
      const held = heldGatherer();
      const outcomes: string[] = [];
      const worker = startFleetWorker({
        ...{ connection, address: { location: fakeLocation, worker: id }, slots: 2, version: "1.2.3", reach: "public" },
        ...{ deadlines: defaultDeadlines, browserFault: () => null, clock, log, gatherer: held.gatherer },
        timeScan: () => ({ stage: () => {}, end: () => {} }),
        onEnd: (outcome) => void outcomes.push(outcome),
        ...options,
      });
      closing.unshift(async () => {
        const stopped = worker.stop(0).catch(() => {});
        for (const { end } of held.scans) end("interrupted");
        await connection.close();
        await stopped;
      });
      await clock.pass(100);
      return Object.assign(worker, { id, connection, scans: held.scans, outcomes });
    },
    handOut,
    headWithScan: async (options) => {
      const head = await openHead();
      const scan = handOut(head, "one", options);
      await clock.pass(1_000);
      return { head, scan };
    },
    changeWorker: (which, changes) => {
      const known = store.enrolled.get(fakeWorkerIds[which]);
      if (known !== undefined) store.enrolled.set(known.id, { ...known, ...changes });
    },
    send: async (sent = {}, which = [0, null], { parts, manifest } = honestPacked()) => {
      const client = jetstream(nats.connect());
      const delivery = { location: fakeLocation, worker: fakeWorkerIds[0], token: "one", attempt: 1, delivery: 1, ...sent };
      for (const part of which) {
        const bytes = part === null ? Buffer.from(JSON.stringify(manifest)) : (parts[part] ?? Buffer.from("x"));
        await client.publish(resultSubjects.of({ ...delivery, part }), bytes);
      }
    },
    messages: () => ({
      jobs: nats.jetStream.subjects(`ASSAY_SCANS_${fakeLocation}`).map((subject) => subject.split(".")[3] ?? ""),
      results: nats.jetStream.subjects(`ASSAY_RESULTS_${fakeLocation}`).map((subject) => subject.split(".").slice(4).join(".")),
    }),
    [Symbol.asyncDispose]: async () => {
      for (const close of closing) await clock.until(close());
      time[Symbol.dispose]();
    },
  };
}

interface HandOutTerms {
  readonly adopted: boolean;
  readonly signal: AbortSignal | undefined;
  readonly attempt: number;
}

function handedOut(head: Fleet, token: string, store: FakeStore, { adopted, signal, attempt }: HandOutTerms): HandedOut {
  const stages: string[] = [];
  let ended: GatherEnd | null = null;
  const stored = { token, attempt, location: fakeLocation, adopted };
  const end = head.gather({ url, stored }, { onStage: (stage) => void stages.push(stage), signal });
  end.then((value) => {
    ended = value;
  });
  return {
    ...{ stages, end },
    get ended() {
      return ended;
    },
    store: async () => {
      const scan = store.running.get(token);
      if (scan !== undefined) scan.status = "finished";
      await (await end).release();
    },
  };
}

/** Holds each scan until the test ends it. */
export function heldGatherer() {
  const scans: FakeScan[] = [];
  const gatherer: FleetWorkerOptions["gatherer"] = {
    visitOn: async () => "crashed",
    gatherOn: (terms, { url: scanned, stored }, { onStage, signal }) =>
      new Promise((resolve) => {
        onStage("resolving");
        signal?.addEventListener("abort", () => resolve("interrupted"));
        const honest = () => gatheredFor(scanned, terms.scannedAt ?? "", terms.headerValueCharsMax);
        scans.push({ token: stored?.token ?? "", terms, signal, end: (value) => resolve(value ?? honest()) });
      }),
  };
  return { scans, gatherer };
}
