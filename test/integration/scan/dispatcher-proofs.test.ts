/** Proofs in the slots of the dispatcher: they give way to scans of people before each visit. The tests end scans and visits. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import type { ScanErrorCode } from "../../../src/evidence/scan.ts";
import { type Dispatcher, type DispatcherOptions, startDispatcher } from "../../../src/scan/dispatcher.ts";
import { createProgress } from "../../../src/scan/progress.ts";
import type { ScanOutcome } from "../../../src/scan/task.ts";
import { evidence } from "../../support/evidence.ts";
import { queueProof } from "../../support/proof-bodies.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { emptyResult as result } from "../../support/stored.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";
import { addSite } from "../../support/watched-sites.ts";

const log = createLog({ level: "error", format: "text", write: () => {} });
const finished: ScanOutcome = { status: "finished", result, evidence: evidence(), screenshot: null, timings: { total: 1 } };
const interrupted: ScanOutcome = { status: "failed", code: "interrupted", evidence: null, timings: {} };

let temporary: TemporaryStore;
let dispatcher: Dispatcher;
/** What began, in its order: "visit", "other visit", or the token of a scan. */
let begun: string[];
/** Ends the scan, or the visit, that began last with this name. */
let ends: Map<string, () => void>;
const otherUrl = "https://other.test/";
/** Visits of each proof. */
const visitsOfProof = 3;
/** Waits of the proof before its visits. */
let wait: () => Promise<void>;

function until(condition: () => boolean): Promise<void> {
  return condition() ? Promise.resolve() : Bun.sleep(1).then(() => until(condition));
}

/** Something that lasts until the test ends it, or the signal. */
function held(name: string, signal: AbortSignal | undefined): Promise<void> {
  begun.push(name);
  return new Promise((resolve) => {
    ends.set(name, resolve);
    signal?.addEventListener("abort", () => resolve());
  });
}

/** Takes a further slot for a visit of the proof that runs. */
let takeFree: () => Promise<(() => void) | null>;

const prove: DispatcherOptions["prove"] = async ({ url }, { giveWay, takeFree: take, signal }): Promise<ScanErrorCode> => {
  takeFree = take;
  for (let visit = 0; visit < visitsOfProof && !signal.aborted; visit++) {
    await giveWay(wait);
    if (!signal.aborted) await held(url === otherUrl ? "other visit" : "visit", signal);
  }
  return signal.aborted ? "interrupted" : "timeout";
};

async function start(concurrency: number): Promise<void> {
  dispatcher = await startDispatcher({
    clock: systemClock,
    store: temporary.store,
    scanner: {
      scanStored: async (_url, { token }, _report, signal) => {
        await held(token, signal);
        return { outcome: signal?.aborted ? interrupted : finished, release: async () => {} };
      },
    },
    prove,
    concurrency,
    remote: null,
    waitMaxMs: 1_000,
    progress: createProgress({ concurrency, clock: systemClock, log }),
    observer: silentObserver,
    log,
  });
}

beforeEach(async () => {
  temporary = temporaryStore();
  await temporary.store.accounts.create({ email: "owner@assay.test", now: new Date() });
  [begun, ends, wait] = [[], new Map(), async () => {}];
});
afterEach(async () => {
  await dispatcher.stop(0);
  await temporary.stop();
});

async function scan(): Promise<string> {
  const queued = await temporary.store.scans.queue({ accountId: 1, url: "https://scan.test/", now: new Date() });
  if (queued === "full") throw new Error("the queue is full");
  dispatcher.wake();
  return queued.token;
}

async function proof(url = "https://site.test/"): Promise<string> {
  const { token } = await queueProof(temporary.store, { accountId: 1, url });
  dispatcher.wake();
  return token;
}

const visits = () => begun.filter((name) => name === "visit").length;
const statusOf = (token: string) => temporary.store.scans.findJob(token)?.status;
/** Ends what is named, once it has begun. */
async function end(name: string): Promise<void> {
  await until(() => ends.has(name));
  const resolve = ends.get(name);
  ends.delete(name);
  resolve?.();
}

test("a scan that waits runs before the next visit, and the proof goes on afterwards", async () => {
  await start(1);
  const [running] = [await proof()];
  await until(() => visits() === 1);
  const [first, second] = [await scan(), await scan()];
  expect([statusOf(first), begun]).toEqual(["queued", ["visit"]]);
  await end("visit");
  await end(first);
  await end(second);
  await end("visit");
  await end("visit");
  await until(() => statusOf(running) === "failed");
  expect(begun).toEqual(["visit", first, second, "visit", "visit"]);
  expect([statusOf(first), statusOf(second)]).toEqual(["finished", "finished"]);
});

test("a proof is not passed by without an end: what comes while it gives way waits for the next visit", async () => {
  await start(1);
  await proof();
  await until(() => visits() === 1);
  const first = await scan();
  await end("visit");
  await until(() => begun.includes(first));
  const later = await scan();
  await end(first);
  await end("visit");
  await end(later);
  await until(() => visits() === 3);
  expect(begun).toEqual(["visit", first, "visit", later, "visit"]);
});

test("the wait between two visits holds no slot", async () => {
  const gap = Promise.withResolvers<void>();
  await start(1);
  await proof();
  await until(() => visits() === 1);
  wait = () => gap.promise;
  await end("visit");
  const first = await scan();
  await end(first);
  await until(() => statusOf(first) === "finished");
  expect(visits()).toBe(1);
  gap.resolve();
  await until(() => visits() === 2);
});

test("it gives way to scans of people alone", async () => {
  await start(1);
  const site = await addSite(temporary.store, { accountId: 1, url: "https://watched.test/", now: new Date() });
  const running = await proof();
  await until(() => visits() === 1);
  await temporary.store.siteRuns.start({ accountId: 1, siteId: site.id, kind: "scheduled", now: new Date() });
  const other = await proof(otherUrl);
  expect(temporary.store.scans.queueLength()).toBe(2);
  await end("visit");
  await until(() => visits() === 2);
  expect([statusOf(other), temporary.store.scans.queueLength()]).toEqual(["queued", 2]);
  for (let visit = 1; visit < visitsOfProof; visit++) await end("visit");
  await until(() => statusOf(running) === "failed");
  await until(() => begun.length === visitsOfProof + 1);
  expect(begun).toEqual(["visit", "visit", "visit", "other visit"]);
  expect([statusOf(other), temporary.store.scans.queueLength()]).toEqual(["running", 1]);
});

test("no more scans run at once than there are slots", async () => {
  await start(2);
  await proof();
  await until(() => visits() === 1);
  const scans = [await scan(), await scan(), await scan()];
  await until(() => begun.length === 2);
  await end("visit");
  await until(() => begun.length === 3);
  expect([begun, statusOf(scans[2] ?? "")]).toEqual([["visit", scans[0], scans[1]], "queued"]);
  // Both slots have scans, so that the proof waits for one of them.
  for (const token of [scans[1], scans[2]]) await end(token ?? "");
  await until(() => visits() === 2);
  expect(statusOf(scans[0] ?? "")).toBe("running");
});

test("a proof that is cancelled while it gives way ends at once, and the scan in its place goes on", async () => {
  await start(1);
  const token = await proof();
  await until(() => visits() === 1);
  const first = await scan();
  await end("visit");
  await until(() => begun.includes(first));
  expect(await dispatcher.cancel(token)).toBe("cancelled");
  expect([temporary.store.proofs.find(token)?.errorCode, statusOf(first), visits()]).toEqual(["cancelled", "running", 1]);
  const next = await scan();
  await end(first);
  await end(next);
  await until(() => statusOf(next) === "finished");
});

test("further visits take only slots that are free, and leave one for people", async () => {
  await start(4);
  await proof();
  await until(() => visits() === 1);
  const releases = [await takeFree(), await takeFree()];
  expect([releases.map((release) => release !== null), await takeFree()]).toEqual([[true, true], null]);
  const [first, second] = [await scan(), await scan()];
  await until(() => begun.includes(first));
  expect([statusOf(second), await takeFree()]).toEqual(["queued", null]);
  releases[0]?.();
  await until(() => begun.includes(second));
  releases[1]?.();
  await end(first);
  await until(() => dispatcher.running() === 2);
  const [again, more] = [await takeFree(), await takeFree()];
  expect([again !== null, more]).toEqual([true, null]);
  again?.();
});

test("no further visit begins while people wait, nor in the only slot", async () => {
  await start(2);
  await proof();
  await until(() => visits() === 1);
  const release = await takeFree();
  const waits = await scan();
  expect([release !== null, await takeFree(), statusOf(waits)]).toEqual([true, null, "queued"]);
  release?.();
  expect(await takeFree()).toBeNull();
  await until(() => begun.includes(waits));
  await end(waits);
  await until(() => statusOf(waits) === "finished");
  await dispatcher.stop(0);
  await start(1);
  await until(() => visits() === 2);
  expect(await takeFree()).toBeNull();
});

test("a proof that gives way waits for its further visits, too", async () => {
  await start(2);
  await proof();
  await until(() => visits() === 1);
  const release = await takeFree();
  const first = await scan();
  await end("visit");
  await until(() => begun.includes(first));
  expect(begun).toEqual(["visit", first]);
  release?.();
  await until(() => visits() === 2);
  expect(statusOf(first)).toBe("running");
});
