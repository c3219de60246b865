/** The head compares its scans with a nats-server in memory: what it removes, and which jobs it ends. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { minuteMs } from "../../../src/base/units.ts";
import { partsMax } from "../../../src/fleet/results.ts";
import { type FakeFleet, type SentByHand, startFakeFleet } from "../../support/fake-fleet.ts";

let fleet: FakeFleet;
beforeEach(async () => {
  fleet = await startFakeFleet();
});
afterEach(() => fleet[Symbol.asyncDispose]());

const soon = () => fleet.clock.pass(1_000);

describe("what a worker has sent", () => {
  test("is not used once the worker is revoked, and its parts are removed", async () => {
    const { head, scan } = await fleet.headWithScan();
    await fleet.send({}, [0]);
    fleet.changeWorker(0, { revokedAt: new Date().toISOString() });
    await fleet.clock.pass(minuteMs + 1_000);
    expect([fleet.messages(), head.counters().removed]).toEqual([{ jobs: ["one"], results: [] }, 1]);
    await fleet.send();
    await soon();
    expect([scan.ended, head.counters().dropped]).toEqual([null, 1]);
  });

  test("is removed by the comparison unless it can be part of a result", async () => {
    const { head } = await fleet.headWithScan();
    const parts: readonly (readonly [SentByHand, number])[] = [
      [{}, 0],
      [{ delivery: 2 }, 0],
      [{ delivery: 3 }, 0],
      [{ attempt: 2 }, 0],
      [{}, partsMax - 1],
      [{}, partsMax],
      [{ worker: `U${"C".repeat(55)}` }, 0],
      [{ token: "over" }, 0],
      [{ token: "over" }, 1],
    ];
    for (const [sent, part] of parts) await fleet.send(sent, [part]);
    await fleet.clock.pass(minuteMs + 1_000);
    expect(fleet.messages()).toEqual({ jobs: ["one"], results: ["one.1.1.0", "one.1.2.0", `one.1.1.${partsMax - 1}`] });
    // Both parts of the scan that is over count as one.
    expect(head.counters().removed).toBe(5);
  });

  test("is withdrawn with its job once the scan is over, behind a job that still runs", async () => {
    const { head } = await fleet.headWithScan();
    fleet.handOut(head, "two");
    await soon();
    expect(fleet.messages().jobs).toEqual(["one", "two"]);
    fleet.store.running.delete("two");
    await fleet.clock.pass(minuteMs + 1_000);
    expect([fleet.messages().jobs, head.counters().removed]).toEqual([["one"], 1]);
  });

  test("for another location than its own is removed", async () => {
    await fleet.headWithScan();
    await fleet.send({}, [0]);
    fleet.changeWorker(0, { location: "paris" });
    await fleet.clock.pass(minuteMs + 1_000);
    expect(fleet.messages().results).toEqual([]);
  });
});

describe("a job without a result", () => {
  test("ends as crashed once both its deliveries are spent, and no result is on its way", async () => {
    const head = await fleet.openHead();
    const scan = fleet.handOut(head, "one");
    for (const which of [0, 1] as const) {
      const worker = await fleet.startWorker({ which });
      await fleet.clock.pass(which * 31_000);
      expect(worker.scans).toHaveLength(1);
      await worker.connection.close();
    }
    expect([head.counters().spent, scan.ended]).toEqual([0, null]);
    await fleet.clock.pass(31_000);
    expect([head.counters().spent, scan.ended?.gathered]).toEqual([1, "crashed"]);
  });

  test.each([false, true])("is not ended as spent while its result is on its way: %s", async (hasResult) => {
    const { head, scan } = await fleet.headWithScan();
    head.connection.copies = ({ subject }) => (subject.startsWith("assay.result.") && subject.endsWith(".manifest") ? 0 : 1);
    if (hasResult) await fleet.send();
    const advisory = { stream: "ASSAY_SCANS_berlin", stream_seq: 1 };
    fleet.nats.connect().publish("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.ASSAY_SCANS_berlin.berlin", JSON.stringify(advisory));
    await soon();
    expect([head.counters().spent, scan.ended?.gathered]).toEqual(hasResult ? [0, undefined] : [1, "crashed"]);
  });

  test("is not ended as spent while the head cannot look for its result", async () => {
    const { head, scan } = await fleet.headWithScan();
    head.connection.copies = ({ subject }) => (subject.startsWith("$JS.API.STREAM.INFO") ? 0 : 1);
    const advisory = { stream: "ASSAY_SCANS_berlin", stream_seq: 1 };
    fleet.nats.connect().publish("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.ASSAY_SCANS_berlin.berlin", JSON.stringify(advisory));
    await fleet.clock.pass(10_000);
    expect([head.counters().spent, scan.ended]).toEqual([0, null]);
  });

  test("does not end any more once the head is closed", async () => {
    const { head, scan } = await fleet.headWithScan();
    await head.close();
    await fleet.clock.pass(3 * 60 * minuteMs, 10_000);
    expect(scan.ended).toBeNull();
  });

  test("has its time limit also at the next head, without any progress", async () => {
    const { head } = await fleet.headWithScan();
    await head.close();
    const next = await fleet.openHead();
    const adopted = fleet.handOut(next, "one", { adopted: true });
    next.connection.copies = ({ subject }) => (subject.startsWith("assay.progress.") ? 0 : 1);
    const worker = await fleet.startWorker();
    expect(worker.scans).toHaveLength(1);
    await fleet.clock.pass(30 * minuteMs, 1_000);
    expect(adopted.ended?.gathered).toBe("timeout");
  });

  test("has no time limit while it waits, and one from its first delivery", async () => {
    const head = await fleet.openHead();
    const scan = fleet.handOut(head, "one");
    // Keeps the location from having no worker, and takes no job.
    await fleet.startWorker({ browserFault: () => "none" });
    await fleet.clock.pass(30 * minuteMs, 1_000);
    expect(scan.ended).toBeNull();
    const worker = await fleet.startWorker({ which: 1 });
    await soon();
    expect(worker.scans).toHaveLength(1);
    const limitMs = 2 * ((worker.scans[0]?.terms.deadlines?.scanMs ?? 0) + 5_000 + 30_000) + 300_000;
    await fleet.clock.pass(limitMs - minuteMs, 1_000);
    expect(scan.ended).toBeNull();
    await fleet.clock.pass(3 * minuteMs, 1_000);
    expect([scan.ended?.gathered, worker.scans[0]?.signal?.aborted]).toEqual(["timeout", true]);
  });
});
