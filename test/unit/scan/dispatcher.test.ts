/** Protocol of the dispatcher over models: claims, ends, interruptions, and what follows from time. */
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

describe("claims", () => {
  test("fill each location to its capacity, and go on at each end", async () => {
    const capacities = { local: 2, berlin: 1, moon: 0 };
    const disk = emptyDisk();
    const clock = fakeClock();
    for (const location of ["local", "moon", "berlin", "local", "berlin", "local"]) queueOnDisk(disk, clock.now(), { location });
    const { model, dispatcher } = await startedDispatcher(0, { disk, clock, capacities });
    expect(heldTokens(model)).toEqual(["scan1", "scan3", "scan4"]);
    expect(dispatcher.running()).toBe(3);
    model.held[1]?.end(finishedOutcome);
    await settled();
    expect(heldTokens(model).slice(3)).toEqual(["scan5"]);
    capacities.moon = 1;
    model.raised();
    await settled();
    expect(heldTokens(model).slice(4)).toEqual(["scan2"]);
  });

  test("leave one slot of each location free of scheduled scans, where there are several", async () => {
    const disk = emptyDisk();
    const clock = fakeClock();
    const scheduled = (location: string) => queueOnDisk(disk, clock.now(), { location, lane: "scheduled" });
    for (const location of ["local", "local", "local", "local", "berlin", "berlin"]) scheduled(location);
    const { model, dispatcher } = await startedDispatcher(0, { disk, clock, capacities: { local: 3, berlin: 1 } });
    expect(heldTokens(model)).toEqual(["scan1", "scan5", "scan2"]);
    const person = queueOnDisk(disk, clock.now());
    dispatcher.wake();
    await settled();
    expect(heldTokens(model).slice(3)).toEqual([person]);
    model.held[0]?.end(finishedOutcome);
    await settled();
    expect(heldTokens(model).slice(4)).toEqual(["scan3"]);
  });

  test("leave scheduled scans of a network to two at a time, at all locations together, and no person's", async () => {
    const disk = emptyDisk();
    const clock = fakeClock();
    const scheduled = (network: string, location = "local") => queueOnDisk(disk, clock.now(), { location, lane: "first", network });
    for (const network of ["192.0.2.0", "192.0.2.0", "192.0.2.0", "198.51.100.0"]) scheduled(network);
    scheduled("192.0.2.0", "berlin");
    const { model, dispatcher } = await startedDispatcher(0, { disk, clock, capacities: { local: 8, berlin: 2 } });
    // The first one of each location starts before the second one of any.
    expect(heldTokens(model)).toEqual(["scan1", "scan5", "scan4"]);
    const person = queueOnDisk(disk, clock.now(), { network: "192.0.2.0" });
    dispatcher.wake();
    await settled();
    expect(heldTokens(model).slice(3)).toEqual([person]);
    for (const at of [0, 3]) model.held[at]?.end(finishedOutcome);
    await settled();
    expect(heldTokens(model).slice(4)).toEqual(["scan2"]);
  });

  test("find a scan that is queued while an earlier claim is written", async () => {
    const { gate, hold } = switchedGate();
    const { model, dispatcher, disk, clock } = await startedDispatcher(1, { gate, capacities: { local: 3 } });
    const release = hold("claim", "durable");
    dispatcher.wake();
    // The claim has looked at an empty queue already.
    await settled();
    queueOnDisk(disk, clock.now());
    dispatcher.wake();
    await settled();
    expect(heldTokens(model)).toEqual(["scan1"]);
    await release();
    expect(heldTokens(model)).toEqual(["scan1", "scan2"]);
  });

  test("are repeated two seconds after a failure of the store", async () => {
    const { gate, refuse } = switchedGate();
    refuse("claim", fullDisk());
    const { model, clock, dispatcher } = await startedDispatcher(1, { gate });
    dispatcher.wake();
    await settled();
    refuse("claim", null);
    clock.advance(storeRetryMs - 1);
    await settled();
    expect(model.held).toHaveLength(0);
    clock.advance(1);
    await settled();
    expect(heldTokens(model)).toEqual(["scan1"]);
    expect(model.log.filter((line) => line.includes("queue not readable"))).toHaveLength(2);
  });

  test("count the wait of a first attempt only", async () => {
    const disk = emptyDisk();
    const clock = fakeClock();
    queueOnDisk(disk, clock.now());
    clock.advance(1_500);
    const { model } = await startedDispatcher(0, { disk, clock });
    expect(model.claimedMs).toEqual([1_500]);
    const next = await startedDispatcher(0, { disk, clock });
    expect(heldTokens(next.model)).toEqual(["scan1"]);
    expect(next.model.claimedMs).toEqual([]);
  });
});

describe("an end", () => {
  test("is published, counted and released once it is on disk, and not before", async () => {
    const { gate, hold } = switchedGate();
    const { model, tokens } = await startedDispatcher(2, { gate });
    const release = hold("finish", "durable");
    model.held[0]?.end(finishedOutcome);
    await settled();
    expect([statusOnDisk(model, tokens[0]), model.released, model.ended, eventTypesOf(model, tokens[0])]).toEqual([
      "finished",
      [],
      [],
      ["claimed"],
    ]);
    expect(model.held).toHaveLength(1);
    await release();
    expect([model.released, model.ended]).toEqual([[tokens[0]], [[tokens[0], null]]]);
    expect(eventTypesOf(model, tokens[0])).toEqual(["claimed", "finished"]);
    expect(heldTokens(model)).toEqual(tokens);
    model.held[1]?.end(failedOutcome("unresolved"));
    await settled();
    expect([statusOnDisk(model, tokens[1]), model.ended[1], eventTypesOf(model, tokens[1])]).toEqual([
      "failed",
      [tokens[1], "unresolved"],
      ["claimed", "failed"],
    ]);
  });

  test("is written again every two seconds while the disk is full, and keeps its slot meanwhile", async () => {
    const { gate, refuse } = switchedGate();
    const { model, tokens, clock } = await startedDispatcher(2, { gate });
    refuse("finish", fullDisk());
    model.held[0]?.end(finishedOutcome);
    await settled();
    clock.advance(storeRetryMs);
    await settled();
    refuse("finish", null);
    clock.advance(storeRetryMs - 1);
    await settled();
    expect([statusOnDisk(model, tokens[0]), model.held.length]).toEqual(["running", 1]);
    clock.advance(1);
    await settled();
    expect([statusOnDisk(model, tokens[0]), heldTokens(model)]).toEqual(["finished", tokens]);
  });

  test("that the store refuses for good is a failure, and the slot is free where even that is refused", async () => {
    const { gate, refuse } = switchedGate();
    const { model, tokens } = await startedDispatcher(3, { gate });
    refuse("finish", new TypeError("cyclic"));
    model.held[0]?.end(finishedOutcome);
    await settled();
    expect(model.disk.scans.get(tokens[0] ?? "")).toMatchObject({ status: "failed", errorCode: "crashed" });
    expect(model.ended).toEqual([[tokens[0], "crashed"]]);
    refuse("fail", new TypeError("cyclic"));
    model.held[1]?.end(finishedOutcome);
    await settled();
    expect([statusOnDisk(model, tokens[1]), model.released, heldTokens(model)]).toEqual(["running", tokens.slice(0, 2), tokens]);
    expect([model.ended.length, eventTypesOf(model, tokens[1])]).toEqual([1, ["claimed"]]);
  });
});

describe("an interruption", () => {
  test("puts a scan back in front once, and fails it the second time", async () => {
    const { clock, disk, tokens } = await startedDispatcher(2);
    const second = await startedDispatcher(0, { disk, clock });
    expect(second.model.held.map(({ stored }) => stored)).toMatchObject([{ token: tokens[0], attempt: 2, adopted: false }]);
    expect(second.model.ended).toEqual([]);
    const third = await startedDispatcher(0, { disk, clock });
    expect(third.model.ended).toEqual([[tokens[0], "interrupted"]]);
    expect(heldTokens(third.model)).toEqual([tokens[1]]);
  });

  test("requeues the scans of workers where there is no fleet any more", async () => {
    const disk = emptyDisk();
    const clock = fakeClock();
    queueOnDisk(disk, clock.now(), { location: "berlin" });
    await startedDispatcher(0, { disk, clock, capacities: { local: 1, berlin: 1 } });
    const { model } = await startedDispatcher(0, { disk, clock, hasFleet: false });
    expect([statusOnDisk(model, "scan1"), model.held.length]).toEqual(["queued", 0]);
  });

  test("leaves adopted scans in their slots: no more are claimed there", async () => {
    const disk = emptyDisk();
    const clock = fakeClock();
    for (let count = 0; count < 2; count++) queueOnDisk(disk, clock.now(), { location: "berlin" });
    const capacities = { local: 1, berlin: 1 };
    await startedDispatcher(0, { disk, clock, capacities });
    const { model, dispatcher } = await startedDispatcher(0, { disk, clock, capacities });
    expect([heldTokens(model), dispatcher.running()]).toEqual([["scan1"], 1]);
    model.held[0]?.end(finishedOutcome);
    await settled();
    expect(heldTokens(model)).toEqual(["scan1", "scan2"]);
  });
});

describe("the sweep", () => {
  const minuteMs = 60_000;

  test("fails, each minute, the scans that waited too long for an absent location, and no others", async () => {
    const disk = emptyDisk();
    const clock = fakeClock();
    let absentSince: Date | null = clock.now();
    queueOnDisk(disk, clock.now(), { location: "berlin" });
    const { model } = await startedDispatcher(0, { disk, clock, absentSince: () => absentSince, capacities: { local: 0, berlin: 0 } });
    clock.advance(hourMs - minuteMs);
    queueOnDisk(disk, clock.now(), { location: "berlin" });
    clock.advance(minuteMs);
    await settled();
    // It has waited for an hour, and not for longer.
    expect(statusOnDisk(model, "scan1")).toBe("queued");
    absentSince = null;
    clock.advance(minuteMs);
    await settled();
    expect(statusOnDisk(model, "scan1")).toBe("queued");
    absentSince = new Date(clock.now().getTime() - hourMs);
    clock.advance(minuteMs);
    await settled();
    expect([statusOnDisk(model, "scan1"), statusOnDisk(model, "scan2")]).toEqual(["failed", "queued"]);
    expect([model.ended, eventTypesOf(model, "scan1")]).toEqual([[["scan1", "no-worker"]], ["failed"]]);
  });

  test("fails them at a location behind one that has workers", async () => {
    const disk = emptyDisk();
    const clock = fakeClock();
    for (const location of ["aachen", "berlin"]) queueOnDisk(disk, clock.now(), { location });
    clock.advance(2 * hourMs);
    const absentSince = (location: string) => (location === "berlin" ? new Date(clock.now().getTime() - 2 * hourMs) : null);
    const { model } = await startedDispatcher(0, { disk, clock, absentSince, capacities: { local: 0, aachen: 0, berlin: 0 } });
    clock.advance(minuteMs);
    await settled();
    expect([statusOnDisk(model, "scan1"), statusOnDisk(model, "scan2")]).toEqual(["queued", "failed"]);
  });

  test("does not begin before the location was absent for as long", async () => {
    const disk = emptyDisk();
    const clock = fakeClock();
    queueOnDisk(disk, clock.now(), { location: "berlin" });
    clock.advance(2 * hourMs);
    const { model } = await startedDispatcher(0, { disk, clock, hasFleet: false });
    clock.advance(hourMs - minuteMs);
    await settled();
    expect(statusOnDisk(model, "scan1")).toBe("queued");
    clock.advance(minuteMs);
    await settled();
    expect(statusOnDisk(model, "scan1")).toBe("failed");
  });

  test("goes on after a failure of the store", async () => {
    const { gate, refuse } = switchedGate();
    const disk = emptyDisk();
    const clock = fakeClock();
    queueOnDisk(disk, clock.now(), { location: "berlin" });
    const absentSince = clock.now();
    const { model } = await startedDispatcher(0, { disk, clock, gate, absentSince: () => absentSince, capacities: { local: 1 } });
    refuse("sweep", fullDisk());
    clock.advance(hourMs + minuteMs);
    await settled();
    refuse("sweep", null);
    clock.advance(minuteMs);
    await settled();
    expect(statusOnDisk(model, "scan1")).toBe("failed");
  });
});

describe("progress", () => {
  test("is published at once, never falls, and is stored at most four times a second", async () => {
    const { model, clock, tokens } = await startedDispatcher(1);
    const stored = () => model.disk.scans.get(tokens[0] ?? "")?.progressStage;
    const [scan] = model.held;
    for (const stage of ["resolving", "connecting", "browsing", "tls"] as const) scan?.report(stage);
    await settled();
    expect(model.events.map(({ event }) => ("percent" in event ? event.percent : event.type))).toEqual(["claimed", 2, 5, 20, 20]);
    expect(stored()).toBe("resolving");
    clock.advance(249);
    await settled();
    expect(stored()).toBe("resolving");
    clock.advance(1);
    await settled();
    expect(stored()).toBe("tls");
    clock.advance(250);
    scan?.report("dns");
    await settled();
    expect(stored()).toBe("dns");
    scan?.report("mail");
    scan?.end(finishedOutcome);
    await settled();
    // Only the sweep waits.
    expect(clock.waits()).toHaveLength(1);
    clock.advance(250);
    await settled();
    expect(stored()).toBe("dns");
  });
});
