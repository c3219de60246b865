/** The head and a nats-server in memory: other heads, streams, publication that fails, reconnection, and messages that nothing honest sends. */
import { jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pause } from "../../../src/base/clock.ts";
import { minuteMs } from "../../../src/base/units.ts";
import { claimHead } from "../../../src/fleet/head/nats-transport.ts";
import { createRepeated } from "../../../src/fleet/head/reconcile.ts";
import { fleetProtocol } from "../../../src/fleet/messages.ts";
import { headSubject, progressSubjects } from "../../../src/fleet/subjects.ts";
import { type FakeFleet, fakeLocation, fakeWorkerIds, startFakeFleet } from "../../support/fake-fleet.ts";

const [first] = fakeWorkerIds;

let fleet: FakeFleet;
beforeEach(async () => {
  fleet = await startFakeFleet();
});
afterEach(() => fleet[Symbol.asyncDispose]());

const soon = () => fleet.clock.pass(1_000);
const manager = () => jetstreamManager(fleet.nats.connect());
async function reconnect(head: Awaited<ReturnType<FakeFleet["openHead"]>>): Promise<void> {
  head.connection.lose();
  await soon();
  head.connection.restore();
  await fleet.clock.pass(3_000);
}

describe("a head", () => {
  test("gives way to another one that is connected", async () => {
    await fleet.openHead();
    const refused = await fleet.openHead({ times: { startWaitMs: minuteMs } }).catch((error: Error) => error.message);
    expect(refused).toBe("another process of assay takes the scans of these workers; stop it first");
  });

  test("that finds another one after its start refuses from then on", async () => {
    await fleet.openHead();
    const late = await fleet.openHead({ times: { startWaitMs: 100 } });
    expect(late.state()).toBe("disconnected");
    await fleet.clock.pass(30_000);
    expect([late.state(), late.fault()]).toEqual(["refused", "another process of assay takes the scans of these workers; stop it first"]);
  });

  test("is found while it is in charge, and not after it has given way", async () => {
    const [one, two, three] = [0, 1, 2].map(() => fleet.nats.connect());
    const ask = (connection = one) => claimHead(connection as never, "installation", fleet.clock)(50);
    expect(await fleet.clock.until(ask(one))).toBeNull();
    expect(await fleet.clock.until(ask(two))).toMatchObject({ instance: "installation" });
    await one?.close();
    expect(await fleet.clock.until(ask(three))).toBeNull();
  });

  test("answers below the inbox of its own account only", async () => {
    await fleet.openHead();
    const heard: string[] = [];
    const asking = fleet.nats.connect();
    for (const reply of ["assay.cancel.berlin", "_INBOX.x"]) {
      asking.subscribe(reply, { callback: (_error, message) => void heard.push(message.subject) });
      asking.publish(headSubject, "", { reply });
    }
    await soon();
    expect(heard).toEqual(["_INBOX.x"]);
  });

  test("takes no stream of another installation", async () => {
    const { streams } = await manager();
    const own = { name: "ASSAY_SCANS_berlin", subjects: ["assay.scan.berlin.*"], retention: RetentionPolicy.Workqueue };
    await streams.add({ ...own, description: "assay, installation other" });
    const head = await fleet.openHead();
    expect(head.fault()).toContain("belongs to another installation");
    await streams.delete("ASSAY_SCANS_berlin");
    await fleet.clock.pass(6_000);
    expect(head.fault()).toBeNull();
  });

  test("changes limits of streams that an earlier one has made", async () => {
    const { streams } = await manager();
    const bytesMax = async () => (await streams.info("ASSAY_SCANS_berlin")).config.max_bytes;
    const earlier = await fleet.openHead({ limits: { scanBytesMax: 1_000 } });
    expect(await bytesMax()).toBe(1_000);
    await earlier.close();
    await fleet.openHead({ limits: { scanBytesMax: 2_000 } });
    expect(await bytesMax()).toBe(2_000);
  });

  test("says once that nats-server is not ready, and works when it is", async () => {
    const requestMs = 1_000;
    const head = await fleet.openHead({ times: { requestMs } });
    const lines = () => fleet.logged.filter((line) => line.startsWith("streams in NATS not ready yet")).length;
    let tries = 0;
    head.connection.copies = ({ subject }) => {
      if (subject !== "$JS.API.INFO") return 1;
      tries++;
      return 0;
    };
    head.connection.lose();
    await soon();
    head.connection.restore();
    await fleet.clock.pass(3_000);
    expect([head.state(), head.fault(), lines()]).toEqual(["disconnected", "nats-server is not ready: timeout", 1]);
    await fleet.clock.pass(minuteMs);
    expect(lines()).toBe(1);
    // Each takes a second, and the waits between them grow by one second.
    expect([8, 9, 10]).toContain(tries);
    head.connection.copies = () => 1;
    await fleet.clock.pass(minuteMs);
    expect([head.state(), head.fault(), lines()]).toEqual(["connected", null, 1]);
  });

  test("answers a worker of a new location once its streams are made", async () => {
    await fleet.openHead();
    const worker = { ...fleet.store.enrolled.get(first), location: "paris" } as never;
    fleet.store.enrolled.set(first, worker);
    const connection = fleet.nats.connect({ inboxPrefix: `_INBOX_${first}` });
    const known = {
      v: fleetProtocol,
      version: "1.2.3",
      evidenceVersion: 1,
      slots: 2,
      busy: 0,
      reach: "public",
      scansDone: 0,
      lastFault: null,
    };
    let madeAtAnswer = false;
    const { streams } = await manager();
    const asked = connection.request(`assay.worker.paris.${first}`, JSON.stringify(known), { timeout: 1_000 }).then(async () => {
      madeAtAnswer = await streams.info("ASSAY_SCANS_paris").then(
        () => true,
        () => false,
      );
    });
    await fleet.clock.until(asked);
    expect(madeAtAnswer).toBe(true);
  });

  test("hears each note once, and has one request for results, after several reconnections", async () => {
    const head = await fleet.openHead();
    const scan = fleet.handOut(head, "one");
    for (const _ of [1, 2, 3]) await reconnect(head);
    const note = JSON.stringify({ v: fleetProtocol, attempt: 1, stage: "resolving" });
    fleet.nats.connect().publish(progressSubjects.of({ location: fakeLocation, worker: first, token: "one" }), note);
    await soon();
    expect(scan.stages).toEqual(["resolving"]);
    const { consumers } = await manager();
    expect((await consumers.info("ASSAY_RESULTS_berlin", "head")).num_waiting).toBe(1);
  });

  test("does not count time without a connection for the time limit of a job", async () => {
    const head = await fleet.openHead({ waitMaxMs: 24 * 60 * minuteMs });
    const worker = await fleet.startWorker();
    const scan = fleet.handOut(head, "one");
    await soon();
    head.connection.lose();
    await fleet.clock.pass(60 * minuteMs, 1_000);
    head.connection.restore();
    await fleet.clock.pass(3 * minuteMs, 1_000);
    expect([scan.ended, worker.busy()]).toEqual([null, 1]);
  });

  test("compares with NATS soon after each connection", async () => {
    const head = await fleet.openHead();
    await reconnect(head);
    const asked = () =>
      fleet.nats.received.filter(({ subject, data }) => subject.startsWith("$JS.API.STREAM.INFO.ASSAY_SCANS") && data.length > 0);
    const before = asked().length;
    head.connection.lose();
    await soon();
    head.connection.restore();
    await fleet.clock.pass(3_000);
    expect(asked().length).toBeGreaterThan(before);
  });
});

describe("a publication", () => {
  test("whose confirmation is lost counts as done when the job is already there", async () => {
    const head = await fleet.openHead();
    let lost = 0;
    head.connection.copies = ({ data }, direction) =>
      direction === "to client" && Buffer.from(data).toString().startsWith('{"stream":"ASSAY_SCANS') && lost++ === 0 ? 0 : 1;
    const scan = fleet.handOut(head, "one");
    await fleet.clock.pass(6_000);
    expect(head.fault()).toBe(`scans of the location ${fakeLocation} cannot be published`);
    await fleet.clock.pass(10_000);
    expect([lost > 0, head.fault(), fleet.messages().jobs, scan.ended]).toEqual([true, null, ["one"], null]);
  });

  test("into a full stream is repeated, and says so", async () => {
    const head = await fleet.openHead({ limits: { scanBytesMax: 400 } });
    for (const token of ["one", "two"]) fleet.handOut(head, token);
    await soon();
    expect(head.fault()).toBe(`scans of the location ${fakeLocation} cannot be published: its stream in NATS is full`);
    const worker = await fleet.startWorker();
    worker.scans[0]?.end();
    await fleet.clock.pass(35_000);
    expect([head.fault(), worker.scans.length]).toEqual([null, 2]);
  });
});

describe("messages that no honest worker sends", () => {
  const send = (end: string) => fleet.nats.connect().publish(`assay.result.berlin.${first}.${end}`, "x");

  test("are removed", async () => {
    await fleet.openHead();
    await soon();
    for (const end of ["one.1.1.junk", "one.x.1.manifest"]) send(end);
    await soon();
    expect(fleet.messages().results).toEqual(["one.1.1.junk"]);
    await fleet.clock.pass(minuteMs);
    expect(fleet.messages().results).toEqual([]);
  });

  test("end with their scan, though a manifest is only removed by its consumer", async () => {
    const head = await fleet.openHead();
    head.connection.copies = ({ subject }) => (subject.endsWith(".manifest") && subject.startsWith("assay.") ? 0 : 1);
    await fleet.send({ token: "over" });
    await fleet.clock.pass(minuteMs + 1_000);
    expect(fleet.messages().results).toEqual(["over.1.1.manifest"]);
    head.connection.copies = () => 1;
    await fleet.clock.pass(minuteMs);
    expect(fleet.messages().results).toEqual([]);
  });
});

test("repeated work that is asked for while it runs follows soon, and never runs twice at once", async () => {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  let running = 0;
  let most = 0;
  let runs = 0;
  const action = async () => {
    runs++;
    most = Math.max(most, ++running);
    await pause(fleet.clock, 300);
    running--;
  };
  const repeated = createRepeated(action, { everyMs: minuteMs, soonMs: 100, failed: "failed", clock: fleet.clock, log });
  repeated.soon();
  await fleet.clock.pass(150);
  repeated.soon();
  repeated.soon();
  await fleet.clock.pass(600);
  expect([runs, most]).toEqual([2, 1]);
  await fleet.clock.pass(minuteMs + 1_000);
  expect(runs).toBe(3);
  repeated.stop();
  repeated.soon();
  await fleet.clock.pass(2 * minuteMs);
  expect(runs).toBe(3);
});
