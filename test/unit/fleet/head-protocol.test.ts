/** The head with workers on a nats-server in memory: lost, late and repeated messages, revocation, republication, reconnection. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { minuteMs } from "../../../src/base/units.ts";
import { type FakeFleet, type FakeHead, fakeLocation, fakeWorkerIds, honestPacked, startFakeFleet } from "../../support/fake-fleet.ts";
import type { WireMessage } from "../../support/fake-jetstream.ts";
import { knownScans } from "../../support/finished-scans.ts";

const [first, second] = fakeWorkerIds;
const page = knownScans.shop.evidence.page;
const empty = { jobs: [], results: [] };

let fleet: FakeFleet;
beforeEach(async () => {
  fleet = await startFakeFleet();
});
afterEach(() => fleet[Symbol.asyncDispose]());

const soon = () => fleet.clock.pass(1_000);

describe("a scan", () => {
  test("is gathered by a worker, and leaves no message behind", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    const scan = fleet.handOut(head, "one");
    await soon();
    worker.scans[0]?.end();
    await soon();
    expect(scan.ended).toMatchObject({ gathered: { evidence: { page } }, worker: first });
    expect(scan.stages).toEqual(["resolving"]);
    expect(fleet.messages()).toEqual({ jobs: [], results: ["one.1.1.0", "one.1.1.manifest"] });
    await scan.store();
    await soon();
    expect(fleet.messages()).toEqual(empty);
    expect(head.counters()).toMatchObject({ results: 1, faults: 0, lost: 0, dropped: 0, republished: 0, removed: 0, spent: 0 });
    expect(fleet.store.enrolled.get(first)?.scansDone).toBe(1);
  });

  test("goes to the worker at most once though its job is published again by a later head", async () => {
    const { head } = await fleet.headWithScan();
    await head.close();
    const next = await fleet.openHead();
    const adopted = fleet.handOut(next, "one", { adopted: true });
    await fleet.clock.pass(2 * minuteMs);
    const worker = await fleet.startWorker();
    expect(worker.scans).toHaveLength(1);
    worker.scans[0]?.end();
    await soon();
    expect(adopted.ended).toMatchObject({ worker: first });
    expect(next.counters()).toMatchObject({ results: 1, republished: 0 });
  });

  test("of a head that stops already is not handed out", async () => {
    const head = await fleet.openHead();
    const scan = fleet.handOut(head, "one", { signal: AbortSignal.abort() });
    await soon();
    expect([scan.ended?.gathered, fleet.messages()]).toEqual(["interrupted", empty]);
  });

  test("of a later attempt replaces the job and the result of the earlier one", async () => {
    const { head } = await fleet.headWithScan();
    await fleet.send({}, [0]);
    const again = fleet.handOut(head, "one", { attempt: 2 });
    await soon();
    const worker = await fleet.startWorker();
    expect(worker.scans).toHaveLength(1);
    worker.scans[0]?.end();
    await soon();
    expect(again.ended).toMatchObject({ gathered: { evidence: { page } } });
    expect(fleet.messages().results).toContain("one.2.1.manifest");
  });

  test("that is cancelled reaches no worker, and its result is dropped", async () => {
    const stop = new AbortController();
    const { scan, head } = await fleet.headWithScan({ signal: stop.signal });
    stop.abort("cancelled");
    await soon();
    const ending = scan.ended;
    await scan.store();
    await soon();
    expect(fleet.messages()).toEqual(empty);
    expect(ending?.gathered).not.toBeNull();
    await fleet.send();
    await soon();
    expect(head.counters()).toMatchObject({ dropped: 1, results: 0 });
  });

  test("that is cancelled ends at its worker at once, also if the first note is lost", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    for (const lost of [0, 1]) {
      const stop = new AbortController();
      const scan = fleet.handOut(head, `scan-${lost}`, { signal: stop.signal });
      await soon();
      let left = lost;
      head.connection.copies = ({ subject }) => (subject.startsWith("assay.cancel.") && left-- > 0 ? 0 : 1);
      stop.abort("cancelled");
      await soon();
      expect([scan.ended?.gathered, worker.scans[lost]?.signal?.aborted]).toEqual(["cancelled", lost === 0]);
      await scan.store();
      await soon();
      expect(worker.scans[lost]?.signal?.aborted).toBe(true);
    }
  });

  test("ends as without a worker after the wait, not before, and not while it runs", async () => {
    const head = await fleet.openHead({ waitMaxMs: 10 * minuteMs });
    const waiting = fleet.handOut(head, "one");
    await fleet.clock.pass(9 * minuteMs, 1_000);
    expect(waiting.ended).toBeNull();
    await fleet.clock.pass(3 * minuteMs, 1_000);
    expect(waiting.ended).toMatchObject({ gathered: "no-worker" });
  });

  test("whose result is known does not end as without a worker", async () => {
    const head = await fleet.openHead({ waitMaxMs: 10 * minuteMs });
    fleet.handOut(head, "one");
    await soon();
    await fleet.send();
    await fleet.clock.pass(15 * minuteMs, 1_000);
    expect(fleet.logged.filter((line) => line.startsWith("scan ends"))).toEqual([]);
  });
});

describe("a job that NATS has lost", () => {
  const lose = async (head: FakeHead) => {
    fleet.nats.jetStream.lose();
    head.connection.lose();
    await soon();
    head.connection.restore();
    await fleet.clock.pass(5_000);
  };

  test("is published three times again, and then ends its scan", async () => {
    const { head, scan } = await fleet.headWithScan();
    for (const times of [1, 2, 3]) {
      await lose(head);
      expect([head.counters().republished, scan.ended, fleet.messages().jobs]).toEqual([times, null, ["one"]]);
    }
    await lose(head);
    expect([head.counters().republished, scan.ended?.gathered]).toEqual([3, "crashed"]);
  });

  test("is not published again while its result waits", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    let lost = 0;
    // Manifests that never reach the head: the result only lies in the stream.
    head.connection.copies = ({ subject }) => (subject.endsWith(".manifest") && lost++ >= 0 ? 0 : 1);
    const scan = fleet.handOut(head, "one");
    await soon();
    worker.scans[0]?.end();
    await fleet.clock.pass(minuteMs + 1_000);
    expect([lost > 0, head.counters().republished, fleet.messages().jobs, scan.ended]).toEqual([true, 0, [], null]);
    head.connection.copies = () => 1;
    await fleet.clock.pass(minuteMs);
    expect(scan.ended).toMatchObject({ worker: first });
  });
});

describe("a result", () => {
  test("is taken in whatever the order and number of its messages", async () => {
    const { head, scan } = await fleet.headWithScan();
    await fleet.send({}, [null]);
    await fleet.clock.pass(300);
    expect(scan.ended).toBeNull();
    await fleet.send({}, [0, 0, null]);
    await fleet.clock.pass(5_000);
    expect(scan.ended).toMatchObject({ gathered: { evidence: { page } } });
    expect(head.counters()).toMatchObject({ results: 1, lost: 0, faults: 0 });
    await scan.store();
    await soon();
    expect(fleet.messages()).toEqual(empty);
  });

  test("without one of its parts is given up after five tries, and its scan is gathered again", async () => {
    const head = await fleet.openHead();
    const worker = await fleet.startWorker();
    const scan = fleet.handOut(head, "one");
    await soon();
    let asked = 0;
    head.connection.copies = ({ subject }, direction) => {
      if (direction === "to server" && subject.startsWith("$JS.API.DIRECT.GET.ASSAY_RESULTS")) asked++;
      return 1;
    };
    worker.connection.copies = ({ subject }: WireMessage) => (subject.endsWith(".1.1.0") ? 0 : 1);
    await fleet.send({}, [null]);
    await fleet.clock.pass(5_000);
    expect([asked, head.counters().lost, scan.ended]).toEqual([5, 1, null]);
    worker.connection.copies = () => 1;
    worker.scans[0]?.end();
    await fleet.clock.pass(5_000);
    expect(scan.ended).toMatchObject({ worker: first });
  });

  test.each([
    ["of wrong sums", { result: { ...honestPacked().manifest.result, sha256: "0".repeat(64) } }, "wrong SHA-256"],
    [
      "of another size",
      { result: { ...honestPacked().manifest.result, bytes: honestPacked().manifest.result.bytes + 1 } },
      "its manifest states",
    ],
    ["of an unknown version", { evidenceVersion: 9_999 }, "which this server does not read"],
  ])("%s ends its scan, with a fault of the worker", async (_name, changes, fault) => {
    const { head, scan } = await fleet.headWithScan();
    const { parts, manifest } = honestPacked();
    await fleet.send({}, [0, null], { parts, manifest: { ...manifest, ...changes } });
    await soon();
    expect(scan.ended?.gathered).toBe("crashed");
    expect(head.counters()).toMatchObject({ faults: 1, results: 0 });
    expect(fleet.store.enrolled.get(first)?.lastFault?.text).toContain(fault);
    expect(fleet.store.enrolled.get(first)?.scansDone).toBe(0);
  });

  test("of a worker that was moved to another location is dropped", async () => {
    const { head, scan } = await fleet.headWithScan();
    fleet.changeWorker(0, { location: "paris" });
    await fleet.send();
    await soon();
    expect([scan.ended, head.counters().dropped]).toEqual([null, 1]);
  });

  test.each([
    ["of an unknown worker", { worker: `U${"C".repeat(55)}` }],
    ["of a later attempt", { attempt: 2 }],
    ["of another scan", { token: "two" }],
  ])("%s is dropped", async (_name, sent) => {
    const { head, scan } = await fleet.headWithScan();
    await fleet.send(sent);
    await soon();
    expect([scan.ended, head.counters().dropped]).toEqual([null, 1]);
    await fleet.clock.pass(2 * minuteMs);
    expect(fleet.messages()).toEqual({ jobs: ["one"], results: [] });
  });

  test("for a scan that the store has at another location is dropped", async () => {
    const head = await fleet.openHead();
    const stored = { status: "running", attempts: 1, startedAt: "2026-11-22T10:00:00.000Z", url: "https://shop.test/" };
    fleet.store.running.set("one", { ...stored, location: "paris" });
    await fleet.send();
    await soon();
    expect(head.counters().dropped).toBe(1);
  });

  test("of an earlier attempt is dropped", async () => {
    const { head, scan } = await fleet.headWithScan({ attempt: 2 });
    await fleet.send();
    await soon();
    expect([scan.ended, head.counters().dropped]).toEqual([null, 1]);
  });

  test("that is dropped is logged ten times at once", async () => {
    const { head } = await fleet.headWithScan();
    for (let delivery = 1; delivery <= 12; delivery++) await fleet.send({ token: "over", delivery }, [null]);
    await soon();
    expect([head.counters().dropped, fleet.logged.filter((line) => line.startsWith("result dropped")).length]).toEqual([12, 10]);
  });

  test("that lacks a part makes room for the next one", async () => {
    const head = await fleet.openHead();
    const tokens = Array.from({ length: 18 }, (_, at) => `scan-${at}`);
    for (const token of tokens) fleet.handOut(head, token);
    await soon();
    for (const token of tokens) await fleet.send({ token }, [null]);
    await fleet.clock.pass(10_000);
    expect(head.counters().lost).toBe(18);
  });

  test("of a second delivery beside the first is dropped when the scan is stored", async () => {
    const { head, scan } = await fleet.headWithScan();
    await fleet.send();
    await fleet.send({ worker: second, delivery: 2 });
    await soon();
    expect(scan.ended?.worker).toBe(first);
    await scan.store();
    await soon();
    expect(head.counters()).toMatchObject({ results: 1, dropped: 1 });
    expect(fleet.messages()).toEqual(empty);
  });

  test("that came before the scan is out waits for it", async () => {
    const head = await fleet.openHead();
    fleet.store.running.set("one", {
      ...{ status: "running", location: fakeLocation, attempts: 1 },
      ...{ startedAt: "2026-11-22T10:00:00.000Z", url: "https://shop.test/" },
    });
    await fleet.send();
    await fleet.clock.pass(5_000);
    const scan = fleet.handOut(head, "one", { adopted: true });
    await fleet.clock.pass(3_000);
    expect(scan.ended).toMatchObject({ worker: first });
    expect(head.counters()).toMatchObject({ results: 1, dropped: 0 });
  });

  test("that is not stored when the head ends is read again by the next head", async () => {
    const { head, scan } = await fleet.headWithScan();
    await fleet.send();
    await soon();
    expect(scan.ended).not.toBeNull();
    await head.close();
    const next = await fleet.openHead();
    const adopted = fleet.handOut(next, "one", { adopted: true });
    await fleet.clock.pass(3_000);
    expect(adopted.ended).toMatchObject({ worker: first });
  });

  test("is kept from another delivery while the scan is judged, however long", async () => {
    const { head, scan } = await fleet.headWithScan();
    let manifests = 0;
    head.connection.copies = ({ subject }, direction) => {
      if (direction === "to client" && subject.endsWith(".manifest")) manifests++;
      return 1;
    };
    await fleet.send();
    await fleet.clock.pass(5 * minuteMs, 1_000);
    expect([scan.ended?.worker, manifests]).toEqual([first, 1]);
  });

  test("waits in NATS while sixteen others are in memory", async () => {
    const head = await fleet.openHead();
    const tokens = Array.from({ length: 18 }, (_, at) => `scan-${at}`);
    const scans = tokens.map((token) => fleet.handOut(head, token));
    await soon();
    for (const token of tokens) await fleet.send({ token });
    await soon();
    const ended = () => scans.filter((scan) => scan.ended !== null).length;
    expect(ended()).toBe(16);
    await scans[0]?.store();
    await soon();
    expect(ended()).toBe(17);
    await scans[1]?.store();
    await soon();
    expect(ended()).toBe(18);
  });

  test("is read though one that waited before it was dropped", async () => {
    const head = await fleet.openHead();
    const stop = new AbortController();
    const scans = Array.from({ length: 18 }, (_, at) => fleet.handOut(head, `scan-${at}`, at === 16 ? { signal: stop.signal } : {}));
    await soon();
    for (let at = 0; at < 18; at++) await fleet.send({ token: `scan-${at}` });
    await soon();
    const hasEnded = (at: number) => scans[at]?.ended != null;
    expect([15, 16, 17].map(hasEnded)).toEqual([true, false, false]);
    stop.abort("cancelled");
    await soon();
    await scans[16]?.store();
    await soon();
    await scans[0]?.store();
    await soon();
    expect(hasEnded(17)).toBe(true);
  });
});
