/** Cancelling by an administrator: waiting and running scans, races with their end, and with the stop of the server. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import { type Dispatcher, type DispatcherOptions, startDispatcher } from "../../../src/scan/dispatcher.ts";
import { createProgress, type ProgressHub } from "../../../src/scan/progress.ts";
import type { ScanOutcome } from "../../../src/scan/task.ts";
import { evidence } from "../../support/evidence.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { emptyResult as result } from "../../support/stored.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

const log = createLog({ level: "error", format: "text", write: () => {} });
const finished: ScanOutcome = { status: "finished", result, evidence: evidence(), screenshot: null, timings: { total: 1 } };
const interrupted: ScanOutcome = { status: "failed", code: "interrupted", evidence: null, timings: {} };

let temporary: TemporaryStore;
let progress: ProgressHub;
let dispatcher: Dispatcher;
/** Outcome of the scan that is aborted. */
let onAbort: ScanOutcome;
let begun: string[];
let released: string[];
let counted: (readonly [token: string, code: string | null])[];

const scanner: DispatcherOptions["scanner"] = {
  scanStored: (_url, { token }, _report, signal) =>
    new Promise((resolve) => {
      begun.push(token);
      signal?.addEventListener("abort", () => resolve({ outcome: onAbort, release: async () => void released.push(token) }));
    }),
};

beforeEach(async () => {
  temporary = temporaryStore();
  [onAbort, begun, released, counted] = [interrupted, [], [], []];
  progress = createProgress({ concurrency: 1, clock: systemClock, log });
  dispatcher = await startDispatcher({
    clock: systemClock,
    store: temporary.store,
    scanner,
    prove: async () => "crashed",
    concurrency: 1,
    remote: null,
    waitMaxMs: 1_000,
    progress,
    observer: { ...silentObserver, ended: ({ token }, code) => void counted.push([token, code]) },
    log,
  });
});

afterEach(async () => {
  await dispatcher.stop(0);
  await temporary.stop();
});

async function queued(count: number): Promise<readonly string[]> {
  const tokens: string[] = [];
  for (let at = 0; at < count; at++) {
    const scan = await temporary.store.scans.queue({ accountId: 1, url: `https://${at}.test/`, now: new Date() });
    if (scan === "full") throw new Error("the queue is full");
    tokens.push(scan.token);
  }
  dispatcher.wake();
  while (begun.length === 0) await Bun.sleep(1);
  return tokens;
}

const stored = (token: string) => temporary.store.scans.findByToken(token);
const failed = { status: "failed", errorCode: "cancelled" };

test("a scan that waits fails, and leaves its place to the next", async () => {
  const [first = "", second = "", third = ""] = await queued(3);
  const events: string[] = [];
  progress.subscribe(second, ({ type }) => void events.push(type));
  expect(await dispatcher.cancel(second)).toBe("cancelled");
  expect(stored(second)).toMatchObject({ ...failed, attempts: 0 });
  expect([events, begun]).toEqual([["failed"], [first]]);
  expect(temporary.store.scans.queuePosition(third)).toBe(1);
  expect(counted).toEqual([[second, "cancelled"]]);
});

test("a running scan fails at once, is released, and the next one begins", async () => {
  const [first = "", second = ""] = await queued(2);
  expect(await dispatcher.cancel(first)).toBe("cancelled");
  expect([stored(first), released, counted]).toMatchObject([failed, [first], [[first, "cancelled"]]]);
  while (!begun.includes(second)) await Bun.sleep(1);
  expect(stored(second)?.status).toBe("running");
});

test("a scan that ended before the abort reached it keeps its result", async () => {
  onAbort = finished;
  const [token = ""] = await queued(1);
  expect(await dispatcher.cancel(token)).toBe("over");
  expect(stored(token)?.status).toBe("finished");
  expect(temporary.store.results.find(token)).toEqual(result);
});

test("cancelling twice, also at the same time, is cancelling once", async () => {
  const [token = ""] = await queued(1);
  expect(await Promise.all([dispatcher.cancel(token), dispatcher.cancel(token)])).toEqual(["cancelled", "cancelled"]);
  expect(await dispatcher.cancel(token)).toBe("cancelled");
  expect(counted).toEqual([[token, "cancelled"]]);
});

test("an unknown and a malformed token are unknown, and wait for no transaction", async () => {
  let isWriting = true;
  let end = () => {};
  const writing = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { scans } = temporary.store;
  const { cancelQueued } = scans;
  // Stands for a long transaction of another request.
  Object.assign(scans, { cancelQueued: async (...given: Parameters<typeof cancelQueued>) => writing.then(() => cancelQueued(...given)) });
  expect(await Promise.all(["0".repeat(22), "", "x".repeat(5_000)].map(dispatcher.cancel))).toEqual(["unknown", "unknown", "unknown"]);
  const [token = ""] = await queued(1);
  const cancelled = dispatcher.cancel(token).then((outcome) => [outcome, isWriting]);
  isWriting = false;
  end();
  expect(await cancelled).toEqual(["cancelled", false]);
});

test("a scan that is cancelled while the server stops does not begin again", async () => {
  const [first = ""] = await queued(1);
  const cancelling = dispatcher.cancel(first);
  await Promise.all([dispatcher.stop(0), cancelling]);
  expect(stored(first)).toMatchObject(failed);
});
