/** Faults between head and workers: each ends with one outcome for each scan, and with empty streams. */
import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { describe, expect, test } from "vitest";
import { type PackedResult, packResult } from "../../../src/fleet/result-parts.ts";
import { type Delivery, resultMessageId, resultSubject, scanSubject } from "../../../src/fleet/subjects.ts";
import { defaultDeadlines } from "../../../src/scan/task.ts";
import { connectAsWorker, consumerOf, messagesIn } from "../../support/fleet-places.ts";
import { type FleetRig, gatheredFor, rigLocation, startRig } from "../../support/fleet-rig.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { eventually } from "../../support/raw-head.ts";

/** Without the protection against doubled messages: `twice` publishes each part twice. */
async function sendParts(connection: NatsConnection, delivery: Delivery, { parts, manifest }: PackedResult, twice = false): Promise<void> {
  const client = jetstream(connection);
  const messages = [...parts.entries()].map(([part, bytes]) => ({ address: { ...delivery, part: part as number | null }, bytes }));
  messages.push({ address: { ...delivery, part: null }, bytes: Buffer.from(JSON.stringify(manifest)) });
  for (const { address, bytes } of messages) {
    await client.publish(resultSubject(address), bytes);
    if (twice) await client.publish(resultSubject(address), bytes, { msgID: `${resultMessageId(address)} again` });
  }
}

async function expectEmptyStreams(rig: FleetRig): Promise<void> {
  const head = await rig.connectHead();
  try {
    await eventually(async () => (await messagesIn(head)).every((count) => count === 0), "empty streams", 5_000);
  } finally {
    await head.close();
  }
}

function honestResult(rig: FleetRig, token: string): PackedResult {
  const scan = rig.store.scans.findByToken(token);
  return packResult(gatheredFor(scan?.url ?? "", scan?.startedAt ?? "", 512));
}

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
    await eventually(() => fleet.fault() === "the stream of scans in NATS is full", "a full stream");
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

describe.skipIf(natsIsMissing())("a worker", () => {
  test("sends everything twice, and the result of a second delivery: one outcome counts", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    const { id } = rig.identities.first;
    await using worker = await connectAsWorker(rig.identities.first, rig.nats.url);
    const first = { location: rigLocation, worker: id, token, attempt: 1, delivery: 1 };
    await sendParts(worker, first, honestResult(rig, token), true);
    await sendParts(worker, { ...first, delivery: 2 }, honestResult(rig, token));
    await rig.storeEnd(token, await gathering);
    await sendParts(worker, { ...first, delivery: 2 }, honestResult(rig, token));
    await eventually(() => fleet.counters().dropped === 1, "a dropped result");
    expect(fleet.counters().results).toBe(1);
    await expectEmptyStreams(rig);
  });

  test("sends a wrong result: the scan fails, and the log and its record name the worker", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    const { id, name } = rig.identities.first;
    await using worker = await connectAsWorker(rig.identities.first, rig.nats.url);
    const packed = honestResult(rig, token);
    const wrongSum = { ...packed.manifest, result: { ...packed.manifest.result, sha256: "0".repeat(64) } };
    await sendParts(worker, { location: rigLocation, worker: id, token, attempt: 1, delivery: 1 }, { ...packed, manifest: wrongSum });
    const end = await gathering;
    expect(end.gathered).toBe("crashed");
    await rig.storeEnd(token, end);
    const fault = "sent a result with a wrong SHA-256";
    expect(rig.logged).toContain(`result of worker refused ${JSON.stringify({ worker: name, location: rigLocation, token, fault })}`);
    await eventually(() => rig.store.workers.find(id)?.lastFault?.text === fault, "a recorded fault");
    await expectEmptyStreams(rig);
  });

  test("sends a result whose part is lost: the scan is gathered again", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    await using worker = await connectAsWorker(rig.identities.first, rig.nats.url);
    const delivery = { location: rigLocation, worker: rig.identities.first.id, token, attempt: 1, delivery: 1 };
    const job = await eventually(() => consumerOf(worker, rigLocation).next({ expires: 1_000 }), "a job");
    await sendParts(worker, delivery, { ...honestResult(rig, token), parts: [] });
    await job.ackAck();
    const again = await rig.startWorker("second");
    (await again.started(1)).end();
    await rig.storeEnd(token, await gathering);
    expect(fleet.counters()).toMatchObject({ results: 1, faults: 0, lost: 1, republished: 1 });
    await expectEmptyStreams(rig);
  });

  test("that is revoked, or has an older attempt, sends a result: it is dropped", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    const { first, second } = rig.identities;
    await using revoked = await connectAsWorker(first, rig.nats.url);
    await using other = await connectAsWorker(second, rig.nats.url);
    await rig.store.workers.revoke(first.id, new Date());
    const delivery = { location: rigLocation, worker: first.id, token, attempt: 1, delivery: 1 };
    await sendParts(revoked, delivery, honestResult(rig, token));
    await sendParts(other, { ...delivery, worker: second.id, attempt: 2 }, honestResult(rig, token));
    await eventually(() => fleet.counters().dropped === 2, "two dropped results");
    await sendParts(other, { ...delivery, worker: second.id }, honestResult(rig, token));
    await rig.storeEnd(token, await gathering);
    expect(fleet.counters()).toMatchObject({ results: 1, faults: 0 });
    await expectEmptyStreams(rig);
  });

  test("fills the stream of results with what belongs to no scan: it is removed", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const token = await rig.claimScan();
    void rig.gather(fleet, token);
    await using worker = await connectAsWorker(rig.identities.first, rig.nats.url);
    const subject = `assay.result.${rigLocation}.${rig.identities.first.id}`;
    const client = jetstream(worker);
    for (const end of ["none.1.1.0", `${token}.1.1.99`, `${token}.1.9.0`, `${token}.x.y.z`, "none.1.1.manifest"])
      await client.publish(`${subject}.${end}`, "junk");
    const head = await rig.connectHead();
    await eventually(async () => (await messagesIn(head))[1] === 0, "an empty stream of results");
    expect((await messagesIn(head))[0]).toBe(1);
    await jetstream(head).publish(scanSubject(rigLocation, "stale"), "a scan that is over");
    await eventually(async () => (await messagesIn(head))[0] === 1, "only the job of the scan that runs");
    await head.close();
  });
});
