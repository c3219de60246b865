/** Faults between head and NATS: each ends with one outcome for each scan, and with empty streams. */
import { describe, expect, test } from "vitest";
import { defaultDeadlines } from "../../../src/scan/task.ts";
import { connectAsWorker, consumerOf, messagesIn } from "../../support/fleet-places.ts";
import { rigLocation, startRig } from "../../support/fleet-rig.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { eventually } from "../../support/raw-head.ts";
import { expectEmptyStreams, honestResult, sendParts } from "../../support/rig-results.ts";

describe.skipIf(natsIsMissing())("NATS", () => {
  test.each([false, true])("stops in mid-scan and comes back; with an empty disk: %s", async (emptyStore) => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const worker = await rig.startWorker();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    const scan = await worker.started(1);
    await rig.nats.stop("SIGKILL");
    await eventually(() => fleet.state() === "disconnected", "a lost connection");
    expect(fleet.fault()).toBe("the connection to nats-server is lost");
    expect(fleet.capacity(rigLocation)).toBe(0);
    await rig.nats.restart({ emptyStore });
    await eventually(() => fleet.state() === "connected", "a connection");
    scan.end();
    const end = await gathering;
    expect(end.gathered).toMatchObject({ timings: { total: 12 } });
    await rig.storeEnd(token, end);
    await expectEmptyStreams(rig);
    expect(fleet.fault()).toBeNull();
    expect(worker.scans.length).toBe(1);
  });

  test("loses its disk with a job that waits: the job is published again", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    const head = await rig.connectHead();
    await eventually(async () => (await messagesIn(head))[0] === 1, "a job");
    await head.close();
    await rig.nats.restart({ emptyStore: true });
    await eventually(() => fleet.state() === "disconnected", "a lost connection");
    await eventually(() => fleet.state() === "connected", "a connection");
    const worker = await rig.startWorker();
    (await worker.started(1)).end();
    await rig.storeEnd(token, await gathering);
    expect(fleet.counters()).toMatchObject({ results: 1, republished: 1 });
    await expectEmptyStreams(rig);
  });

  test("is absent at the start: the head goes on, and connects later", async () => {
    await using rig = await startRig({ times: { startWaitMs: 50 } });
    await rig.nats.stop();
    const fleet = await rig.open();
    expect(fleet.state()).toBe("disconnected");
    expect(fleet.fault()).toBe("connection refused");
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    await rig.nats.restart();
    await eventually(() => fleet.state() === "connected", "a connection");
    const worker = await rig.startWorker();
    (await worker.started(1)).end();
    await rig.storeEnd(token, await gathering);
    expect(fleet.state()).toBe("connected");
  });

  test("is full: jobs wait, and follow when there is room", async () => {
    await using rig = await startRig({ limits: { scanBytesMax: 900 } });
    const fleet = await rig.open();
    const tokens = [await rig.claimScan(), await rig.claimScan(), await rig.claimScan()];
    const gatherings = tokens.map((token) => rig.gather(fleet, token));
    await eventually(
      () => fleet.fault() === `scans of the location ${rigLocation} cannot be published: its stream in NATS is full`,
      "a full stream",
    );
    const worker = await rig.startWorker();
    for (const count of [1, 2, 3]) (await worker.started(count)).end();
    for (const [at, gathering] of gatherings.entries()) await rig.storeEnd(tokens[at] ?? "", await gathering);
    expect(fleet.fault()).toBeNull();
    expect(rig.logged.filter((line) => line.startsWith("scans cannot be published"))).toHaveLength(1);
    await expectEmptyStreams(rig);
  });
});

describe.skipIf(natsIsMissing())("the head", () => {
  test("stops with a scan out: the next one adopts it, and its result that has waited", async () => {
    await using rig = await startRig();
    const before = await rig.open();
    const worker = await rig.startWorker();
    const token = await rig.claimScan();
    const stopping = new AbortController();
    const gathering = rig.gather(before, token, { signal: stopping.signal });
    const scan = await worker.started(1);
    stopping.abort();
    expect((await gathering).gathered).toBe("interrupted");
    await before.close();
    expect(scan.signal?.aborted ?? false).toBe(false);
    scan.end();
    const head = await rig.connectHead();
    await eventually(async () => (await messagesIn(head))[0] === 0, "an acknowledged job");
    await head.close();
    const after = await rig.open();
    await rig.storeEnd(token, await rig.gather(after, token, { adopted: true }));
    await expectEmptyStreams(rig);
    expect(after.counters()).toMatchObject({ results: 1, dropped: 0, republished: 0 });
  });

  test("keeps a result that arrives before its scan is adopted", async () => {
    await using rig = await startRig();
    const token = await rig.claimScan();
    const fleet = await rig.open();
    await using worker = await connectAsWorker(rig.identities.first, rig.nats.url);
    await sendParts(
      worker,
      { location: rigLocation, worker: rig.identities.first.id, token, attempt: 1, delivery: 1 },
      honestResult(rig, token),
    );
    await Bun.sleep(200);
    expect(fleet.counters().dropped).toBe(0);
    const end = await rig.gather(fleet, token, { adopted: true });
    expect(end.gathered).toMatchObject({ timings: { total: 12 } });
    expect(fleet.counters()).toMatchObject({ results: 1, republished: 0 });
  });

  test("is killed after the outcome is stored: the next one removes what is left", async () => {
    await using rig = await startRig();
    const before = await rig.open();
    const worker = await rig.startWorker();
    const token = await rig.claimScan();
    const gathering = rig.gather(before, token);
    (await worker.started(1)).end();
    await gathering;
    await rig.store.scans.fail(token, { code: "crashed", evidence: null, timings: {}, now: new Date() });
    await before.close();
    const after = await rig.open();
    await expectEmptyStreams(rig);
    expect(after.counters()).toMatchObject({ results: 0 });
  });

  test("ends a scan as crashed whose workers are killed twice", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    for (const which of ["first", "second"] as const) {
      const worker = await rig.startWorker(which);
      await worker.started(1);
      await worker.kill();
    }
    // NATS counts deliveries when a worker asks for jobs.
    const idle = await rig.startWorker();
    const end = await gathering;
    expect(end.gathered).toBe("crashed");
    expect(idle.scans).toEqual([]);
    await rig.storeEnd(token, end);
    expect(fleet.counters()).toMatchObject({ spent: 1, results: 0 });
    await expectEmptyStreams(rig);
  });

  test("ends a scan as timed out whose worker has taken it and reports nothing", async () => {
    await using rig = await startRig();
    const fleet = await rig.open({
      jobSettings: { deadlines: { ...defaultDeadlines, scanMs: 10 }, screenshot: false, headerCharsMax: 512 },
    });
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    await using worker = await connectAsWorker(rig.identities.first, rig.nats.url);
    const job = await eventually(() => consumerOf(worker, rigLocation).next({ expires: 1_000 }), "a job");
    const working = setInterval(() => job.working(), 100);
    const cancels: string[] = [];
    worker.subscribe(`assay.cancel.${rigLocation}`, { callback: (_error, message) => void cancels.push(message.string()) });
    const end = await gathering;
    clearInterval(working);
    expect(end.gathered).toBe("timeout");
    await eventually(() => cancels.length > 0, "a cancel note");
    expect(JSON.parse(cancels[0] ?? "")).toEqual({ v: 1, token, attempt: 1 });
    await rig.storeEnd(token, end);
    await expectEmptyStreams(rig);
  });

  test("finds many results that have waited: each is stored once, and few are in memory at a time", async () => {
    await using rig = await startRig();
    const tokens = await Promise.all(Array.from({ length: 60 }, () => rig.claimScan()));
    const made = await rig.open();
    await made.close();
    await using worker = await connectAsWorker(rig.identities.first, rig.nats.url);
    for (const token of tokens)
      await sendParts(
        worker,
        { location: rigLocation, worker: rig.identities.first.id, token, attempt: 1, delivery: 1 },
        honestResult(rig, token),
      );
    const fleet = await rig.open();
    let unstored = 0;
    let most = 0;
    await Promise.all(
      tokens.map(async (token) => {
        const end = await rig.gather(fleet, token, { adopted: true });
        most = Math.max(most, ++unstored);
        await Bun.sleep(20);
        unstored--;
        await rig.storeEnd(token, end);
      }),
    );
    expect(most).toBeLessThanOrEqual(16);
    expect(fleet.counters()).toMatchObject({ results: 60, dropped: 0, republished: 0 });
    await expectEmptyStreams(rig);
  });

  test("publishes jobs of other locations while one has no stream", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const lost = await rig.claimScan("tokyo");
    void fleet.gather(
      { url: "https://site.test/", stored: { token: lost, attempt: 1, location: "tokyo", adopted: false } },
      { onStage: () => {} },
    );
    const worker = await rig.startWorker();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    (await worker.started(1)).end();
    await rig.storeEnd(token, await gathering);
    expect(fleet.fault()).toBe("scans of the location tokyo cannot be published");
  });

  test("brings the note of a cancelled scan: its worker ends it, and nothing is left", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const worker = await rig.startWorker();
    const tokens = [await rig.claimScan(), await rig.claimScan()] as const;
    const endings = tokens.map(() => new AbortController());
    const gatherings = tokens.map((token, at) => rig.gather(fleet, token, { signal: endings[at]?.signal ?? AbortSignal.abort() }));
    await worker.started(2);
    const [first, second] = tokens.map((token) => worker.scans.find((scan) => scan.token === token));
    endings[0]?.abort("cancelled");
    const end = await gatherings[0];
    if (end === undefined) throw new Error("no scan was gathered");
    expect(end.gathered).toBe("cancelled");
    await rig.storeEnd(tokens[0], end);
    await eventually(() => first?.signal?.aborted === true, "the end of the scan");
    expect(second?.signal?.aborted).toBe(false);
    second?.end();
    const other = await gatherings[1];
    if (other !== undefined) await rig.storeEnd(tokens[1], other);
    await expectEmptyStreams(rig);
  });

  test("ends a scan whose location has had no worker for too long", async () => {
    await using rig = await startRig({ waitMaxMs: 300 });
    const fleet = await rig.open();
    const token = await rig.claimScan();
    const end = await rig.gather(fleet, token);
    expect(end.gathered).toBe("no-worker");
    await rig.storeEnd(token, end);
    await expectEmptyStreams(rig);
  });
});
