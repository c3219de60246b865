/** Laws of the dispatcher over random orders of claims, ends, cancels, stops and kills, with writes that take any time. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type DispatcherModel,
  dispatcherModel,
  emptyDisk,
  failedOutcome,
  finishedOutcome,
  queueOnDisk,
  type ScanWrite,
  type WriteGate,
} from "../../support/dispatcher-model.ts";
import { fakeClock, settled } from "../../support/fake-clock.ts";

const drainMs = 1_000;
const attemptsMax = 2;

interface Process {
  readonly model: DispatcherModel;
  /** Null before the stop. `done`: it has resolved. */
  stopping: { done: boolean } | null;
}

/** One disk and its processes, one after the other. */
class World {
  readonly disk = emptyDisk();
  readonly clock = fakeClock();
  readonly capacities: Record<string, number> = { local: 2, berlin: 1 };
  /** Writes that wait to become visible, or durable. */
  pending: { readonly write: ScanWrite; readonly release: () => void }[] = [];
  /** Processes so far: writes of a former one never come. */
  started = 0;
  process = this.start();

  start(): Process {
    const number = ++this.started;
    const gate: WriteGate = (write) =>
      new Promise((release) => {
        if (number === this.started) this.pending.push({ write, release });
      });
    const onHeld = () => {
      for (const [location, capacity] of Object.entries(this.capacities)) {
        const running = this.runningAt(location).filter(({ stored }) => !stored.adopted);
        const scheduled = running.filter(({ stored }) => this.disk.scans.get(stored.token)?.queueKey?.[1] === "scheduled");
        expect(running.length).toBeLessThanOrEqual(capacity);
        expect(scheduled.length).toBeLessThanOrEqual(Math.max(1, capacity - 1));
      }
      const tokens = this.process.model.held.filter(({ isEnded }) => !isEnded()).map(({ stored }) => stored.token);
      expect(new Set(tokens).size).toBe(tokens.length);
    };
    const { disk, clock, capacities } = this;
    return { model: dispatcherModel({ disk, clock, capacities, gate, onHeld: () => this.process && onHeld() }), stopping: null };
  }

  runningAt(location: string) {
    return (this.process?.model.held ?? []).filter(({ stored, isEnded }) => stored.location === location && !isEnded());
  }

  /** What may happen now. */
  actions(): readonly (() => void)[] {
    const { model, stopping } = this.process;
    const running = model.held.filter(({ isEnded }) => !isEnded());
    const tokens = [...this.disk.scans.keys()];
    const writes = this.pending.map((waiting) => () => {
      this.pending = this.pending.filter((one) => one !== waiting);
      waiting.release();
    });
    const ends = running.flatMap(({ end, report }) => [
      () => end(finishedOutcome),
      () => end(failedOutcome("unresolved")),
      () => report("browsing"),
    ]);
    const cancels = tokens.slice(-3).map((token) => () => void this.cancel(token));
    const start = () => {
      this.pending = [];
      this.process = this.start();
    };
    const stop = () => {
      const stopped = { done: false };
      this.process.stopping = stopped;
      model.dispatcher.then(({ stop: stopNow }) => stopNow(drainMs)).then(() => (stopped.done = true));
    };
    const queue = (location: string, lane: "agency" | "scheduled") => () => {
      queueOnDisk(this.disk, this.clock.now(), { location, lane });
      model.dispatcher.then(({ wake }) => wake());
    };
    return [
      ...[...writes, ...writes, ...ends, ...cancels],
      ...[queue("local", "agency"), queue("local", "scheduled"), queue("berlin", "agency")],
      stopping?.done ? start : stopping === null ? stop : () => this.clock.advance(drainMs),
      // A kill: writes that wait never come, and nothing of the process acts any more.
      start,
    ];
  }

  cancel(token: string): void {
    const { process } = this;
    process.model.dispatcher
      .then(({ cancel }) => cancel(token))
      .then(
        (answer) => {
          if (process !== this.process) return;
          const { status, errorCode } = this.disk.scans.get(token) ?? {};
          if (answer === "cancelled") expect([status, errorCode]).toEqual(["failed", "cancelled"]);
          else expect([answer, status === "queued" || status === "running"]).toEqual(["over", false]);
        },
        // A scan that the stop has ended is left to the next start.
        () => expect(process.stopping).not.toBeNull(),
      )
      .catch((error) => void this.faults.push(error));
  }

  readonly faults: unknown[] = [];

  check(): void {
    if (this.faults.length > 0) throw this.faults[0];
    const { model, stopping } = this.process;
    for (const { token, event, status } of model.events)
      if (event.type === "finished" || event.type === "failed") expect([token, status]).toEqual([token, event.type]);
    for (const [token, times] of this.disk.ends) expect([token, times]).toEqual([token, 1]);
    for (const { token, attempts } of this.disk.scans.values()) expect([token, attempts <= attemptsMax]).toEqual([token, true]);
    const once = (tokens: readonly string[]) => expect(new Set(tokens).size).toBe(tokens.length);
    once(model.ended.map(([token]) => token));
    once(model.released);
    once(model.events.flatMap(({ token, event: { type } }) => (type === "finished" || type === "failed" ? [token] : [])));
    for (const token of model.released) expect([token, this.disk.ends.get(token)]).toEqual([token, 1]);
    for (const [token, code] of model.ended) expect([token, this.disk.scans.get(token)?.errorCode]).toEqual([token, code]);
    // Requests that cancel are not part of the stop, and progress may be lost.
    if (stopping?.done) expect(this.pending.filter(({ write }) => write !== "cancel" && write !== "progress")).toEqual([]);
  }

  /** Lets everything come to its end, without a wake. */
  async drain(): Promise<void> {
    if (this.process.stopping !== null) {
      while (!this.process.stopping.done) await this.goOn();
      this.process = this.start();
    }
    while (this.pending.length > 0 || this.process.model.held.some(({ isEnded }) => !isEnded())) await this.goOn();
  }

  async goOn(): Promise<void> {
    for (const { end } of this.process.model.held) end(finishedOutcome);
    for (const { release } of this.pending.splice(0)) release();
    await settled();
  }
}

test("every scan ends once, within the slots, and is reported once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { minLength: 30, maxLength: 150 }), async (choices) => {
      const world = new World();
      for (const choice of choices) {
        const actions = world.actions();
        actions[choice % actions.length]?.();
        await settled();
        world.check();
      }
      await world.drain();
      world.check();
      const open = [...world.disk.scans.values()].filter(({ status }) => status === "queued" || status === "running");
      expect(open).toEqual([]);
      const { model } = world.process;
      expect((await model.dispatcher).running()).toBe(0);
      expect(new Set(model.held.map(({ stored }) => stored.token))).toEqual(new Set(model.released));
    }),
    { numRuns: 60 },
  );
});
