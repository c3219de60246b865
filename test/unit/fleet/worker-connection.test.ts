/** A worker and its connection to a nats-server in memory: requests, withdrawal, lapsed acceptance, reconnection, and results on their way. */
import { jetstreamManager } from "@nats-io/jetstream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fleetProtocol } from "../../../src/fleet/messages.ts";
import { type FakeFleet, fakeLocation, fakeWorkerIds, startFakeFleet } from "../../support/fake-fleet.ts";

const [first, second] = fakeWorkerIds;

let fleet: FakeFleet;
beforeEach(async () => {
  fleet = await startFakeFleet();
});
afterEach(() => fleet[Symbol.asyncDispose]());

const soon = () => fleet.clock.pass(1_000);
const receivedBelow = (prefix: string) => fleet.nats.received.filter(({ subject }) => subject.startsWith(prefix));
const requests = () => receivedBelow("$JS.API.CONSUMER.MSG.NEXT.ASSAY_SCANS").length;
/** Answers to deliveries that reached the server. */
const answersOf = (verb: string) =>
  receivedBelow("$JS.ACK.ASSAY_SCANS").filter(({ data }) => Buffer.from(data).toString().startsWith(verb)).length;
const openRequests = async () =>
  (await (await jetstreamManager(fleet.nats.connect())).consumers.info(`ASSAY_SCANS_${fakeLocation}`, fakeLocation)).num_waiting;

describe("a worker", () => {
  test("has one request for each free slot, and keeps it when a job comes", async () => {
    const head = await fleet.openHead();
    await fleet.startWorker();
    expect(requests()).toBe(2);
    fleet.handOut(head, "one");
    await soon();
    expect(requests()).toBe(2);
    await fleet.clock.pass(5_000);
    expect(requests()).toBe(3);
    await fleet.clock.pass(30_000);
    expect(fleet.logged.filter((line) => line.startsWith("no jobs can be had"))).toEqual([]);
  });

  test("acknowledges once when the connection is lost meanwhile", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    fleet.handOut(head, "one");
    await soon();
    worker.connection.copies = ({ data }) => {
      if (Buffer.from(data).toString() !== "+ACK") return 1;
      worker.connection.copies = () => 1;
      worker.connection.lose();
      return 0;
    };
    worker.scans[0]?.end();
    await fleet.clock.pass(20_000);
    worker.connection.restore();
    await soon();
    expect([answersOf("+ACK"), fleet.messages().jobs]).toEqual([1, []]);
  });

  test("holds as many jobs as it has slots, and asks for one when a slot is free", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    for (const token of ["a", "b", "c"]) fleet.handOut(head, token);
    await soon();
    expect([worker.scans.length, worker.busy()]).toEqual([2, 2]);
    worker.scans[0]?.end();
    await soon();
    expect([worker.scans.length, worker.busy()]).toEqual([3, 2]);
  });

  test("gets jobs again that were lost on their way with the connection", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    worker.connection.hold();
    await soon();
    for (const token of ["a", "b"]) fleet.handOut(head, token);
    await soon();
    worker.connection.lose();
    worker.connection.release();
    worker.connection.restore();
    await soon();
    expect(worker.scans).toHaveLength(0);
    await fleet.clock.pass(35_000);
    expect([worker.scans.length, worker.busy()]).toEqual([2, 2]);
  });

  test("that withdraws gives back what it holds after the wait, and another worker takes it", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    const scan = fleet.handOut(head, "one");
    await soon();
    const stopped = worker.stop(5_000);
    fleet.handOut(head, "two");
    await fleet.clock.pass(4_000);
    expect([worker.scans.length, worker.scans[0]?.signal?.aborted]).toEqual([1, false]);
    await fleet.clock.until(stopped);
    expect([worker.outcomes, answersOf("-NAK")]).toEqual([["returned"], 1]);
    const other = await fleet.startWorker({ which: 1 });
    await soon();
    expect(other.scans.map(({ token }) => token).sort()).toEqual(["one", "two"]);
    for (const each of other.scans) each.end();
    await soon();
    expect(scan.ended).toMatchObject({ worker: second });
  });

  test("finishes what it holds within the wait", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    const scan = fleet.handOut(head, "one");
    await soon();
    const stopped = worker.stop(5_000);
    await soon();
    worker.scans[0]?.end();
    await fleet.clock.until(stopped);
    expect([worker.outcomes, scan.ended?.worker, head.capacity(fakeLocation)]).toEqual([["finished"], first, 0]);
  });

  test("gives back a job that was on its way when it was stopped", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    worker.connection.hold();
    fleet.handOut(head, "one");
    await soon();
    const stopped = worker.stop(0);
    await fleet.clock.pass(100);
    worker.connection.release();
    await fleet.clock.until(stopped);
    expect([worker.scans, answersOf("-NAK")]).toEqual([[], 1]);
  });

  test("asks for no job once its acceptance has lapsed, and again when the head answers", async () => {
    const head = await fleet.openHead();
    // Its requests do not expire by themselves.
    const worker = await fleet.startWorker({ feed: { expiresMs: 600_000 } });
    expect(worker.headFault()).toBeNull();
    head.connection.copies = ({ subject }) => (subject.startsWith("assay.worker.") ? 0 : 1);
    await fleet.clock.pass(29_000);
    expect([worker.headFault(), await openRequests()]).toEqual([null, 2]);
    // The next question ends later than the acceptance.
    await fleet.clock.pass(2_000);
    expect(await openRequests()).toBe(0);
    await fleet.clock.pass(12_000);
    expect(worker.headFault()).toContain("the head does not answer");
    const before = requests();
    await fleet.clock.pass(60_000);
    expect(requests()).toBe(before);
    head.connection.copies = () => 1;
    await fleet.clock.pass(11_000);
    expect([worker.headFault(), requests() > before]).toEqual([null, true]);
  });

  test("is accepted at once when it is connected again", async () => {
    await fleet.openHead();
    const worker = await fleet.startWorker();
    worker.connection.lose();
    await fleet.clock.pass(47_000);
    expect(worker.headFault()).not.toBeNull();
    worker.connection.restore();
    await soon();
    expect(worker.headFault()).toBeNull();
  });

  test("says nothing more once it has stopped", async () => {
    await fleet.openHead();
    const worker = await fleet.startWorker();
    await fleet.clock.until(worker.stop(0));
    const before = receivedBelow("assay.worker.").length;
    await fleet.clock.pass(60_000);
    expect(receivedBelow("assay.worker.").length).toBe(before);
  });

  test("counts its acceptance from its question, however late the answer is read", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    await fleet.clock.pass(9_000);
    worker.connection.hold();
    await fleet.clock.pass(5_000);
    worker.connection.release();
    head.connection.copies = ({ subject }) => (subject.startsWith("assay.worker.") ? 0 : 1);
    await fleet.clock.pass(24_000);
    expect(worker.headFault()).toBeNull();
    await fleet.clock.pass(3_000);
    expect(worker.headFault()).toContain("the head does not answer");
  });

  test.each(["drained", "revoked"] as const)("that is %s asks for no job", async (answer) => {
    const head = await fleet.openHead();
    fleet.changeWorker(0, answer === "drained" ? { drained: true } : { revokedAt: new Date().toISOString() });
    const worker = await fleet.startWorker();
    fleet.handOut(head, "one");
    await fleet.clock.pass(15_000);
    expect([worker.headFault()?.includes(`"${answer}"`), requests(), worker.scans.length]).toEqual([true, 0, 0]);
  });

  test("asks on a new subject after each loss of the connection, and loses no job", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    worker.connection.lose();
    await soon();
    expect(worker.natsFault()).toBe("nats-server is not connected");
    const scan = fleet.handOut(head, "one");
    await soon();
    worker.connection.restore();
    await soon();
    expect([worker.natsFault(), worker.scans.length]).toEqual([null, 1]);
    worker.connection.lose();
    await soon();
    worker.scans[0]?.end();
    await fleet.clock.pass(200_000);
    expect(scan.ended).toBeNull();
    worker.connection.restore();
    await soon();
    expect(receivedBelow("assay.result.")).toHaveLength(2);
    expect(scan.ended).toMatchObject({ worker: first });
    expect(fleet.messages().results).toEqual(["one.1.1.0", "one.1.1.manifest"]);
  });

  test("reports that there is no consumer, and goes on when there is one", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    fleet.nats.jetStream.lose();
    await fleet.clock.pass(10_000);
    expect(worker.natsFault()).toContain(`nats-server has no jobs for the location ${fakeLocation}`);
    head.connection.lose();
    await soon();
    head.connection.restore();
    await fleet.clock.pass(15_000);
    expect(worker.natsFault()).toBeNull();
  });
});

describe("a worker reports", () => {
  test("why it is refused, until it is connected again", async () => {
    await fleet.openHead();
    const worker = await fleet.startWorker();
    const { connection } = worker;
    const fault = () => worker.natsFault();
    connection.lose();
    connection.report(new Error("Authorization Violation"));
    await soon();
    expect(fault()).toBe("nats-server is not connected (nats-server refuses the credentials)");
    connection.restore();
    await soon();
    connection.lose();
    await soon();
    expect(fault()).toBe("nats-server is not connected");
  });

  test.each([
    [{ v: fleetProtocol, answer: "accepted", text: "" }, null],
    [{ v: fleetProtocol + 1, answer: "accepted", text: "" }, "not understood"],
    [{ v: fleetProtocol, answer: "welcome", text: "" }, "not understood"],
    [{ v: fleetProtocol, answer: "accepted" }, "not understood"],
    [{ v: fleetProtocol, answer: "accepted", text: "x".repeat(4_096) }, "not understood"],
  ])("an answer of the head that it does not understand: %j", async (answer, fault) => {
    fleet.nats.connect().subscribe("assay.worker.*.*", { callback: (_error, message) => void message.respond(JSON.stringify(answer)) });
    const worker = await fleet.startWorker();
    expect(worker.headFault()).toEqual(fault === null ? null : expect.stringContaining(fault));
  });

  test("that no head is connected", async () => {
    expect((await fleet.startWorker()).headFault()).toBe("no head is connected to nats-server");
  });

  test("scans that it has done, and none that it gave back", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    const done = () => JSON.parse(Buffer.from(receivedBelow("assay.worker.").at(-1)?.data ?? "").toString()).scansDone;
    for (const token of ["one", "two"]) fleet.handOut(head, token);
    await soon();
    worker.scans[0]?.end();
    await soon();
    worker.scans[1]?.end("timeout");
    fleet.handOut(head, "three");
    await fleet.clock.pass(10_000);
    expect(done()).toBe(2);
    worker.scans[2]?.end("browser-unavailable");
    await fleet.clock.pass(10_000);
    expect([worker.outcomes.at(2), done()]).toEqual(["returned", 2]);
  });

  test("requests that are lost, and asks again", async () => {
    const head = await fleet.openHead();
    let lost = 0;
    const worker = await fleet.startWorker({ browserFault: () => (lost === 0 ? "none yet" : null) });
    worker.connection.copies = ({ subject }) => (subject.startsWith("$JS.API.CONSUMER.MSG.NEXT") && lost < 3 ? Number(++lost > 2) : 1);
    lost = 1;
    worker.refresh();
    await soon();
    worker.connection.copies = () => 1;
    expect([lost, requests()]).toEqual([3, 1]);
    await fleet.clock.pass(7_000);
    for (const token of ["one", "two"]) fleet.handOut(head, token);
    await soon();
    expect(worker.scans).toHaveLength(2);
  });
});

describe("a result", () => {
  test("that cannot be sent ends with the cancellation of its scan", async () => {
    const stop = new AbortController();
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    fleet.handOut(head, "one", { signal: stop.signal });
    await soon();
    worker.connection.copies = ({ subject }) => (subject.startsWith("assay.result.") ? 0 : 1);
    worker.scans[0]?.end();
    await soon();
    stop.abort("cancelled");
    await soon();
    expect([worker.outcomes, worker.busy(), answersOf("+TERM"), answersOf("+ACK")]).toEqual([["cancelled"], 0, 1, 0]);
  });

  const parts = () => receivedBelow("assay.result.").map(({ subject }) => subject.split(".").at(-1));

  test("is sent with its manifest last, each part once it is confirmed", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    const scan = fleet.handOut(head, "one");
    await soon();
    let lost = 0;
    worker.connection.copies = ({ subject }) => (subject.endsWith(".1.1.0") && lost++ < 3 ? 0 : 1);
    worker.scans[0]?.end();
    await fleet.clock.pass(2_000);
    expect([parts(), scan.ended]).toEqual([[], null]);
    await fleet.clock.pass(30_000);
    expect(parts()).toEqual(["0", "manifest"]);
    expect(scan.ended).toMatchObject({ worker: first });
    expect(fleet.store.enrolled.get(first)?.lastFault?.text).toContain("a result cannot be sent");
    expect(fleet.logged.filter((line) => line.startsWith("result not sent yet"))).toHaveLength(1);
  });

  test("whose confirmation is lost is sent again, and counts once", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    fleet.handOut(head, "one");
    await soon();
    let isLost = true;
    worker.connection.copies = ({ data }, direction) => {
      const isConfirmation = direction === "to client" && Buffer.from(data).toString().startsWith('{"stream"');
      if (!isConfirmation || !isLost) return 1;
      isLost = false;
      return 0;
    };
    worker.scans[0]?.end();
    await fleet.clock.pass(10_000);
    expect([parts(), fleet.messages().results]).toEqual([
      ["0", "0", "manifest"],
      ["one.1.1.0", "one.1.1.manifest"],
    ]);
  });
});
