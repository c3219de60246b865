/** The head while nats-server does not answer, or answers late: cases that a real server cannot be brought to at will. */
import { afterEach, describe, expect, test } from "vitest";
import {
  createPendingJobs,
  defaultFleetTimes,
  type FleetStore,
  type HeadTransport,
  type PendingJob,
} from "../../../src/fleet/head/head-parts.ts";
import { reconcile } from "../../../src/fleet/head/reconcile.ts";
import { createJobPublisher, createRemoteGather } from "../../../src/fleet/head/remote-gather.ts";
import { createResultIntake, type ResultIntake } from "../../../src/fleet/head/result-intake.ts";
import { fleetProtocol } from "../../../src/fleet/messages.ts";
import { defaultDeadlines } from "../../../src/scan/task.ts";
import { fakeClock, settled } from "../../support/fake-clock.ts";

const worker = `U${"A".repeat(55)}`;
const nothing = () => {};
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const scannedAt = "2026-11-22T10:00:00.000Z";
const jobSettings = { deadlines: defaultDeadlines, screenshot: false, headerCharsMax: 512 };

/** Every scan runs at the location that its token names. */
const store = {
  scans: { findByToken: (token: string) => ({ status: "running", location: token.split("_")[0], attempts: 1 }) },
  workers: { locations: () => ["berlin", "paris"], find: () => ({ name: "first", location: "berlin", revokedAt: null }) },
} as unknown as FleetStore;

const clock = fakeClock();

function transportWith(changes: Partial<HeadTransport>): HeadTransport {
  return {
    publishJob: async () => 1,
    jobs: async () => new Set(),
    sequenceOfJob: async () => 1,
    deliveredSequence: async () => 1,
    withdrawJob: async () => {},
    cancel: nothing,
    results: async () => [],
    resultPart: async () => null,
    removeResults: async () => {},
    removeResultPart: async () => {},
    ...changes,
  };
}

const sentAddress = { location: "berlin", worker, token: "berlin_1", attempt: 1, delivery: 1, part: null };

function sentJob(token: string, changes: Partial<PendingJob> = {}): PendingJob {
  const job = { v: fleetProtocol, token, attempt: 1, url: "https://site.test/", scannedAt, ...jobSettings } as const;
  const times = { worker: null, sequence: 1, sentAtMs: 0, begunAtMs: null, republished: 0, unreadable: 0 };
  return { location: token.split("_")[0] ?? "", job, ofProof: false, onStage: nothing, end: nothing, state: "sent", ...times, ...changes };
}

describe("the comparison with NATS", () => {
  const compare = (pendingJobs: ReturnType<typeof createPendingJobs>, transport: HeadTransport) =>
    reconcile({ pendingJobs, transport, store, count: nothing, onUnsent: nothing, clock, log, times: defaultFleetTimes });

  test("goes on with the other locations while the stream of one does not answer", async () => {
    const pendingJobs = createPendingJobs();
    for (const token of ["berlin_1", "paris_1"]) pendingJobs.add(sentJob(token));
    const jobs = (location: string) => (location === "berlin" ? Promise.reject(new Error("timeout")) : Promise.resolve(new Set<string>()));
    await compare(pendingJobs, transportWith({ jobs }));
    expect(pendingJobs.list().map(({ state }) => state)).toEqual(["sent", "unsent"]);
  });

  test.each([
    [60_000, []],
    [24 * 60 * 60_000, ["timeout"]],
  ])("ends a job that a worker has had for %i ms: %j", async (ms, expected) => {
    const ends: unknown[] = [];
    const pendingJobs = createPendingJobs();
    pendingJobs.add(sentJob("berlin_1", { begunAtMs: clock.now().getTime() - ms, end: (code) => void ends.push(code) }));
    await compare(pendingJobs, transportWith({ jobs: async () => new Set(["berlin_1"]) }));
    expect(ends).toEqual(expected);
  });
});

describe("a lost job", () => {
  const compare = (pending: PendingJob, transport: HeadTransport) => {
    const pendingJobs = createPendingJobs();
    pendingJobs.add(pending);
    return reconcile({ pendingJobs, transport, store, count: nothing, onUnsent: nothing, clock, log, times: defaultFleetTimes });
  };

  test("begins again when it is published again", async () => {
    const pending = sentJob("berlin_1", { begunAtMs: 1, sentAtMs: 1 });
    await compare(pending, transportWith({}));
    expect([pending.state, pending.begunAtMs, pending.republished]).toEqual(["unsent", null, 1]);
  });

  test.each(["reading", "ended", "unsent"] as const)("is none whose scan is %s", async (state) => {
    const pending = sentJob("berlin_1", { state });
    await compare(pending, transportWith({}));
    expect([pending.state, pending.republished]).toEqual([state, 0]);
  });

  test("is looked for before results: a worker sends a result before it acknowledges", async () => {
    const asked: string[] = [];
    const jobs = async () => {
      asked.push("jobs");
      return new Set<string>();
    };
    const results = async () => {
      asked.push("results");
      return [];
    };
    await compare(sentJob("berlin_1"), transportWith({ jobs, results }));
    expect(asked.slice(0, 2)).toEqual(["jobs", "results"]);
  });

  test("is not one that was published while NATS was asked", async () => {
    const pending = sentJob("berlin_1");
    const jobs = async () => {
      pending.sentAtMs = clock.now().getTime();
      return new Set<string>();
    };
    await compare(pending, transportWith({ jobs }));
    expect([pending.state, pending.republished]).toEqual(["sent", 0]);
  });

  test.each([
    [0, ["unsent", 1]],
    [null, ["sent", 0]],
  ])("is published again unless its manifest has arrived: part %j", async (part, expected) => {
    const pending = sentJob("berlin_1");
    const address = { ...sentAddress, part };
    await compare(pending, transportWith({ results: async () => [address] }));
    expect([pending.state, pending.republished]).toEqual(expected);
  });

  test.each([
    [6, null],
    [7, expect.any(Number)],
    [8, expect.any(Number)],
  ])("has a time limit once it was delivered: %i of sequence 7", async (delivered, begunAtMs) => {
    const pending = sentJob("berlin_1", { sequence: null });
    const jobs = async () => new Set(["berlin_1"]);
    await compare(pending, transportWith({ jobs, sequenceOfJob: async () => 7, deliveredSequence: async () => delivered }));
    expect(pending.begunAtMs).toEqual(begunAtMs);
  });
});

describe("the publisher", () => {
  const publisherOf = (pendingJobs: ReturnType<typeof createPendingJobs>, transport: HeadTransport) =>
    createJobPublisher(pendingJobs, transport, { isConnected: () => true, mayVisit: () => true, retryMs: 1_000, clock, log });
  const unsent = (token: string, changes: Partial<PendingJob> = {}) => sentJob(token, { state: "unsent", sequence: null, ...changes });
  const laterAttempt = (token: string) => {
    const pending = unsent(token);
    return { ...pending, job: { ...pending.job, attempt: 2 } };
  };

  test("goes on with other locations, and repeats the one that fails until it works", async () => {
    const pendingJobs = createPendingJobs();
    for (const token of ["berlin_1", "paris_1"]) pendingJobs.add(unsent(token));
    let isFull = true;
    const published: string[] = [];
    const publishJob: HeadTransport["publishJob"] = async (location, { token }) => {
      published.push(token);
      if (location === "berlin" && isFull) throw new Error("maximum bytes exceeded");
      return 1;
    };
    const publisher = publisherOf(pendingJobs, transportWith({ publishJob }));
    publisher.wake();
    // Asked for while it runs.
    publisher.wake();
    await clock.pass(1);
    expect([published, pendingJobs.list().map(({ state }) => state)]).toEqual([
      ["berlin_1", "paris_1", "berlin_1"],
      ["unsent", "sent"],
    ]);
    expect(publisher.fault()).toBe("scans of the location berlin cannot be published: its stream in NATS is full");
    isFull = false;
    await clock.pass(5_000);
    expect([published.length, publisher.fault(), pendingJobs.list().map(({ state }) => state)]).toEqual([4, null, ["sent", "sent"]]);
    publisher.stop();
  });

  test("withdraws the job of the earlier attempt first", async () => {
    const calls: string[] = [];
    const pendingJobs = createPendingJobs();
    pendingJobs.add(laterAttempt("berlin_1"));
    const withdrawn = Promise.withResolvers<void>();
    const withdrawJob = async () => {
      calls.push("withdraw");
      await withdrawn.promise;
    };
    const publisher = publisherOf(pendingJobs, transportWith({ withdrawJob, publishJob: async () => calls.push("publish") }));
    publisher.wake();
    await settled();
    expect(calls).toEqual(["withdraw"]);
    withdrawn.resolve();
    await settled();
    expect(calls).toEqual(["withdraw", "publish"]);
  });

  test("notes when a job is sent, so that an older look at NATS does not miss it", async () => {
    const pendingJobs = createPendingJobs();
    const pending = unsent("berlin_1");
    pendingJobs.add(pending);
    await clock.pass(60_000);
    const publisher = publisherOf(pendingJobs, transportWith({}));
    publisher.wake();
    await settled();
    expect([pending.state, pending.sentAtMs]).toEqual(["sent", clock.now().getTime()]);
    publisher.stop();
  });

  test("publishes no job that has ended during the withdrawal", async () => {
    const calls: string[] = [];
    const pendingJobs = createPendingJobs();
    const pending = laterAttempt("berlin_1");
    pendingJobs.add(pending);
    const withdrawJob = async () => {
      pending.state = "ended";
    };
    publisherOf(pendingJobs, transportWith({ withdrawJob, publishJob: async () => calls.push("publish") })).wake();
    await settled();
    expect(calls).toEqual([]);
  });

  test("withdraws a job that was released while it was published, and cancels it", async () => {
    const calls: string[] = [];
    const pendingJobs = createPendingJobs();
    const pending = unsent("berlin_1");
    pendingJobs.add(pending);
    const publishJob = async () => {
      pendingJobs.remove(pending);
      return 1;
    };
    const cancel: HeadTransport["cancel"] = (_location, { token }) => void calls.push(`cancel ${token}`);
    publisherOf(
      pendingJobs,
      transportWith({ publishJob, cancel, withdrawJob: async (_location, token) => void calls.push(`withdraw ${token}`) }),
    ).wake();
    await settled();
    expect(calls).toEqual(["withdraw berlin_1", "cancel berlin_1"]);
  });
});

describe("a result", () => {
  let intake: ResultIntake | undefined;
  afterEach(() => intake?.close());

  test("whose parts NATS never returns is given up, and its scan is gathered again", async () => {
    const pending = sentJob("berlin_1");
    const pendingJobs = createPendingJobs();
    pendingJobs.add(pending);
    const counted: string[] = [];
    const transport = transportWith({ resultPart: () => Promise.reject(new Error("no answer")) });
    intake = createResultIntake({
      pendingJobs,
      transport,
      store,
      count: (event) => void counted.push(event),
      clock,
      log,
      ...defaultFleetTimes,
    });
    const address = { location: "berlin", worker, token: "berlin_1", attempt: 1, delivery: 1, part: null };
    const sent = { bytes: 1, sha256: "0".repeat(64), parts: 1 };
    const bytes = Buffer.from(JSON.stringify({ v: fleetProtocol, evidenceVersion: 1, result: sent, screenshot: null }));
    let acknowledged = 0;
    for (let delivery = 0; delivery < 10 && acknowledged === 0; delivery++) {
      intake.receive(address, { bytes, ack: () => void acknowledged++, nak: nothing, working: nothing });
      await Bun.sleep(1);
    }
    expect([counted, acknowledged, pending.state, pending.unreadable]).toEqual([["lost"], 1, "sent", 5]);
  });

  test.each([
    ["arrives", (part: PromiseWithResolvers<Uint8Array>) => part.resolve(Buffer.from("x"))],
    ["cannot be read", (part: PromiseWithResolvers<Uint8Array>) => part.reject(new Error("timeout"))],
  ])("whose scan has ended before its part %s counts as nothing", async (_name, end) => {
    const pendingJobs = createPendingJobs();
    const pending = sentJob("berlin_1");
    pendingJobs.add(pending);
    const part = Promise.withResolvers<Uint8Array>();
    const counted: string[] = [];
    const transport = transportWith({ resultPart: () => part.promise });
    intake = createResultIntake({
      pendingJobs,
      transport,
      store,
      count: (event) => void counted.push(event),
      clock,
      log,
      ...defaultFleetTimes,
    });
    const sent = { bytes: 1, sha256: "0".repeat(64), parts: 1 };
    const bytes = Buffer.from(JSON.stringify({ v: fleetProtocol, evidenceVersion: 1, result: sent, screenshot: null }));
    intake.receive(sentAddress, { bytes, ack: nothing, nak: nothing, working: nothing });
    pending.state = "ended";
    end(part);
    await settled();
    expect([counted, pending.state]).toEqual([[], "ended"]);
  });

  test("of a later attempt stays when the earlier one is released", async () => {
    const pendingJobs = createPendingJobs();
    const pending = sentJob("berlin_1");
    pendingJobs.add(pending);
    const transport = transportWith({ resultPart: () => new Promise<null>(nothing) });
    intake = createResultIntake({ pendingJobs, transport, store, count: nothing, clock, log, ...defaultFleetTimes });
    let acknowledged = 0;
    const address = { location: "berlin", worker, token: "berlin_1", attempt: 1, delivery: 1, part: null };
    const sent = { bytes: 1, sha256: "0".repeat(64), parts: 1 };
    const bytes = Buffer.from(JSON.stringify({ v: fleetProtocol, evidenceVersion: 1, result: sent, screenshot: null }));
    intake.receive(address, { bytes, ack: () => void acknowledged++, nak: nothing, working: nothing });
    intake.release({ ...pending, job: { ...pending.job, attempt: 0 } });
    expect([pending.state, acknowledged]).toEqual(["reading", 0]);
    intake.release(pending);
    expect(acknowledged).toBe(1);
  });
});

test("a scan is no longer pending once its outcome is stored, and an earlier attempt does not take a later one with it", async () => {
  const pendingJobs = createPendingJobs();
  const { gather } = createRemoteGather({
    ...{
      pendingJobs,
      transport: transportWith({}),
      isConnected: () => true,
      store,
      jobSettings,
      clock,
      log,
      onUnsent: nothing,
      onAdopted: nothing,
    },
    intake: { release: nothing },
    whenWorkersKnown: async () => {},
  });
  const handOut = (attempt: number) => {
    const stored = { token: "berlin_1", attempt, location: "berlin", adopted: false };
    const end = gather({ url: "https://site.test/", stored }, { onStage: nothing, signal: undefined });
    return { end, pending: pendingJobs.find("berlin_1", attempt) };
  };
  const [earlier, later] = [handOut(1), handOut(2)];
  for (const { pending } of [earlier, later]) pending?.end("timeout");
  await (await earlier.end).release();
  expect(pendingJobs.list()).toEqual([later.pending as PendingJob]);
  await (await later.end).release();
  expect(pendingJobs.list()).toEqual([]);
});

test("a scan that is interrupted by a stop of the head before its job is out is not published any more", async () => {
  const published: string[] = [];
  let isConnected = false;
  const transport = transportWith({
    publishJob: async (_location, { token }) => published.push(token),
  });
  const pendingJobs = createPendingJobs();
  const parts = { transport, isConnected: () => isConnected, clock, log };
  const publisher = createJobPublisher(pendingJobs, transport, { ...parts, mayVisit: () => true, retryMs: 10 });
  const { gather } = createRemoteGather({
    ...{ ...parts, pendingJobs, store, jobSettings, onUnsent: publisher.wake, onAdopted: nothing },
    intake: { release: nothing },
    whenWorkersKnown: async () => {},
  });
  const stop = new AbortController();
  const handOut = (token: string, signal?: AbortSignal) =>
    gather({ url: "https://site.test/", stored: { token, attempt: 1, location: "berlin", adopted: false } }, { onStage: nothing, signal });
  const end = handOut("berlin_1", stop.signal);
  void handOut("berlin_2");
  stop.abort();
  expect((await end).gathered).toBe("interrupted");
  isConnected = true;
  publisher.wake();
  await settled();
  publisher.stop();
  expect(published).toEqual(["berlin_2"]);
});

test("a stop of the head while a job is published leaves the job to the worker that may have taken it", async () => {
  const withdrawn: string[] = [];
  const confirmed = Promise.withResolvers<number>();
  const transport = transportWith({
    publishJob: () => confirmed.promise,
    withdrawJob: async (_location, token) => void withdrawn.push(token),
  });
  const pendingJobs = createPendingJobs();
  const publisher = createJobPublisher(pendingJobs, transport, { isConnected: () => true, mayVisit: () => true, retryMs: 10, clock, log });
  const { gather } = createRemoteGather({
    ...{ pendingJobs, transport, isConnected: () => true, store, jobSettings, clock, log, onUnsent: publisher.wake, onAdopted: nothing },
    intake: { release: nothing },
    whenWorkersKnown: async () => {},
  });
  const stop = new AbortController();
  const stored = { token: "berlin_1", attempt: 1, location: "berlin", adopted: false };
  const end = gather({ url: "https://site.test/", stored }, { onStage: nothing, signal: stop.signal });
  stop.abort();
  expect((await end).gathered).toBe("interrupted");
  confirmed.resolve(7);
  await Bun.sleep(1);
  publisher.stop();
  expect(withdrawn).toEqual([]);
});
