/** Dispatcher on a real store with a fake scanner, so that a test decides when a scan ends. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import type { ProgressStage, ScanEvent } from "../../../src/evidence/scan.ts";
import { localLocation } from "../../../src/parse/location.ts";
import { type Dispatcher, startDispatcher } from "../../../src/scan/dispatcher.ts";
import type { StoredJob } from "../../../src/scan/gatherer.ts";
import { createProgress, type ProgressHub } from "../../../src/scan/progress.ts";
import type { Scanner } from "../../../src/scan/scanner.ts";
import type { ScanOutcome } from "../../../src/scan/task.ts";
import { DataDirError } from "../../../src/store/data-dir.ts";
import type { Store } from "../../../src/store/store.ts";
import { evidence } from "../../support/evidence.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { emptyResult as result } from "../../support/stored.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";
import { addSite } from "../../support/watched-sites.ts";

const finished: ScanOutcome = { status: "finished", result, evidence: evidence(), screenshot: null, timings: { total: 1 } };
const failed: ScanOutcome = { status: "failed", code: "unresolved", evidence: null, timings: {} };

/** Scan that waits for the test to end it. */
interface Held {
  readonly url: string;
  readonly stored: StoredJob;
  readonly report: (stage: ProgressStage) => void;
  readonly end: (outcome: ScanOutcome) => void;
}

let temporary: TemporaryStore;
let store: Store;
let held: Held[];
/** Tokens of scans whose result may be dropped elsewhere. */
let released: string[];
let dispatcher: Dispatcher | undefined;
let progress: ProgressHub;

const log = createLog({ level: "error", format: "text", write: () => {} });

const scanner: Pick<Scanner, "scanStored"> = {
  scanStored: (url, stored, report, signal) =>
    new Promise((resolve) => {
      const release = async () => void released.push(stored.token);
      const end = (outcome: ScanOutcome) => resolve({ outcome, release });
      held.push({ url, stored, report, end });
      signal?.addEventListener("abort", () => end({ ...failed, code: "interrupted" }));
    }),
};

beforeEach(() => {
  temporary = temporaryStore();
  store = temporary.store;
  held = [];
  released = [];
  progress = createProgress({ concurrency: 2, clock: systemClock, log });
});

afterEach(async () => {
  await dispatcher?.stop(0);
  dispatcher = undefined;
  await temporary.stop();
});

async function started(concurrency = 2, over: Store = store, to = log): Promise<Dispatcher> {
  dispatcher = await startDispatcher({
    clock: systemClock,
    store: over,
    scanner,
    prove: async () => "crashed",
    concurrency,
    remote: null,
    waitMaxMs: 1_000,
    progress,
    observer: silentObserver,
    log: to,
  });
  return dispatcher;
}

async function queued(url: string): Promise<string> {
  const scan = await store.scans.queue({ accountId: 1, url, now: new Date() });
  if (scan === "full") throw new Error("the queue is full");
  return scan.token;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(2);
}

const statusOf = (token: string) => store.scans.findByToken(token)?.status;

describe("the dispatcher", () => {
  test("claims queued scans at start, in order, up to its concurrency", async () => {
    const tokens = [await queued("https://a.test/"), await queued("https://b.test/"), await queued("https://c.test/")];
    await started(2);
    await until(() => held.length === 2);
    expect(tokens.map(statusOf)).toEqual(["running", "running", "queued"]);
    held[0]?.end(finished);
    await until(() => held.length === 3);
    expect(held.map(({ url }) => url)).toEqual(["https://a.test/", "https://b.test/", "https://c.test/"]);
    expect(tokens.map(statusOf)).toEqual(["finished", "running", "running"]);
    expect(store.results.find(tokens[0] ?? "")).toEqual(result);
  });

  test.each([
    [3, 2],
    [2, 1],
    [1, 1],
  ])(
    "with %i slots runs at most %i scheduled scans, so that a person finds a free slot or waits for one scan",
    async (slots, scheduledMax) => {
      for (let at = 0; at < 4; at++) {
        const site = await addSite(store, { accountId: 1, url: `https://site${at}.test/`, now: new Date() });
        await store.siteRuns.start({ accountId: 1, siteId: site.id, kind: "scheduled", now: new Date() });
      }
      const { wake } = await started(slots);
      await until(() => held.length === scheduledMax);
      const person = await queued("https://person.test/");
      expect(store.scans.queuePosition(person)).toBe(1);
      wake();
      if (slots === 1) {
        await Bun.sleep(50);
        expect(statusOf(person)).toBe("queued");
        held[0]?.end(finished);
      }
      await until(() => statusOf(person) === "running");
      expect(held.map(({ url }) => url).filter((url) => url.includes("site"))).toHaveLength(scheduledMax);
      for (const { url, end } of held) if (url.includes("person")) end(finished);
      await until(() => statusOf(person) === "finished");
      await until(() => held.length === scheduledMax + (slots === 1 ? 2 : 1));
    },
  );

  test("is woken by a new scan", async () => {
    const { wake, running } = await started();
    expect(running()).toBe(0);
    const token = await queued("https://a.test/");
    wake();
    await until(() => held.length === 1);
    held[0]?.end(failed);
    await until(() => statusOf(token) === "failed");
    expect(store.scans.findByToken(token)?.errorCode).toBe("unresolved");
    await until(() => released.includes(token));
  });

  test("names request, scan, location and attempt in every line about a scan", async () => {
    const lines: Record<string, unknown>[] = [];
    const all = createLog({ level: "debug", format: "json", write: (line) => void lines.push(JSON.parse(line)) });
    const url = "https://a.test/";
    const requestId = crypto.randomUUID();
    const scan = await store.scans.queue({ accountId: 1, url, requestId, now: new Date() });
    if (scan === "full") throw new Error("the queue is full");
    await started(1, store, all);
    await until(() => held.length === 1);
    expect(held[0]?.stored).toMatchObject({ requestId, attempt: 1 });
    held[0]?.end(finished);
    await until(() => lines.some(({ event }) => event === "scan ended"));
    expect(lines.map(({ event }) => event)).toEqual(["scan claimed", "scan started", "scan ended"]);
    for (const line of lines) expect(line).toMatchObject({ token: scan.token, url, location: "local", attempt: 1, requestId });
  });

  test("misses no scan when many are queued at once", async () => {
    const { wake } = await started(3);
    const tokens: string[] = [];
    for (let count = 0; count < 50; count++) {
      tokens.push(await queued(`https://${count}.test/`));
      wake();
      if (count % 3 === 0) held.shift()?.end(finished);
    }
    const ending = setInterval(() => held.shift()?.end(finished), 1);
    await until(() => tokens.every((token) => statusOf(token) === "finished"));
    clearInterval(ending);
  });

  test("stores progress a few times a second", async () => {
    const token = await queued("https://a.test/");
    await started();
    await until(() => held.length === 1);
    held[0]?.report("resolving");
    held[0]?.report("connecting");
    held[0]?.report("browsing");
    await until(() => store.scans.findByToken(token)?.progressStage === "resolving");
    expect(store.scans.findByToken(token)?.progressPercent).toBe(2);
    await until(() => store.scans.findByToken(token)?.progressStage === "browsing");
    expect(store.scans.findByToken(token)?.progressPercent).toBe(20);
    held[0]?.end(finished);
    await until(() => statusOf(token) === "finished");
    expect(store.scans.findByToken(token)).toMatchObject({ progressStage: null, progressPercent: 100 });
  });

  test("publishes every stage at once, and the end only after it is stored", async () => {
    const [first, second] = [await queued("https://a.test/"), await queued("https://b.test/")];
    const events: (ScanEvent & { readonly status?: string | undefined })[] = [];
    const positions: (number | null)[] = [];
    progress.subscribe(first, (event) => events.push({ ...event, status: statusOf(first) }));
    progress.subscribe(second, ({ type }) => type === "moved" && positions.push(store.scans.queuePosition(second)));
    await started(1);
    await until(() => held.length === 1);
    held[0]?.report("resolving");
    held[0]?.report("browsing");
    // A second attempt at gathering.
    held[0]?.report("connecting");
    const running = { status: "running" };
    expect(events).toEqual([
      { type: "claimed", location: localLocation, ...running },
      { type: "stage", stage: "resolving", percent: 2, ...running },
      { type: "stage", stage: "browsing", percent: 20, ...running },
      { type: "stage", stage: "connecting", percent: 20, ...running },
    ]);
    held[0]?.end(finished);
    await until(() => held.length === 2);
    expect(events.at(-1)).toEqual({ type: "finished", status: "finished" });
    expect(positions).toEqual([1]);
    progress.subscribe(second, (event) => events.push(event));
    held[1]?.end(failed);
    await until(() => statusOf(second) === "failed");
    await until(() => events.at(-1)?.type === "failed");
    expect(progress.waitMs(1, localLocation)).not.toBeNull();
  });

  test("stops when running scans have ended", async () => {
    const [first, second] = [await queued("https://a.test/"), await queued("https://b.test/")];
    const { stop } = await started(1);
    await until(() => held.length === 1);
    const stopping = stop(10_000);
    held[0]?.end(finished);
    await stopping;
    expect([first, second].map(statusOf)).toEqual(["finished", "queued"]);
    expect(held).toHaveLength(1);
  });

  test("waits for a scan whose claim is not yet on disk", async () => {
    const { wake, stop } = await started(1);
    const token = await queued("https://a.test/");
    wake();
    const stopping = stop(10_000);
    await until(() => held.length === 1);
    held[0]?.end(finished);
    await stopping;
    expect(statusOf(token)).toBe("finished");
  });

  test("abandons a scan that does not end in time; the next start retries it once", async () => {
    const token = await queued("https://a.test/");
    const begun = await started();
    await until(() => held.length === 1);
    await begun.stop(50);
    expect(statusOf(token)).toBe("running");
    await started();
    await until(() => held.length === 2);
    expect(store.scans.findByToken(token)).toMatchObject({ status: "running", attempts: 2 });
    await dispatcher?.stop(0);
    await started();
    expect(store.scans.findByToken(token)).toMatchObject({ status: "failed", errorCode: "interrupted" });
  });

  test("retries an outcome on a full disk until it is stored", async () => {
    const token = await queued("https://a.test/");
    let refusals = 1;
    await started(1, {
      ...store,
      scans: {
        ...store.scans,
        finish: (...given) => (refusals-- > 0 ? Promise.reject(new DataDirError("full", "no room")) : store.scans.finish(...given)),
      },
    });
    await until(() => held.length === 1);
    held[0]?.end(finished);
    await until(() => refusals === 0);
    expect(statusOf(token)).toBe("running");
    await until(() => statusOf(token) === "finished");
  });

  test("fails a scan whose outcome cannot be stored", async () => {
    const token = await queued("https://a.test/");
    await started(1, { ...store, scans: { ...store.scans, finish: () => Promise.reject(new TypeError("cyclic")) } });
    await until(() => held.length === 1);
    held[0]?.end(finished);
    await until(() => statusOf(token) === "failed");
    expect(store.scans.findByToken(token)?.errorCode).toBe("crashed");
    expect(store.scans.runningCount()).toBe(0);
  });

  test("continues with the next scan when the failure cannot be stored either", async () => {
    const refused = await queued("https://a.test/");
    await queued("https://b.test/");
    let failures = 0;
    await started(1, {
      ...store,
      scans: {
        ...store.scans,
        fail: () => {
          failures++;
          return Promise.reject(new TypeError("cyclic"));
        },
      },
    });
    await until(() => held.length === 1);
    held[0]?.end(failed);
    await until(() => held.length === 2);
    expect(failures).toBe(2);
    expect(statusOf(refused)).toBe("running");
  });
});
