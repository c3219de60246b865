/** Plays a plan: moves the clock from event to event, and checks the laws after each. */
import { minuteMs, secondMs } from "../../src/base/units.ts";
import { settled } from "../support/fake-clock.ts";
import { perform } from "./actions.ts";
import { drawsOf } from "./draws.ts";
import type { Law } from "./law.ts";
import { laws } from "./laws.ts";
import { noteEvents } from "./laws-of-deliveries.ts";
import { startLife } from "./life.ts";
import type { Plan } from "./plan.ts";
import { World } from "./world.ts";

/** Turns of the event loop without a write under way after which nothing goes on by itself. */
const quietTurns = 3;
/** A process that changes something at every turn for so long never rests. */
const turnsMax = 10_000;
/** Time after the last step in which everything that was accepted must end: a full queue of slow scans in one slot. */
const calmMs = 45 * minuteMs;
/** Wait of the service manager before it starts the server again. */
const startAgainMs = 5 * secondMs;

export interface Breach {
  readonly law: string;
  /** What is wrong, in a sentence. */
  readonly what: string;
  readonly atMs: number;
  /** Events until then. */
  readonly events: number;
}

export interface Simulated {
  /** Null if every law was kept. */
  readonly breach: Breach | null;
  readonly events: number;
  readonly simulatedMs: number;
  readonly trace: World["trace"];
  readonly logged: readonly string[];
}

/** Plays the same for the same plan. */
export async function simulate(plan: Plan, checked: readonly Law[] = laws): Promise<Simulated> {
  const world = new World(plan);
  const run = new Run(world, checked);
  try {
    await run.play();
    return { breach: run.breach, events: run.events, simulatedMs: world.nowMs, trace: world.trace, logged: world.logged };
  } finally {
    await run.end();
  }
}

class Run {
  breach: Breach | null = null;
  events = 0;
  #lives = 0;
  #next = 0;

  constructor(
    readonly world: World,
    readonly checked: readonly Law[],
  ) {}

  async play(): Promise<void> {
    const { world } = this;
    const { plan } = world;
    this.#start();
    await this.#settle();
    while (this.breach === null && world.nowMs < plan.lastsMs) await this.#advance(plan.lastsMs);
    this.#calm();
    while (this.breach === null && world.nowMs < plan.lastsMs + calmMs) await this.#advance(plan.lastsMs + calmMs);
    if (this.breach === null) this.#check(true);
  }

  /** Closes the store. */
  async end(): Promise<void> {
    const { life } = this.world;
    life?.kill();
    await quiet(() => 0);
    await life?.close();
    this.world.remove();
  }

  /** Faults end. What was broken by then must be in order afterwards. */
  #calm(): void {
    const { world } = this;
    world.isDiskFull = false;
    world.killAt = null;
    world.refuseAt = null;
    for (const target of world.moods.keys()) world.moods.set(target, "takes");
    world.say("all faults end");
  }

  async #advance(endMs: number): Promise<void> {
    const { world } = this;
    const step = world.plan.steps[this.#next];
    const [waitMs = Number.POSITIVE_INFINITY] = world.clock.waits();
    const stepMs = step === undefined ? Number.POSITIVE_INFINITY : Math.max(0, step.atMs - world.nowMs);
    world.clock.advance(Math.min(stepMs, waitMs, endMs - world.nowMs));
    if (step !== undefined && step.atMs <= world.nowMs) {
      this.#next++;
      perform(world, step);
      world.isChanged = true;
    }
    this.events++;
    await this.#settle();
    this.#check(false);
  }

  #start(): void {
    const { world } = this;
    this.#lives++;
    world.life = startLife(world, this.#lives);
    world.isChanged = true;
    world.say(`the server starts, process ${this.#lives}`);
  }

  /** Lets everything happen that needs no time. A process that has ended is started again later. */
  async #settle(): Promise<void> {
    const { world } = this;
    await quiet(() => (world.life?.state === "dead" ? 0 : (world.life?.pending() ?? 0)));
    const { life } = world;
    if (life?.state !== "dead") return;
    await quiet(() => 0);
    world.life = null;
    world.say("the server is down");
    await life.close();
    const downMs = world.downMs ?? drawsOf("down", world.plan.seed, this.#lives).whole(1, 3) * startAgainMs;
    world.downMs = null;
    world.clock.after(downMs, () => this.#start());
  }

  #check(isEnd: boolean): void {
    const { world } = this;
    const { life } = world;
    // No law is checked while no process answers. Each wait is measured again afterwards.
    if (life?.state !== "up" || life.parts === null) {
      world.seen.waiting.clear();
      return;
    }
    const isChanged = world.isChanged || isEnd;
    world.isChanged = false;
    if (isChanged) noteEvents(world, { ...life, parts: life.parts });
    for (const law of this.checked) {
      if (this.breach !== null) return;
      if (!isChanged && law.after === "changes") continue;
      const what = law.check(world, { ...life, parts: life.parts }, isEnd);
      if (what !== null) this.breach = { law: law.name, what, atMs: world.nowMs, events: this.events };
    }
  }
}

/** Resolves when no promise can go on without time. @throws Error if that never comes */
async function quiet(pending: () => number): Promise<void> {
  for (let [turns, still] = [0, 0]; still < quietTurns; turns++) {
    if (turns > turnsMax) throw new Error("the server never rests");
    await settled();
    still = pending() > 0 ? 0 : still + 1;
  }
}
