/** Jobs from JetStream: fetched while slots are free, with the acknowledgement of each delivery. */
import { createInbox, type Msg, type NatsConnection, type Subscription } from "@nats-io/transport-node";
import { scanStreamOf } from "../subjects.ts";
import type { ResultSending } from "./send-result.ts";

export type DeliveredJob = NonNullable<ReturnType<typeof deliveredJob>>;

/** Null unless the message comes from a consumer: an answer is published only on subjects of JetStream. */
export function deliveredJob(connection: NatsConnection, { data, reply = "" }: Pick<Msg, "data" | "reply">) {
  const delivered = deliveryOf(reply);
  if (delivered === null) return null;
  const answer = (verb: "+WPI" | "-NAK" | "+TERM") => connection.publish(reply, verb);
  return {
    data,
    ...delivered,
    /** Keeps JetStream from delivering the job again for another `jobAckWaitMs`. */
    working: () => answer("+WPI"),
    /** Another worker gets the job at once. */
    giveBack: () => answer("-NAK"),
    /** No worker gets the job again. */
    terminate: () => answer("+TERM"),
    /** Resolves when JetStream has confirmed, within `timeout` milliseconds. @throws RequestError or TimeoutError */
    acknowledge: async (timeout: number): Promise<void> => {
      await connection.request(reply, "+ACK", { timeout });
    },
  };
}

interface Delivery {
  /** Number of the delivery, from 1. */
  readonly delivery: number;
  /** Equal in all deliveries of one message; a job that is published again gets another. */
  readonly publication: string;
}

/**
 * `$JS.ACK.<stream>.<consumer>.<delivery>.<stream sequence>.<consumer sequence>.<time>.<pending>`. Servers may add domain and account
 * before the stream. Sequences begin again when a server has lost its disk, times do not.
 */
function deliveryOf(reply: string): Delivery | null {
  const [js, ack, ...rest] = reply.split(".");
  if (js !== "$JS" || ack !== "ACK") return null;
  const [delivery = "", sequence, , time] = rest.slice(rest.length === 7 ? 2 : 4);
  return /^[1-9]\d{0,8}$/.test(delivery) ? { delivery: Number(delivery), publication: `${sequence}.${time}` } : null;
}

export interface JobFeedOptions extends Pick<ResultSending, "connection" | "clock">, Partial<typeof defaultTimes> {
  readonly inboxPrefix: string;
  readonly location: string;
  /** Takes a job, also one of a withdrawn request that was on its way already. */
  readonly onJob: (job: DeliveredJob) => void;
  /** Asked before each request: what `want` relied on may have lapsed since. True by default. */
  readonly mayAsk?: () => boolean;
  /** A clause that says why no jobs can be had, and null when they can be had again. */
  readonly onFault: (fault: string | null) => void;
}

export type JobFeed = Pick<PullFeed, keyof PullFeed>;

const defaultTimes = {
  /** Life of a pull request. */
  expiresMs: 5_000,
  /** Delay after an error of the consumer. */
  retryMs: 2_000,
  /** Ends after `expiresMs`. Without a consumer, nats-server gives no answer to other accounts. */
  lostAfterMs: 2_000,
};

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

/** Requests with one subject for their answers. */
interface Requests {
  readonly subscription: Subscription;
  /** Cancels the timer of each open request, the oldest first. */
  readonly open: Set<() => void>;
}

class PullFeed {
  readonly #options: JobFeedOptions & typeof defaultTimes;
  readonly #pullSubject: string;
  /** Withdrawn requests whose last answers are on their way. */
  readonly #withdrawn = new Set<Promise<void>>();
  #requests: Requests | null = null;
  #wanted = 0;
  #cancelRetry: (() => void) | null = null;
  #closed = false;

  constructor(options: JobFeedOptions) {
    this.#options = { ...defaultTimes, ...options };
    this.#pullSubject = `$JS.API.CONSUMER.MSG.NEXT.${scanStreamOf(options.location)}.${options.location}`;
  }

  /**
   * Keeps so many requests open, until the next call. 0 withdraws them: a job that is given back afterwards goes to another worker.
   * A job on its way at that moment is still taken. In a cluster, one between two servers is delivered again after `jobAckWaitMs`.
   */
  want(count: number): void {
    this.#wanted = count;
    if (count === 0 && this.#requests !== null && this.#requests.open.size > 0) this.renew();
    this.#fill();
  }

  /** Requests of a lost connection are dead. Must be called after each loss and before `want` goes on. */
  renew(): void {
    if (this.#requests !== null) this.#withdraw(this.#requests);
    this.#cancelRetry?.();
    this.#cancelRetry = null;
  }

  /** Resolves once no job can arrive any more. Without a connection that is the next attempt to connect. */
  async close(): Promise<void> {
    this.#closed = true;
    this.renew();
    await Promise.all(this.#withdrawn);
  }

  #subscribe(): Requests {
    const { connection, inboxPrefix } = this.#options;
    const callback = (error: Error | null, message: Msg) => {
      if (error === null) this.#take(message, requests);
      else if (requests === this.#requests) {
        // The client closes a refused subscription.
        this.#withdraw(requests);
        this.#failed(error.message);
      }
    };
    const requests: Requests = { subscription: connection.subscribe(createInbox(inboxPrefix), { callback }), open: new Set() };
    return requests;
  }

  /** Jobs and the ends of requests arrive on the same subject; each ends one request, whichever. */
  #take(message: Msg, from: Requests): void {
    const { connection, onJob, onFault } = this.#options;
    const { code = 0, description = "" } = message.headers ?? {};
    const job = code === 0 ? deliveredJob(connection, message) : null;
    // JetStream counts the job of a withdrawn request as delivered, so it must be answered too.
    if (from !== this.#requests) {
      if (job !== null) onJob(job);
      return;
    }
    this.#endOldest(from);
    if (code === noResponders) this.#failed(this.#withoutConsumer());
    else if (code !== 0 && code !== requestTimeout && code !== noMessages) this.#failed(`nats-server answers "${description}"`);
    else {
      onFault(null);
      if (job !== null) onJob(job);
      this.#fill();
    }
  }

  #endOldest({ open }: Requests): void {
    const [oldest] = open;
    if (oldest === undefined) return;
    oldest();
    open.delete(oldest);
  }

  #failed(fault: string): void {
    if (this.#closed) return;
    this.#options.onFault(fault);
    this.#cancelRetry ??= this.#options.clock.after(this.#options.retryMs, () => {
      this.#cancelRetry = null;
      this.#fill();
    });
  }

  #fill(): void {
    const { connection, clock, mayAsk = () => true, expiresMs, lostAfterMs } = this.#options;
    if (this.#closed || this.#cancelRetry !== null || this.#wanted === 0 || !mayAsk()) return;
    this.#requests ??= this.#subscribe();
    const { subscription, open } = this.#requests;
    while (open.size < this.#wanted) {
      const request = JSON.stringify({ batch: 1, expires: expiresMs * nanosecondsPerMs });
      connection.publish(this.#pullSubject, request, { reply: subscription.getSubject() });
      const cancelLost = clock.after(expiresMs + lostAfterMs, () => this.#lost(cancelLost));
      open.add(cancelLost);
    }
  }

  #lost(cancelLost: () => void): void {
    this.#requests?.open.delete(cancelLost);
    this.#options.onFault(this.#withoutConsumer());
    this.#fill();
  }

  /**
   * nats-server drops requests whose subject has no subscriber, and confirms the end of a subscription. What it had sent before arrives
   * before the confirmation.
   */
  #withdraw({ subscription, open }: Requests): void {
    this.#requests = null;
    for (const cancelLost of open) cancelLost();
    open.clear();
    const ended: Promise<void> = subscription
      .drain()
      // A closed connection delivers nothing.
      .catch(() => {})
      .finally(() => this.#withdrawn.delete(ended));
    this.#withdrawn.add(ended);
  }

  #withoutConsumer(): string {
    const { connection, location } = this.#options;
    if (connection.info?.jetstream !== true) return "nats-server runs without JetStream, which its configuration turns on";
    return `nats-server has no jobs for the location ${location}: the head was never connected, or no worker is enrolled for it`;
  }
}
