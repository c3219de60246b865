/** A worker of one location: presence, jobs while the head accepts it, results, and its end. */
import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import { within } from "../../base/clock.ts";
import { evidenceVersion } from "../../evidence/evidence.ts";
import type { CountedOutcome } from "../../metrics/scan-metrics.ts";
import { connectFailure, followLink, type Link } from "../connection.ts";
import { type PresenceNote, parseCancelNote, type WorkerReach } from "../messages.ts";
import { cancelSubjects, inboxPrefixOf } from "../subjects.ts";
import { type JobFeed, type JobFeedOptions, openJobFeed } from "./job-feed.ts";
import { type JobSlots, type JobSlotsOptions, openJobSlots } from "./job-slots.ts";
import { type Presence, type PresenceOptions, startPresence } from "./presence.ts";

export interface FleetWorkerOptions extends Omit<JobSlotsOptions, "connected" | "isConnected" | "onFault"> {
  /** Connected for the first time; it reconnects by itself. */
  readonly connection: NatsConnection;
  /** Release of assay. */
  readonly version: string;
  readonly reach: WorkerReach;
  /** A clause while no browser can be had; then this worker takes no jobs. */
  readonly browserFault: () => string | null;
  readonly presence?: Pick<PresenceOptions, "everyMs" | "lapsesMs">;
  readonly feed?: Pick<JobFeedOptions, "expiresMs" | "retryMs" | "lostAfterMs">;
}

const flushMsMax = 1_000;
/** The head takes no longer line. */
const faultCharsMax = 300;

export type FleetWorker = Pick<ConnectedWorker, keyof ConnectedWorker>;

export function startFleetWorker(options: FleetWorkerOptions): FleetWorker {
  return new ConnectedWorker(options);
}

class ConnectedWorker {
  readonly #options: FleetWorkerOptions;
  readonly #link: Link;
  readonly #presence: Presence;
  readonly #slots: JobSlots;
  readonly #feed: JobFeed;
  readonly #cancels: Subscription;
  #scansDone = 0;
  #lastFault: string | null = null;
  #feedFault: string | null = null;
  #refusal: string | null = null;
  /** Slots in the latest note. */
  #offeredLast = 0;
  #stopping = false;

  constructor(options: FleetWorkerOptions) {
    const { connection, address, clock, log } = options;
    this.#options = options;
    this.#link = followLink(connection, {
      onLost: () => this.#lost(),
      onRestored: () => this.#restored(),
      onError: (error) => this.#refused(connectFailure(error)),
    });
    this.#slots = openJobSlots({
      ...options,
      connected: this.#link.connected,
      isConnected: this.#link.isUp,
      onEnd: (outcome) => this.#ended(outcome),
      onFault: (text) => {
        this.#lastFault = text.replace(/\p{Cc}/gu, " ").slice(0, faultCharsMax);
        this.refresh();
      },
    });
    this.#feed = openJobFeed({
      ...{ connection, clock },
      inboxPrefix: inboxPrefixOf(address.worker),
      location: address.location,
      onJob: (job) => {
        this.#slots.take(job);
        this.refresh();
      },
      mayAsk: () => this.#mayTake(),
      onFault: (fault) => this.#feedFailed(fault),
      ...options.feed,
    });
    this.#cancels = connection.subscribe(cancelSubjects.of({ location: address.location }), {
      callback: (error, message) => {
        const note = error === null ? parseCancelNote(message.data) : null;
        if (note !== null) this.#slots.cancel(note);
      },
    });
    const onChange = () => this.refresh();
    this.#presence = startPresence({ connection, address, note: () => this.#note(), onChange, clock, log, ...options.presence });
    void this.#presence.send();
  }

  /** Clause for the readiness probe; null while all is well. */
  natsFault(): string | null {
    if (this.#link.isUp()) return this.#feedFault;
    return `nats-server is not connected${this.#refusal === null ? "" : ` (${this.#refusal})`}`;
  }

  /** Clause for the readiness probe; null while the head accepts this worker. */
  headFault(): string | null {
    return this.#presence.fault();
  }

  busy(): number {
    return this.#slots.busy();
  }

  /** Must be called when `browserFault` may have changed. */
  refresh(): void {
    this.#feed.want(this.#mayTake() ? Math.max(0, this.#offered() - this.#slots.busy()) : 0);
    // The head publishes as many scans as the last note says: a browser that has started is reported at once.
    if (this.#link.isUp() && this.#offered() !== this.#offeredLast) void this.#presence.send();
  }

  /** Takes no more jobs, waits at most `drainMs` for those it holds, and gives the rest back. Leaves the connection open. */
  async stop(drainMs: number): Promise<void> {
    this.#stopping = true;
    this.refresh();
    // First: jobs that were on their way are given back from now on.
    const ended = this.#slots.stop(drainMs);
    await within(this.#options.clock, flushMsMax, this.#feed.close(), undefined);
    await ended;
    this.#presence.close();
    this.#cancels.unsubscribe();
    if (this.#link.isUp()) await within(this.#options.clock, flushMsMax, this.#options.connection.flush(), undefined);
  }

  #mayTake(): boolean {
    return this.#link.isUp() && this.#presence.isAccepted();
  }

  #offered(): number {
    return this.#stopping || this.#options.browserFault() !== null ? 0 : this.#options.slots;
  }

  #note(): Omit<PresenceNote, "v"> {
    const { version, reach } = this.#options;
    this.#offeredLast = this.#offered();
    const work = { slots: this.#offered(), busy: this.#slots.busy(), scansDone: this.#scansDone, lastFault: this.#lastFault };
    return { version, evidenceVersion, reach, ...work, visits: true };
  }

  #ended(outcome: CountedOutcome): void {
    if (outcome === "finished" || outcome === "failed") this.#scansDone++;
    this.#options.onEnd(outcome);
    this.refresh();
  }

  #lost(): void {
    this.#options.log.warn("connection to nats-server lost", { busy: this.#slots.busy() });
    this.#feed.renew();
    this.refresh();
  }

  #restored(): void {
    this.#refusal = null;
    this.#options.log.info("connected again", { server: this.#options.connection.getServer() });
    this.refresh();
    void this.#presence.send();
  }

  /** Each attempt to connect may be refused for the same reason. */
  #refused(because: string): void {
    if (because !== this.#refusal) this.#options.log.warn("nats-server refuses", { because });
    this.#refusal = because;
  }

  #feedFailed(fault: string | null): void {
    if (fault !== null && fault !== this.#feedFault) this.#options.log.warn("no jobs can be had", { because: fault });
    this.#feedFault = fault;
  }
}
