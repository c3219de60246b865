/** What workers say about themselves and their scans, as the head hears it: answers, capacity, rates, stages and faults. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { minuteMs } from "../../../src/base/units.ts";
import { evidenceVersion } from "../../../src/evidence/evidence.ts";
import { fleetProtocol, type PresenceReply } from "../../../src/fleet/messages.ts";
import { inboxPrefixOf, presenceSubjects, progressSubjects } from "../../../src/fleet/subjects.ts";
import type { FakeConnection } from "../../support/fake-connection.ts";
import { type FakeFleet, fakeLocation, fakeWorkerIds, startFakeFleet } from "../../support/fake-fleet.ts";

const [first, second] = fakeWorkerIds;
const unknown: string = `U${"C".repeat(55)}`;

let fleet: FakeFleet;
beforeEach(async () => {
  fleet = await startFakeFleet();
});
afterEach(() => fleet[Symbol.asyncDispose]());

const known = { v: fleetProtocol, version: "1.2.3", evidenceVersion, slots: 2, busy: 0, reach: "public", scansDone: 0, lastFault: null };
const connectionOf = (worker: string): FakeConnection => fleet.nats.connect({ inboxPrefix: inboxPrefixOf(worker) });

/** The answer to one note; "silence" without. */
async function answerTo(changes: object = {}, worker: string = first, location = fakeLocation): Promise<string> {
  const asked = connectionOf(worker).request(presenceSubjects.of({ location, worker }), JSON.stringify({ ...known, ...changes }), {
    timeout: 500,
  });
  return fleet.clock.until(
    asked.then(
      (message) => message.json<PresenceReply>().answer,
      () => "silence",
    ),
  );
}

describe("a worker is answered", () => {
  test.each([
    ["accepted", {}, {}],
    ["drained", { drained: true }, {}],
    ["revoked", { revokedAt: "2026-11-22T10:00:00.000Z", drained: true }, {}],
    ["unknown", { location: "paris" }, {}],
    ["too-old", {}, { v: fleetProtocol - 1, slots: "of another release" }],
    ["too-new", {}, { v: fleetProtocol + 1 }],
    ["too-new", {}, { evidenceVersion: evidenceVersion + 1 }],
    ["private-location", {}, { reach: "private" }],
    ["silence", {}, { slots: -1 }],
    ["silence", {}, { v: "1" }],
  ])("%s", async (answer, stored, note) => {
    await fleet.openHead();
    fleet.changeWorker(0, stored);
    expect(await answerTo(note)).toBe(answer);
  });

  test("as accepted with private addresses where only accounts read scans", async () => {
    await fleet.openHead({ readers: "accounts" });
    expect(await answerTo({ reach: "private" })).toBe("accepted");
  });

  test("below its own subject only", async () => {
    await fleet.openHead();
    const reply = inboxPrefixOf(second);
    const heard: unknown[] = [];
    connectionOf(second).subscribe(`${reply}.>`, { callback: (_error, message) => void heard.push(message) });
    const own = connectionOf(first);
    own.publish(presenceSubjects.of({ location: fakeLocation, worker: first }), JSON.stringify(known), { reply: `${reply}.x` });
    own.publish(presenceSubjects.of({ location: fakeLocation, worker: first }), JSON.stringify(known), { reply: "$JS.API.INFO" });
    await fleet.clock.pass(1_000);
    expect([heard, fleet.nats.received.filter(({ subject, data }) => subject === "$JS.API.INFO" && data.length > 0)]).toEqual([[], []]);
  });

  test("ten times at once, and then once a second", async () => {
    await fleet.openHead();
    const ask = async (times: number) =>
      (await Promise.all(Array.from({ length: times }, () => answerTo()))).filter((each) => each !== "silence");
    expect((await ask(12)).length).toBe(10);
    await fleet.clock.pass(1_000);
    expect((await ask(5)).length).toBeLessThanOrEqual(2);
    await fleet.clock.pass(minuteMs);
    expect((await ask(12)).length).toBe(10);
  });
});

describe("the capacity of a location", () => {
  test("is one scan more than the slots of each accepted worker, until its note lapses", async () => {
    const head = await fleet.openHead();
    let rises = 0;
    head.onCapacity(() => void rises++);
    await answerTo();
    await answerTo({ slots: 3 }, second);
    expect([head.capacity(fakeLocation), head.capacity("paris"), rises]).toEqual([7, 0, 2]);
    await answerTo();
    await answerTo({ slots: 0 }, second);
    expect([head.capacity(fakeLocation), rises]).toEqual([3, 2]);
    await fleet.clock.pass(29_000);
    expect([head.capacity(fakeLocation), head.presentWorkers().length]).toEqual([3, 2]);
    await fleet.clock.pass(1_500);
    expect([head.capacity(fakeLocation), head.presentWorkers()]).toEqual([0, []]);
  });

  test("follows a browser that starts while the answer to an earlier note is on its way", async () => {
    const head = await fleet.openHead();
    let fault: string | null = null;
    const worker = await fleet.startWorker({ browserFault: () => fault });
    worker.connection.hold();
    fault = "the browser does not start";
    worker.refresh();
    await fleet.clock.pass(50);
    expect(head.capacity(fakeLocation)).toBe(0);
    fault = null;
    worker.refresh();
    worker.connection.release();
    await fleet.clock.pass(50);
    expect(head.capacity(fakeLocation)).toBe(3);
  });

  test("counts neither drained nor unknown workers, and nothing without a connection", async () => {
    const head = await fleet.openHead();
    await answerTo({}, unknown);
    expect(head.presentWorkers()).toEqual([]);
    fleet.changeWorker(0, { drained: true });
    await answerTo();
    expect([head.capacity(fakeLocation), head.presentWorkers().length]).toEqual([0, 1]);
    fleet.changeWorker(0, { drained: false });
    await answerTo();
    head.connection.lose();
    await fleet.clock.pass(50);
    expect([head.capacity(fakeLocation), head.state()]).toEqual([0, "disconnected"]);
    head.connection.restore();
    await fleet.clock.pass(2_000);
    expect([head.capacity(fakeLocation), head.state()]).toEqual([3, "connected"]);
  });

  test("is missing since the connection at first, and since its last worker later", async () => {
    const lastSeenAt = new Date(fleet.clock.now().getTime() - 60 * minuteMs);
    for (const which of [0, 1] as const) fleet.changeWorker(which, { lastSeenAt: lastSeenAt.toISOString() });
    const head = await fleet.openHead();
    const missing = () => fleet.clock.now().getTime() - (head.absentSince(fakeLocation)?.getTime() ?? Number.NaN);
    expect(missing()).toBeLessThan(5_000);
    await fleet.clock.pass(31_000);
    expect(head.absentSince(fakeLocation)).toEqual(lastSeenAt);
    await answerTo({}, second);
    await fleet.clock.pass(20_000);
    await answerTo();
    expect(head.absentSince(fakeLocation)).toBeNull();
    await fleet.clock.pass(minuteMs);
    expect(missing()).toBeGreaterThan(minuteMs - 2_000);
    expect(missing()).toBeLessThan(minuteMs + 2_000);
  });
});

describe("the store", () => {
  const stored = () => fleet.store.enrolled.get(first);

  test("has at once what is new, and the rest once a minute", async () => {
    await fleet.openHead();
    await answerTo();
    const seenAt = stored()?.lastSeenAt;
    await fleet.clock.pass(10_000);
    await answerTo();
    expect([stored()?.lastSeenAt, stored()?.slots]).toEqual([seenAt, 2]);
    await answerTo({ slots: 3, version: "1.2.4" });
    expect(stored()).toMatchObject({ slots: 3, version: "1.2.4" });
    const changedAt = stored()?.lastSeenAt;
    await fleet.clock.pass(minuteMs);
    await answerTo({ slots: 3, version: "1.2.4" });
    expect(Date.parse(stored()?.lastSeenAt ?? "") - Date.parse(changedAt ?? "")).toBeGreaterThanOrEqual(minuteMs);
  });

  test("has nothing of a worker that is revoked, or of another release", async () => {
    await fleet.openHead();
    await answerTo({ v: fleetProtocol - 1, slots: "of another release" });
    expect(stored()).toMatchObject({ lastSeenAt: null, slots: 0 });
    fleet.changeWorker(0, { revokedAt: new Date().toISOString() });
    await answerTo({ slots: 5 });
    expect(stored()).toMatchObject({ lastSeenAt: null, slots: 0 });
  });

  test("has the fault of a worker once, and keeps a later one of the head", async () => {
    await fleet.openHead();
    await answerTo({ lastFault: "no browser" });
    expect(stored()?.lastFault?.text).toBe("no browser");
    fleet.changeWorker(0, { lastFault: { at: new Date().toISOString(), text: "sent an invalid manifest" } });
    await answerTo({ lastFault: "no browser", slots: 4 });
    expect(stored()?.lastFault?.text).toBe("sent an invalid manifest");
    await answerTo({ lastFault: "no memory" });
    expect(stored()?.lastFault?.text).toBe("no memory");
  });
});

describe("progress", () => {
  const say = (changes: object = {}, worker: string = first, token = "one", location = fakeLocation) =>
    connectionOf(worker).publish(
      progressSubjects.of({ location, worker, token }),
      JSON.stringify({ v: fleetProtocol, attempt: 1, stage: "resolving", ...changes }),
    );

  test("counts from a worker of the location, for the attempt that is out", async () => {
    const head = await fleet.openHead();
    const scan = fleet.handOut(head, "one");
    await fleet.clock.pass(500);
    say();
    say({ attempt: 2 });
    say({ stage: "baking" });
    say({}, unknown);
    say({}, first, "two");
    say({}, first, "one", "paris");
    fleet.changeWorker(1, { revokedAt: new Date().toISOString() });
    say({}, second);
    await fleet.clock.pass(100);
    expect(scan.stages).toEqual(["resolving"]);
    fleet.changeWorker(0, { location: "paris" });
    say();
    await fleet.clock.pass(100);
    expect(scan.stages).toHaveLength(1);
  });

  test("is heard 400 times at once, and then 100 times a second", async () => {
    const head = await fleet.openHead();
    const scan = fleet.handOut(head, "one");
    await fleet.clock.pass(500);
    for (let count = 0; count < 500; count++) say();
    await fleet.clock.pass(100);
    expect(scan.stages).toHaveLength(400);
    for (let count = 0; count < 500; count++) say();
    await fleet.clock.pass(50);
    expect(scan.stages).toHaveLength(410);
  });

  test("does not put off the time limit of a job", async () => {
    const head = await fleet.openHead();
    const scan = fleet.handOut(head, "one");
    await fleet.clock.pass(500);
    for (let minutes = 0; minutes < 30 && scan.ended === null; minutes++) {
      say();
      await answerTo();
      await fleet.clock.pass(minuteMs, 1_000);
    }
    expect(scan.ended?.gathered).toBe("timeout");
  });
});
