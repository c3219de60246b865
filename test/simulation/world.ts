/** The simulated world: one store, one clock, the processes one after another, and everything outside of them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../src/base/clock.ts";
import type { Lane, LaneState } from "../../src/store/queue.ts";
import type { Store } from "../../src/store/store.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { drawsOf } from "./draws.ts";
import type { Life } from "./life.ts";
import type { Shown } from "./pages.ts";
import type { Plan, ReceiverMood, ShownPage } from "./plan.ts";
import type { Taken } from "./receivers.ts";
import { nothingSeen } from "./seen.ts";

/** Log lines that are kept for a trace. */
const logLinesMax = 400;

/** Lanes of the scans that no person started. They are listed here too: a law must not believe the list of the product. */
const lanesOfSites: readonly Lane[] = ["second-look", "scheduled", "first"];

export type WriteFate = "done" | "refused" | "killed before" | "killed after";

/** The answers that people got. The laws compare the store with them. */
export interface Told {
  /** Scans whose start was answered, by token. */
  readonly accepted: Map<string, { readonly accountId: number | null; readonly atMs: number }>;
  /** Scans that an operator ended, by the answer. */
  readonly cancelled: Set<string>;
  /** Scans that may be gone: their owner asked for it. */
  readonly removable: Set<string>;
  /** Scans that are gone, by the answer. */
  readonly removed: Set<string>;
  /** Account of each site that is gone, by the id of the site. */
  readonly removedSites: Map<number, number>;
  readonly deletedAccounts: Set<number>;
}

/** A claim of a background scan while people waited. */
export interface UnfairClaim {
  readonly claimed: string;
  readonly waiting: string;
}

export class World {
  readonly clock: FakeClock;
  readonly dataDir = mkdtempSync(join(tmpdir(), "assay-simulation-"));
  readonly pages = new Map<string, ShownPage>();
  readonly moods = new Map<string, ReceiverMood>();
  /** Visits of each URL. */
  readonly visits = new Map<string, number>();
  readonly shown = new Map<string, Shown>();
  readonly taken: Taken[] = [];
  readonly trace: { readonly atMs: number; readonly text: string }[] = [];
  readonly logged: string[] = [];
  readonly unfair: UnfairClaim[] = [];
  readonly told: Told = {
    ...{ accepted: new Map(), cancelled: new Set(), removable: new Set() },
    ...{ removed: new Set(), removedSites: new Map(), deletedAccounts: new Set() },
  };
  /** Tokens by the names that the plan gives to scans. */
  readonly tokens = new Map<string, string>();
  readonly seen = nothingSeen();
  /** Starts of regular runs with an interval. */
  readonly runs: { readonly accountId: number; readonly atMs: number }[] = [];
  /** When each process ended, by its number. */
  readonly lifeEnds = new Map<number, number>();
  readonly fullSpans: { readonly fromMs: number }[] = [];
  life: Life | null = null;
  /** Time until the next start; null for a usual one. */
  downMs: number | null = null;
  isDiskFull = false;
  /** The kill that waits for its write; null for none. */
  killAt: { writesLeft: number; readonly moment: "before" | "after" } | null = null;
  /** Changes that the disk will refuse; null for none. */
  refuseAt: { writesLeft: number; count: number } | null = null;
  /** Whether something has changed since the laws were checked. */
  isChanged = true;
  writes = 0;

  constructor(readonly plan: Plan) {
    this.clock = fakeClock({ startAt: new Date(plan.startAt), random: drawsOf("chance", plan.seed).next });
  }

  get nowMs(): number {
    return this.clock.monotonicMs();
  }

  /** Clock of the process under way, whose timers end with it. */
  lifeClock(): Clock {
    if (this.life === null) throw new Error("no process is under way");
    return this.life.clock;
  }

  say(text: string): void {
    this.trace.push({ atMs: this.nowMs, text });
  }

  log(line: string): void {
    // The log reads the clock of this machine.
    this.logged.push(line.replace(/^\{"time":"[^"]*"/, `{"time":"${this.clock.now().toISOString()}"`));
    if (this.logged.length > logLinesMax) this.logged.shift();
  }

  note(taken: Taken): void {
    this.taken.push(taken);
    this.isChanged = true;
    this.say(`${taken.target} takes ${taken.id || "a message"}`);
  }

  written(): void {
    this.writes++;
    this.isChanged = true;
  }

  /** Draws nothing: the plan says which write is the last one of a process. */
  fateOfWrite(): WriteFate {
    if (this.killAt !== null && this.killAt.writesLeft-- <= 0) {
      const { moment } = this.killAt;
      this.killAt = null;
      this.say(`the server is killed ${moment} write ${this.writes + 1}`);
      return `killed ${moment}`;
    }
    if (this.#isRefused()) {
      this.fullSpans.push({ fromMs: this.nowMs });
      return "refused";
    }
    return this.isDiskFull ? "refused" : "done";
  }

  #isRefused(): boolean {
    const { refuseAt } = this;
    if (refuseAt === null || refuseAt.writesLeft-- > 0) return false;
    refuseAt.count--;
    if (refuseAt.count <= 0) this.refuseAt = null;
    this.say(`the disk refuses write ${this.writes + 1}`);
    return true;
  }

  /** Each account has its sites in one or two networks. */
  readonly addressesOf = async (host: string): Promise<readonly string[]> => {
    const [account = "", site = ""] = host.split("-");
    return [`192.0.${account.charCodeAt(1) % 100}.${site.charCodeAt(1) % 2}`];
  };

  /** The claims of the store. Notes a background scan that is claimed although a scan of a person waited before and after. */
  watchedClaims(store: Store): Store["scans"]["claimNext"] {
    const ofPeople = () =>
      store.scans.lanesOf("local").flatMap(({ lane, next }) => (lanesOfSites.includes(lane) || next === null ? [] : next));
    return async (...given) => {
      const before = ofPeople();
      const job = await store.scans.claimNext(...given);
      const lane = job?.queueKey?.[1];
      const waiting = ofPeople().find((token) => before.includes(token));
      if (job !== undefined && lane !== undefined && lanesOfSites.includes(lane) && waiting !== undefined)
        this.unfair.push({ claimed: job.token, waiting });
      if (job !== undefined) this.say(`scan ${job.id} of ${job.url} starts, attempt ${job.attempts}, lane ${lane ?? "none"}`);
      return job;
    };
  }

  /** The starts of runs of the store. Records the runs with an interval, which have a budget. */
  watchedStarts(store: Store): Store["siteRuns"]["start"] {
    return async (run) => {
      const started = await store.siteRuns.start(run);
      const schedule = store.sites.find(run.accountId, run.siteId)?.schedule;
      const isInterval = run.lane === "scheduled" && schedule !== undefined && "every" in schedule;
      if (typeof started === "object" && isInterval) this.runs.push({ accountId: run.accountId, atMs: this.nowMs });
      return started;
    };
  }

  #lanes: { readonly after: string; readonly states: readonly LaneState[] } | null = null;

  /** Lanes of the queue, read again after each change. */
  lanesOf({ store, number }: Pick<Life, "store" | "number">): readonly LaneState[] {
    const after = `${number} ${this.writes}`;
    if (this.#lanes?.after !== after) this.#lanes = { after, states: store.scans.lanesOf("local") };
    return this.#lanes.states;
  }

  remove(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
