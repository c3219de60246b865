/** The worker's side of the fleet on a real nats-server. The gatherer returns recorded evidence when the test lets it. */
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { describe, expect, test } from "vitest";
import { scanStreamOf } from "../../../src/fleet/subjects.ts";
import { defaultDeadlines } from "../../../src/scan/task.ts";
import { knownScans } from "../../support/finished-scans.ts";
import { makeStreams } from "../../support/fleet-places.ts";
import { type HeldTask, type HeldWorker, heldResult, startHeldWorker } from "../../support/held-worker.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { eventually, openRawHead, type RawHead, rawLocation, rawWorkers, startRawNats } from "../../support/raw-head.ts";

const [first, second] = rawWorkers;
const { url, scannedAt } = knownScans.shop.evidence.subject;

/** Drops acknowledgements, as a link does that is lost right after them. */
function loseAcknowledgements(connection: NatsConnection, count: number): void {
  const request = connection.request.bind(connection);
  let left = count;
  connection.request = (subject, payload, options) =>
    payload === "+ACK" && left-- > 0 ? Promise.reject(new Error("lost")) : request(subject, payload, options);
}

/** Time below the interval of presence. */
const soonMs = 2_000;
const job = (token: string) => ({ token, url, scannedAt });
const started = (worker: HeldWorker, count: number) => eventually(() => worker.scans.length >= count, `scan ${count}`);
const drained = (head: RawHead) => eventually(async () => (await head.jobsLeft()) === 0, "an empty queue");

describe.skipIf(natsIsMissing())("a worker", () => {
  test("gathers a job on the terms of the head, reports stages, and sends the result whole", async () => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url);
    await using worker = await startHeldWorker(nats);
    await head.publish({ ...job("one"), screenshot: true, deadlines: { ...defaultDeadlines, scanMs: 3_600_000, probeMs: 2_000 } });
    await started(worker, 1);
    const { terms } = worker.scans[0] as HeldTask;
    expect(terms).toMatchObject({ scannedAt, screenshot: true, headerValueCharsMax: 512 });
    expect(terms.deadlines).toEqual({ ...defaultDeadlines, probeMs: 2_000 });
    worker.scans[0]?.end();
    expect(await head.result("one")).toEqual({ gathered: heldResult });
    await drained(head);
    expect(head.progress.map(({ stage }) => stage)).toEqual([null, "resolving"]);
    await eventually(() => head.present.get(first.id)?.scansDone === 1, "presence with the scan");
    expect(head.present.get(first.id)).toMatchObject({ version: "1.2.3", slots: 2, busy: 0, reach: "public", lastFault: null });
  });

  test("holds as many jobs as it has slots", async () => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url);
    await using worker = await startHeldWorker(nats);
    for (const token of ["a", "b", "c", "d", "e"]) await head.publish(job(token));
    await started(worker, 2);
    await Bun.sleep(100);
    expect([worker.scans.length, worker.busy()]).toEqual([2, 2]);
    for (const at of [0, 1, 2, 3, 4]) {
      await started(worker, at + 1);
      worker.scans[at]?.end("timeout");
    }
    await drained(head);
    expect(await head.result("e")).toEqual({ gathered: "timeout" });
  });

  test("adopts a job that is delivered again while it runs, and does not run a finished one twice", async () => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url, 200);
    await using worker = await startHeldWorker(nats);
    await head.publish(job("slow"));
    await eventually(() => worker.logged.some((line) => line.startsWith("job delivered again")), "a second delivery");
    worker.scans[0]?.end();
    await head.result("slow");
    await drained(head);
    expect(worker.scans).toHaveLength(1);
  });

  test("acknowledges a finished job whose acknowledgement was lost, and runs one that is published again", async () => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url, 500);
    await using worker = await startHeldWorker(nats, { connected: (connection) => loseAcknowledgements(connection, 3) });
    await head.publish(job("one"));
    await started(worker, 1);
    worker.scans[0]?.end();
    await drained(head);
    expect(worker.logged.filter((line) => line.startsWith("job not acknowledged"))).toHaveLength(3);
    await head.publish(job("one"));
    await started(worker, 2);
    expect(worker.scans).toHaveLength(2);
  });

  test("keeps a long job by saying that it works", async () => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url, 1_500);
    await using worker = await startHeldWorker(nats, { workingEveryMs: 100 });
    await head.publish(job("long"));
    await started(worker, 1);
    await Bun.sleep(3_500);
    worker.scans[0]?.end();
    await head.result("long");
    expect(worker.logged.filter((line) => line.startsWith("job delivered again"))).toEqual([]);
  });

  test("gathers a job anew that was delivered again while the process stood still", async () => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url, 200);
    await using worker = await startHeldWorker(nats, { workingEveryMs: 50, standstillMsMax: 300 });
    await head.publish(job("late"));
    await started(worker, 1);
    Bun.sleepSync(400);
    await started(worker, 2);
    worker.scans[1]?.end();
    expect(await head.result("late")).toEqual({ gathered: heldResult });
    await drained(head);
    expect(worker.scans[0]?.signal?.aborted).toBe(true);
    expect([...worker.outcomes].sort()).toEqual(["finished", "returned"]);
    await eventually(() => head.present.get(first.id)?.lastFault?.startsWith("the process stood still") === true, "the fault");
  });

  test("ends a cancelled scan without a result", async () => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url);
    await using worker = await startHeldWorker(nats);
    await head.publish(job("unwanted"));
    await started(worker, 1);
    head.connection.publish("assay.cancel.berlin", "no JSON");
    head.cancel("unwanted", 2);
    await Bun.sleep(50);
    expect(worker.busy()).toBe(1);
    head.cancel("unwanted");
    await drained(head);
    expect(worker.scans[0]?.signal?.aborted).toBe(true);
    await eventually(() => worker.outcomes.join() === "cancelled", "the outcome");
    expect(head.parts).toEqual([]);
  });
});

describe.skipIf(natsIsMissing())("a worker takes no jobs", () => {
  test.each(["drained", "private-location"] as const)("while the head answers %s", async (answer) => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url);
    head.answer(answer, "do this");
    await using worker = await startHeldWorker(nats);
    await head.publish(job("one"));
    await eventually(() => head.present.size === 1, "presence");
    await Bun.sleep(100);
    expect(worker.scans).toEqual([]);
    expect(worker.headFault()).toBe(`the head answers "${answer}": do this`);
    head.answer("accepted");
    await started(worker, 1);
    expect(worker.headFault()).toBeNull();
    expect(worker.logged.filter((line) => line.startsWith("takes no jobs"))).toHaveLength(1);
  });

  test("once the head has been silent for too long", async () => {
    await using nats = await startRawNats();
    const head = await openRawHead(nats.url);
    await using worker = await startHeldWorker(nats);
    await eventually(() => worker.headFault() === null, "acceptance");
    await head[Symbol.asyncDispose]();
    await eventually(() => worker.headFault()?.startsWith("the head does not answer") === true, "the lapse");
  });

  test("at a location that its credentials are not for", async () => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url);
    await using worker = await startHeldWorker(nats, { address: { location: "oslo", worker: first.id } });
    await eventually(() => worker.headFault()?.includes("they were enrolled for another one") === true, "the reason");
    expect(head.present.size).toBe(0);
  });

  test("while its location has no consumer, and says so", async () => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url);
    const { consumers } = await jetstreamManager(head.connection);
    await consumers.delete(scanStreamOf(rawLocation), rawLocation);
    await using worker = await startHeldWorker(nats, { feed: { expiresMs: 100, lostAfterMs: 100 } });
    await eventually(() => worker.natsFault()?.includes("no jobs for the location berlin") === true, "the reason");
    await makeStreams(head.connection, [rawLocation]);
    await head.publish(job("one"));
    await started(worker, 1);
    expect(worker.natsFault()).toBeNull();
  });

  test("without a browser, and gives back a first delivery that finds none", async () => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url);
    let fault: string | null = null;
    await using worker = await startHeldWorker(nats, { browserFault: () => fault, presence: { everyMs: 60_000, lapsesMs: 60_000 } });
    await head.publish(job("one"));
    await started(worker, 1);
    fault = "the browser does not start";
    worker.scans[0]?.end("browser-unavailable");
    await eventually(() => head.present.get(first.id)?.slots === 0, "no slots");
    expect(worker.scans).toHaveLength(1);
    fault = null;
    worker.refresh();
    await eventually(() => head.present.get(first.id)?.slots === 2, "the slots", soonMs);
    await started(worker, 2);
    worker.scans[1]?.end("browser-unavailable");
    expect(await head.result("one")).toEqual({ gathered: "browser-unavailable" });
    await eventually(() => worker.outcomes.join() === "returned,failed", "the second outcome");
  });

  test("that are not valid: the head gets a failed scan, and the next job runs", async () => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url);
    await using worker = await startHeldWorker(nats);
    await head.publish({ ...job("file"), url: "file:///etc/passwd" });
    await head.publishRaw("noise", "{");
    await head.publish(job("good"));
    await started(worker, 1);
    expect(await head.result("file")).toEqual({ gathered: "crashed" });
    expect(worker.scans[0]?.token).toBe("good");
    worker.scans[0]?.end();
    await drained(head);
    await eventually(() => head.present.get(first.id)?.lastFault?.includes("refused a job") === true, "the fault");
  });
});

describe.skipIf(natsIsMissing())("a worker that is stopped", () => {
  test("waits for its scans, and gives the rest to another worker at once", async () => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url);
    await using worker = await startHeldWorker(nats);
    await head.publish(job("quick"));
    await head.publish(job("slow"));
    await started(worker, 2);
    await using other = await startHeldWorker(nats, {}, second);
    const stopped = worker.stop(500);
    await eventually(() => head.present.get(first.id)?.slots === 0, "the farewell");
    worker.scans[0]?.end();
    await stopped;
    expect([...worker.outcomes].sort()).toEqual(["finished", "returned"]);
    await started(other, 1);
    expect(other.scans[0]?.token).toBe(worker.scans[1]?.token);
  });
});

describe.skipIf(natsIsMissing())("nats-server", () => {
  test.each([false, true])("is killed while a scan runs and back later (empty store: %s): the result arrives", async (emptyStore) => {
    await using nats = await startRawNats();
    await using head = await openRawHead(nats.url);
    await using worker = await startHeldWorker(nats);
    await head.publish(job("one"));
    await started(worker, 1);
    await nats.stop("SIGKILL");
    await eventually(() => worker.natsFault() === "nats-server is not connected", "the loss");
    worker.scans[0]?.end();
    await Bun.sleep(100);
    await nats.restart({ emptyStore });
    await using after = emptyStore ? await openRawHead(nats.url) : null;
    await eventually(() => [head, after].some((each) => each?.parts.some(({ part }) => part === null)), "the result");
    expect(worker.scans).toHaveLength(1);
  });
});
