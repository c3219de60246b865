/** Asks the consumer of a location for jobs: one pull request for each free slot. */
import { createInbox, type Msg, type NatsConnection, type Subscription } from "@nats-io/transport-node";
import { scanStreamOf } from "../subjects.ts";
import { type DeliveredJob, deliveredJob } from "./delivered-job.ts";

export interface JobFeedOptions {
  readonly connection: NatsConnection;
  readonly inboxPrefix: string;
  readonly location: string;
  readonly onJob: (job: DeliveredJob) => void;
  /** A clause that says why no jobs can be had, and null when they can be had again. */
  readonly onFault: (fault: string | null) => void;
  readonly expiresMs?: number;
  readonly retryMs?: number;
  readonly lostAfterMs?: number;
}

export interface JobFeed {
  /**
   * Keeps so many requests open, until the next call. 0 withdraws them: a job that is given back afterwards goes to another worker.
   * A job on its way at that moment is delivered again after `jobAckWaitMs`.
   */
  want(count: number): void;
  /** Requests of a lost connection are dead. To be called after each loss and before `want` goes on. */
  renew(): void;
  close(): void;
}

/** Life of a pull request. */
const defaultExpiresMs = 5_000;
/** Delay after an error of the consumer. */
const defaultRetryMs = 2_000;
/** After `expiresMs`. Without a consumer, nats-server gives no answer to other accounts. */
const defaultLostAfterMs = 2_000;

const nanosecondsPerMs = 1_000_000;

const noMessages = 404;
const requestTimeout = 408;
const noResponders = 503;

/**
 * Not the client's own `next()`: after a lost connection it asks again on the same subject. Two jobs may then arrive, and it drops one.
 * Here each connection has a subject of its own, and every job that arrives is taken.
 */
export function openJobFeed(options: JobFeedOptions): JobFeed {
  return new PullFeed(options);
}

class PullFeed implements JobFeed {
  readonly #options: JobFeedOptions;
  readonly #pullSubject: string;
  readonly #expiresMs: number;
  /** One timer for each open request, the oldest first. */
  readonly #open = new Set<ReturnType<typeof setTimeout>>();
  #subscription: Subscription;
  #wanted = 0;
  #retry: ReturnType<typeof setTimeout> | null = null;
  #closed = false;

  constructor(options: JobFeedOptions) {
    this.#options = options;
    this.#pullSubject = `$JS.API.CONSUMER.MSG.NEXT.${scanStreamOf(options.location)}.${options.location}`;
    this.#expiresMs = options.expiresMs ?? defaultExpiresMs;
    this.#subscription = this.#subscribe();
  }

  want(count: number): void {
    this.#wanted = count;
    if (count === 0 && this.#open.size > 0) this.renew();
    this.#fill();
  }

  renew(): void {
    this.#drop();
    this.#subscription = this.#subscribe();
  }

  close(): void {
    this.#closed = true;
    this.#drop();
  }

  #subscribe(): Subscription {
    const { connection, inboxPrefix } = this.#options;
    const callback = (error: Error | null, message: Msg) => (error === null ? this.#take(message) : this.#failed(error.message));
    return connection.subscribe(createInbox(inboxPrefix), { callback });
  }

  /** Jobs and the ends of requests arrive on the same subject; each ends one request, whichever. */
  #take(message: Msg): void {
    const { connection, onJob, onFault } = this.#options;
    this.#endOne();
    const { code = 0, description = "" } = message.headers ?? {};
    if (code === noResponders) this.#failed(this.#withoutConsumer());
    else if (code !== 0 && code !== requestTimeout && code !== noMessages) this.#failed(`nats-server answers "${description}"`);
    else {
      onFault(null);
      const job = code === 0 ? deliveredJob(connection, message) : null;
      if (job !== null) onJob(job);
      this.#fill();
    }
  }

  #endOne(): void {
    const [oldest] = this.#open;
    if (oldest === undefined) return;
    clearTimeout(oldest);
    this.#open.delete(oldest);
  }

  #failed(fault: string): void {
    if (this.#closed) return;
    this.#options.onFault(fault);
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      this.#fill();
    }, this.#options.retryMs ?? defaultRetryMs);
  }

  #fill(): void {
    while (!this.#closed && this.#retry === null && this.#open.size < this.#wanted) {
      const request = JSON.stringify({ batch: 1, expires: this.#expiresMs * nanosecondsPerMs });
      this.#options.connection.publish(this.#pullSubject, request, { reply: this.#subscription.getSubject() });
      const timer = setTimeout(() => this.#lost(timer), this.#expiresMs + (this.#options.lostAfterMs ?? defaultLostAfterMs));
      this.#open.add(timer);
    }
  }

  #lost(timer: ReturnType<typeof setTimeout>): void {
    this.#open.delete(timer);
    this.#options.onFault(this.#withoutConsumer());
    this.#fill();
  }

  /** nats-server drops requests whose subject has no subscriber. */
  #drop(): void {
    this.#subscription.unsubscribe();
    for (const timer of this.#open) clearTimeout(timer);
    this.#open.clear();
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
  }

  #withoutConsumer(): string {
    const { connection, location } = this.#options;
    if (connection.info?.jetstream !== true) return "nats-server runs without JetStream, which its configuration turns on";
    return `nats-server has no jobs for the location ${location}: the head was never connected, or no worker is enrolled for it`;
  }
}
