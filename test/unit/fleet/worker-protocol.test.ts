/** A worker on a nats-server in memory: deliveries, standstill, lost acknowledgements, cancelled and refused jobs. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fleetProtocol } from "../../../src/fleet/messages.ts";
import { cancelSubjects } from "../../../src/fleet/subjects.ts";
import { type FakeFleet, type FakeWorker, fakeLocation, fakeWorkerIds, startFakeFleet } from "../../support/fake-fleet.ts";

const [first] = fakeWorkerIds;

let fleet: FakeFleet;
beforeEach(async () => {
  fleet = await startFakeFleet();
});
afterEach(() => fleet[Symbol.asyncDispose]());

const soon = () => fleet.clock.pass(1_000);
const loggedTimes = (event: string) => fleet.logged.filter((line) => line.startsWith(event)).length;
/** Words of the answers to deliveries that reached the server. */
const answers = () =>
  fleet.nats.received.filter(({ subject }) => subject.startsWith("$JS.ACK.ASSAY_SCANS")).map(({ data }) => Buffer.from(data).toString());
const answersOf = (verb: string) => answers().filter((each) => each.startsWith(verb)).length;
/** Sequence and delivery of each answer. */
const answeredMessages = () =>
  fleet.nats.received
    .filter(({ subject }) => subject.startsWith("$JS.ACK.ASSAY_SCANS"))
    .map(({ subject }) => `${subject.split(".")[5]} of delivery ${subject.split(".")[4]}`);

/** Times of a process that stands still: the timer that keeps its jobs does not fire. */
const stopped = { workingEveryMs: 3_600_000, standstillMsMax: 20_000 };

describe("a worker that stood still", () => {
  /** The worker has scan `one`, stands still, and gets its next delivery. */
  async function redelivered(): Promise<FakeWorker> {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker(stopped);
    fleet.handOut(head, "one");
    await fleet.clock.pass(35_000);
    return worker;
  }

  test("gathers the next delivery of its job, which stays held after the end of the earlier one", async () => {
    const worker = await redelivered();
    expect(worker.scans).toHaveLength(2);
    expect([worker.scans[0]?.signal?.aborted, worker.scans[1]?.signal?.aborted]).toEqual([true, false]);
    expect([worker.outcomes, worker.busy()]).toEqual([["returned"], 1]);
    // A held job can be cancelled.
    const note = { v: fleetProtocol, token: "one", attempt: 1 };
    fleet.nats.connect().publish(cancelSubjects.of({ location: fakeLocation }), JSON.stringify(note));
    await soon();
    expect([worker.scans[1]?.signal?.aborted, worker.busy(), worker.outcomes]).toEqual([true, 0, ["returned", "cancelled"]]);
  });

  test("gives no answer to the earlier delivery, and sends the result of the next one", async () => {
    const worker = await redelivered();
    expect(answeredMessages()).toEqual(["1 of delivery 2"]);
    worker.scans[1]?.end();
    await soon();
    expect(fleet.messages()).toMatchObject({ jobs: [], results: ["one.1.2.0", "one.1.2.manifest"] });
    await fleet.clock.pass(10_000);
    expect(fleet.store.enrolled.get(first)?.lastFault?.text).toContain("stood still for 30 s");
  });

  test.each([
    [19_900, [], ["1 of delivery 1"]],
    [20_000, ["returned"], ["2 of delivery 1"]],
  ])("for %i ms has its scan as %j, and keeps %j", async (ms, outcomes, kept) => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker(stopped);
    fleet.handOut(head, "one");
    await fleet.clock.pass(ms);
    fleet.handOut(head, "two");
    await fleet.clock.pass(50);
    expect([worker.scans.length, worker.outcomes, answeredMessages()]).toEqual([2, outcomes, kept]);
  });
});

describe("a job", () => {
  test("is kept by working on it every ten seconds", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    fleet.handOut(head, "one");
    await fleet.clock.pass(100_500);
    expect([worker.scans.length, loggedTimes("job delivered again"), answersOf("+WPI")]).toEqual([1, 0, 10]);
  });

  test("that is delivered again while it runs goes on, and its end answers the later delivery", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    fleet.handOut(head, "one");
    await soon();
    // What keeps the job is lost on its way.
    worker.connection.copies = ({ data }) => (Buffer.from(data).toString() === "+WPI" ? 0 : 1);
    await fleet.clock.pass(35_000);
    worker.connection.copies = () => 1;
    expect([loggedTimes("job delivered again"), worker.scans.length]).toEqual([1, 1]);
    worker.scans[0]?.end();
    await soon();
    expect(fleet.messages()).toEqual({ jobs: [], results: ["one.1.2.0", "one.1.2.manifest"] });
  });

  test("whose acknowledgement is lost is acknowledged three times, and at its next delivery, and not gathered again", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    const scan = fleet.handOut(head, "one");
    await soon();
    let lost = 0;
    worker.connection.copies = ({ subject, data }) => {
      const isAck = subject.startsWith("$JS.ACK.") && Buffer.from(data).toString() === "+ACK";
      return isAck && lost++ >= 0 ? 0 : 1;
    };
    worker.scans[0]?.end();
    await fleet.clock.pass(16_000);
    expect([lost, fleet.messages().jobs, worker.busy()]).toEqual([3, ["one"], 0]);
    worker.connection.copies = () => 1;
    await fleet.clock.pass(30_000);
    expect([fleet.messages().jobs, worker.scans.length]).toEqual([[], 1]);
    expect(scan.ended).toMatchObject({ worker: first });
  });

  test("of a later attempt ends the earlier one", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    fleet.handOut(head, "one");
    await soon();
    fleet.handOut(head, "one", { attempt: 2 });
    await soon();
    expect(worker.scans.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
    expect([worker.outcomes, answersOf("+TERM"), fleet.messages().jobs]).toEqual([["cancelled"], 1, ["one"]]);
  });

  test("that is cancelled is terminated; a note of another attempt or protocol has no effect", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    fleet.handOut(head, "one");
    await soon();
    const notes = [
      { v: fleetProtocol, token: "one", attempt: 2 },
      { v: fleetProtocol + 1, token: "one", attempt: 1 },
      { v: fleetProtocol, token: "one", attempt: "1" },
      { v: fleetProtocol, token: "one", attempt: 1, filler: "x".repeat(1_024) },
    ];
    const say = (note: unknown) => fleet.nats.connect().publish(cancelSubjects.of({ location: fakeLocation }), JSON.stringify(note));
    for (const note of notes) say(note);
    await soon();
    expect(worker.scans[0]?.signal?.aborted).toBe(false);
    say({ v: fleetProtocol, token: "one", attempt: 1 });
    await soon();
    expect([worker.scans[0]?.signal?.aborted, answersOf("+TERM"), fleet.messages().jobs]).toEqual([true, 1, []]);
  });

  test("that is not understood is refused with a result, and goes to no other worker", async () => {
    const head = await fleet.openHead({ jobSettings: { deadlines: {} as never, screenshot: false, headerCharsMax: 512 } });
    const worker = await fleet.startWorker();
    const scan = fleet.handOut(head, "one");
    await soon();
    expect([worker.scans.length, answersOf("+TERM"), scan.ended?.gathered]).toEqual([0, 1, "crashed"]);
    await fleet.clock.pass(10_000);
    expect(fleet.store.enrolled.get(first)?.lastFault?.text).toContain("refused a job: it has a wrong value at /deadlines");
  });

  test("whose result cannot be sent is a fault of one line, as long as the head takes", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    fleet.handOut(head, "one");
    await soon();
    const { request } = worker.connection;
    worker.connection.request = (subject, ...rest) =>
      subject.startsWith("assay.result.")
        ? Promise.reject(new Error(`two\nlines ${"x".repeat(400)}`))
        : request.call(worker.connection, subject, ...rest);
    worker.scans[0]?.end();
    await fleet.clock.pass(10_000);
    const text = `a result cannot be sent: two lines ${"x".repeat(400)}`.slice(0, 300);
    expect(fleet.store.enrolled.get(first)?.lastFault?.text).toBe(text);
  });

  test("goes back once for want of a browser, and ends at its last delivery", async () => {
    const head = await fleet.openHead();
    let fault: string | null = null;
    const worker = await fleet.startWorker({ browserFault: () => fault });
    const scan = fleet.handOut(head, "one");
    await soon();
    fault = "the browser does not start";
    worker.scans[0]?.end("browser-unavailable");
    await soon();
    expect([worker.outcomes, answersOf("-NAK"), scan.ended]).toEqual([["returned"], 1, null]);
    fault = null;
    worker.refresh();
    await soon();
    worker.scans[1]?.end("browser-unavailable");
    await soon();
    expect([worker.outcomes, answersOf("-NAK"), scan.ended?.gathered]).toEqual([["returned", "failed"], 1, "browser-unavailable"]);
  });
});
