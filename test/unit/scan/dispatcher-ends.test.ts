/** Protocol of the dispatcher over models: cancelled scans and the stop of the server, in any order with claims and ends. */
import { describe, expect, test } from "vitest";
import { hourMs } from "../../../src/base/units.ts";
import {
  emptyDisk,
  eventTypesOf,
  failedOutcome,
  finishedOutcome,
  fullDisk,
  heldTokens,
  queueOnDisk,
  startedDispatcher,
  statusOnDisk,
  switchedGate,
} from "../../support/dispatcher-model.ts";
import { fakeClock, settled } from "../../support/fake-clock.ts";

const storeRetryMs = 2_000;
const cancelMsMax = 5_000;

describe("cancelling", () => {
  test("a waiting scan ends it without a slot, and publishes and counts its end", async () => {
    const { model, tokens, dispatcher } = await startedDispatcher(2);
    expect(await dispatcher.cancel(tokens[1] ?? "")).toBe("cancelled");
    expect([model.ended, eventTypesOf(model, tokens[1]), model.held.length]).toEqual([[[tokens[1], "cancelled"]], ["failed"], 1]);
  });

  test("a scan whose claim is not yet on disk ends it once it runs", async () => {
    const { gate, hold } = switchedGate();
    const release = hold("claim", "durable");
    const { model, tokens, dispatcher } = await startedDispatcher(1, { gate });
    expect([statusOnDisk(model, tokens[0]), model.held.length]).toEqual(["running", 0]);
    const cancelled = dispatcher.cancel(tokens[0] ?? "");
    await settled();
    await release();
    expect(await cancelled).toBe("cancelled");
    expect([model.ended, model.released]).toEqual([[[tokens[0], "cancelled"]], tokens]);
  });

  test("a running scan stores why it ended, and keeps an outcome that came first", async () => {
    let onAbort = failedOutcome("interrupted");
    const { model, tokens, dispatcher } = await startedDispatcher(3, { onAbort: () => onAbort });
    expect(await dispatcher.cancel(tokens[0] ?? "")).toBe("cancelled");
    onAbort = finishedOutcome;
    expect(await dispatcher.cancel(tokens[1] ?? "")).toBe("over");
    onAbort = failedOutcome("unresolved");
    expect(await dispatcher.cancel(tokens[2] ?? "")).toBe("over");
    expect(model.ended.map(([, code]) => code)).toEqual(["cancelled", null, "unresolved"]);
    expect(await dispatcher.cancel("scan9")).toBe("unknown");
  });

  test("waits for an end at most five seconds, which is stored later all the same", async () => {
    const { gate, refuse } = switchedGate();
    const { model, tokens, dispatcher, clock } = await startedDispatcher(1, { gate });
    refuse("fail", fullDisk());
    let answer = "none";
    dispatcher.cancel(tokens[0] ?? "").then(
      () => (answer = "resolved"),
      (error: Error) => (answer = error.message),
    );
    await settled();
    clock.advance(cancelMsMax - 1);
    await settled();
    expect(answer).toBe("none");
    clock.advance(1);
    await settled();
    expect(answer).toContain("not stored yet");
    refuse("fail", null);
    clock.advance(storeRetryMs);
    await settled();
    expect(model.disk.scans.get(tokens[0] ?? "")).toMatchObject({ status: "failed", errorCode: "cancelled" });
  });

  test("a scan while the server stops, whose end is stored, does not begin again", async () => {
    const { gate, hold } = switchedGate();
    const { model, tokens, dispatcher, clock, disk } = await startedDispatcher(1, { gate });
    const release = hold("fail", "visible");
    const cancelled = dispatcher.cancel(tokens[0] ?? "");
    await settled();
    const stopped = dispatcher.stop(0);
    clock.advance(0);
    await release();
    await stopped;
    expect([await cancelled, statusOnDisk(model, tokens[0]), model.released]).toEqual(["cancelled", "failed", tokens]);
    expect((await startedDispatcher(0, { disk, clock })).model.held).toHaveLength(0);
  });
});

test("a scan that is cancelled and ends after the stop does not begin again", async () => {
  const { model, tokens, dispatcher, clock } = await startedDispatcher(1, { onAbort: () => null });
  const cancelled = dispatcher.cancel(tokens[0] ?? "");
  await settled();
  const stopped = dispatcher.stop(0);
  clock.advance(0);
  await settled();
  model.held[0]?.end(failedOutcome("interrupted"));
  await stopped;
  expect([await cancelled, statusOnDisk(model, tokens[0]), model.released]).toEqual(["cancelled", "failed", tokens]);
});

describe("a stop", () => {
  test("waits for local scans until the drain time is over, and claims nothing more", async () => {
    const { model, tokens, dispatcher, clock } = await startedDispatcher(3, { capacities: { local: 2 } });
    let stopped = false;
    const stopping = dispatcher.stop(10_000).then(() => (stopped = true));
    await settled();
    model.held[0]?.end(finishedOutcome);
    clock.advance(9_999);
    await settled();
    expect([stopped, model.held[1]?.ending.aborted, model.held.length]).toEqual([false, false, 2]);
    clock.advance(1);
    await stopping;
    expect(model.held[1]?.ending.reason).toBe("stopping");
    expect(tokens.map((token) => statusOnDisk(model, token))).toEqual(["finished", "running", "queued"]);
    expect([model.released, model.ended, eventTypesOf(model, tokens[1])]).toEqual([[tokens[0]], [[tokens[0], null]], ["claimed"]]);
    dispatcher.wake();
    clock.advance(hourMs);
    await settled();
    expect([dispatcher.running(), model.held.length]).toEqual([0, 2]);
    expect(clock.waits()).toEqual([]);
  });

  test("leaves the scans of workers at once, which the next start adopts with the same attempt", async () => {
    const capacities = { local: 1, berlin: 1 };
    const { clock, disk } = await startedDispatcher(0);
    queueOnDisk(disk, clock.now(), { location: "berlin" });
    queueOnDisk(disk, clock.now());
    const { model, dispatcher } = await startedDispatcher(0, { disk, clock, capacities });
    const stopping = dispatcher.stop(10_000);
    await settled();
    const [there, here] = ["berlin", "local"].map((name) => model.held.find(({ stored }) => stored.location === name));
    expect([there?.ending.aborted, here?.ending.aborted, dispatcher.running()]).toEqual([true, false, 1]);
    here?.end(finishedOutcome);
    await stopping;
    const next = await startedDispatcher(0, { disk, clock, capacities });
    expect(next.model.held.map(({ stored }) => stored)).toMatchObject([{ token: "scan1", attempt: 1, adopted: true, location: "berlin" }]);
    expect([model.released, next.model.claimedMs]).toEqual([["scan2"], []]);
    next.model.held[0]?.end(finishedOutcome);
    await settled();
    expect([next.model.ended, next.model.released]).toEqual([[["scan1", null]], ["scan1"]]);
  });

  test("waits for a claim that is under way, and for its scan", async () => {
    const { gate, hold } = switchedGate();
    const release = hold("claim", "durable");
    const { model, tokens, dispatcher, clock } = await startedDispatcher(2, { gate, capacities: { local: 2 } });
    let stopped = false;
    const stopping = dispatcher.stop(10_000).then(() => (stopped = true));
    await settled();
    expect(stopped).toBe(false);
    await release();
    expect([stopped, heldTokens(model)]).toEqual([false, tokens.slice(0, 1)]);
    model.held[0]?.end(finishedOutcome);
    await stopping;
    expect(tokens.map((token) => statusOnDisk(model, token))).toEqual(["finished", "queued"]);
    expect(clock.waits()).toEqual([]);
  });

  test("ends at once a scan that is claimed after the drain time, or elsewhere", async () => {
    for (const location of ["local", "berlin"]) {
      const { gate, hold } = switchedGate();
      const release = hold("claim", "durable");
      const disk = emptyDisk();
      const clock = fakeClock();
      queueOnDisk(disk, clock.now(), { location });
      const { model, dispatcher } = await startedDispatcher(0, {
        disk,
        clock,
        gate,
        capacities: { local: location === "local" ? 1 : 0, berlin: 1 },
      });
      const stopping = dispatcher.stop(0);
      clock.advance(0);
      await release();
      await stopping;
      expect([model.held[0]?.ending.reason, statusOnDisk(model, "scan1"), model.released]).toEqual(["stopping", "running", []]);
    }
  });

  test("gives up an outcome that a full disk refuses: the scan is left to the next start, unreleased", async () => {
    const { gate, refuse } = switchedGate();
    const { model, tokens, dispatcher, clock } = await startedDispatcher(1, { gate });
    refuse("finish", fullDisk());
    model.held[0]?.end(finishedOutcome);
    await settled();
    const stopping = dispatcher.stop(1_000);
    await settled();
    clock.advance(1_000);
    await stopping;
    expect([statusOnDisk(model, tokens[0]), model.released, model.ended]).toEqual(["running", [], []]);
  });
});
