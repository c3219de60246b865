/** The dispatcher with locations: capacity, adoption after a restart, and scans that wait for a worker for too long. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import { localLocation } from "../../../src/parse/location.ts";
import { type Dispatcher, type DispatcherOptions, startDispatcher } from "../../../src/scan/dispatcher.ts";
import type { StoredJob } from "../../../src/scan/gatherer.ts";
import { createProgress } from "../../../src/scan/progress.ts";
import type { ScanEnd } from "../../../src/scan/scanner.ts";
import type { ScanOutcome } from "../../../src/scan/task.ts";
import type { Store } from "../../../src/store/store.ts";
import { evidence } from "../../support/evidence.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { emptyResult as result } from "../../support/stored.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

const log = createLog({ level: "error", format: "text", write: () => {} });
const finished: ScanOutcome = { status: "finished", result, evidence: evidence(), screenshot: null, timings: { total: 1 } };
const waitMaxMs = 3_600_000;
/** More than the interval of the search for scans that waited too long. */
const sweepMs = 60_100;

interface Held {
  readonly stored: StoredJob;
  readonly end: (end: ScanEnd) => void;
}

let temporary: TemporaryStore;
let store: Store;
let held: Held[];
let dispatcher: Dispatcher | undefined;
/** Capacities by location. */
let capacities: Record<string, number>;
let absent: Date | null;
let onCapacity: () => void;

beforeEach(async () => {
  temporary = temporaryStore();
  store = temporary.store;
  held = [];
  capacities = {};
  absent = null;
  onCapacity = () => {};
  await store.workers.enrol({ id: `U${"A".repeat(55)}`, name: "first", location: "berlin", now: new Date() });
});

afterEach(async () => {
  await dispatcher?.stop(0);
  dispatcher = undefined;
  await temporary.stop();
});

const remote: NonNullable<DispatcherOptions["remote"]> = {
  names: () => Object.keys(capacities),
  capacity: (location) => capacities[location] ?? 0,
  absentSince: () => absent,
  onCapacity: (listener) => {
    onCapacity = listener;
  },
  gather: () => Promise.reject(new Error("the scanner asks, not the dispatcher")),
  visit: () => Promise.reject(new Error("the scanner asks, not the dispatcher")),
  provers: () => ({ present: 1, unable: [] }),
};

async function started(given: Partial<DispatcherOptions> = {}): Promise<void> {
  const scanner: DispatcherOptions["scanner"] = {
    scanStored: (_url, stored, _report, signal) =>
      new Promise((end) => {
        held.push({ stored, end });
        const interrupted = { status: "failed", code: "interrupted", evidence: null, timings: {} } as const;
        signal?.addEventListener("abort", () => end({ outcome: interrupted, release: async () => {} }));
      }),
  };
  const progress = createProgress({ concurrency: 1, clock: systemClock, log });
  dispatcher = await startDispatcher({
    clock: systemClock,
    store,
    scanner,
    prove: async () => "crashed",
    concurrency: 1,
    remote,
    waitMaxMs,
    progress,
    observer: silentObserver,
    log,
    ...given,
  });
}

async function queued(url: string, location = "berlin", now = new Date()): Promise<string> {
  const scan = await store.scans.queue({ accountId: 1, url, location, now });
  if (scan === "full") throw new Error("the queue is full");
  return scan.token;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(2);
}

const statusOf = (token: string) => store.scans.findByToken(token)?.status;
const tokensHeld = () => held.map(({ stored }) => stored.token);

describe("the dispatcher", () => {
  test("releases a scan of which not even the failure can be stored, so that its result takes no place for ever", async () => {
    const token = await queued("https://a.test/");
    capacities = { berlin: 1 };
    const refused = () => Promise.reject(new Error("no such scan"));
    await started({ store: { ...store, scans: { ...store.scans, finish: refused, fail: refused } } });
    await until(() => held.length === 1);
    const released = Promise.withResolvers<string>();
    held[0]?.end({ outcome: finished, release: async () => released.resolve(token) });
    expect(await released.promise).toBe(token);
  });

  test("gives each location as many scans as it can hold", async () => {
    const berlin = [await queued("https://a.test/"), await queued("https://b.test/"), await queued("https://c.test/")];
    const local = [await queued("https://d.test/", localLocation), await queued("https://e.test/", localLocation)];
    capacities = { berlin: 2 };
    await started();
    await until(() => held.length === 3);
    expect(berlin.map(statusOf)).toEqual(["running", "running", "queued"]);
    expect(local.map(statusOf)).toEqual(["running", "queued"]);
    expect(held.map(({ stored }) => stored.location).sort()).toEqual(["berlin", "berlin", localLocation]);
    capacities = { berlin: 3 };
    onCapacity();
    await until(() => held.length === 4);
    expect(tokensHeld()).toContain(berlin[2]);
  });

  test("is not held up by a location without workers", async () => {
    await queued("https://a.test/");
    const local = await queued("https://b.test/", localLocation);
    await started();
    await until(() => held.length === 1);
    expect(tokensHeld()).toEqual([local]);
  });

  test("adopts the scans that workers have, and requeues its own", async () => {
    capacities = { berlin: 1 };
    const there = await queued("https://a.test/");
    const here = await queued("https://b.test/", localLocation);
    await started();
    await until(() => held.length === 2);
    await dispatcher?.stop(0);
    expect([there, here].map(statusOf)).toEqual(["running", "running"]);
    held = [];
    capacities = {};
    await started();
    await until(() => held.length === 2);
    const stored = (token: string) => held.find((each) => each.stored.token === token)?.stored;
    expect(stored(there)).toEqual({ token: there, attempt: 1, location: "berlin", adopted: true });
    expect(stored(here)).toEqual({ token: here, attempt: 2, location: localLocation, adopted: false });
  });

  test("requeues the scans of workers if it has no fleet any more", async () => {
    capacities = { berlin: 1 };
    const there = await queued("https://a.test/");
    await started();
    await until(() => held.length === 1);
    await dispatcher?.stop(0);
    await started({ remote: null });
    expect(statusOf(there)).toBe("queued");
  });

  test("releases a result only after it is stored", async () => {
    capacities = { berlin: 1 };
    const token = await queued("https://a.test/");
    await started();
    await until(() => held.length === 1);
    const atRelease: unknown[] = [];
    held[0]?.end({ outcome: finished, release: async () => void atRelease.push(statusOf(token)) });
    await until(() => atRelease.length === 1);
    expect(atRelease).toEqual(["finished"]);
  });

  test("fails scans that waited for a worker for too long, and no others", async () => {
    const clock = fakeClock();
    const now = clock.now().getTime();
    const old = await queued("https://a.test/", "berlin", new Date(now - waitMaxMs - 1));
    const young = await queued("https://b.test/", "berlin", new Date(now - waitMaxMs / 2));
    absent = new Date(now - waitMaxMs - 1);
    await started({ clock });
    clock.advance(sweepMs);
    await until(() => statusOf(old) === "failed");
    expect(store.scans.findByToken(old)?.errorCode).toBe("no-worker");
    expect(statusOf(young)).toBe("queued");
  });
});
