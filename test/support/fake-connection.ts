/** One connection to the server of `fake-nats.ts`, as the client of NATS offers it. */
import {
  ClosedConnectionError,
  createInbox,
  type Msg,
  type NatsConnection,
  NoRespondersError,
  type Payload,
  type PublishOptions,
  RequestError,
  type RequestManyOptions,
  type RequestOptions,
  type Status,
  type SubscriptionOptions,
  TimeoutError,
} from "@nats-io/transport-node";
import { subjectMatches, type WireMessage } from "./fake-jetstream.ts";

export interface FakeControls {
  /** Ends the connection; what travels to the client is lost, and what it publishes waits. */
  lose(): void;
  /** Connects again: subscriptions are restored, and waiting messages are sent. */
  restore(): void;
  /** Stops messages on their way to the client, until `release`. */
  hold(): void;
  release(): void;
  /** Copies of a message that arrive: 0 loses it, 2 repeats it. */
  copies: (message: WireMessage, direction: "to server" | "to client") => number;
  /** As a server that reports an error, such as a refused subject. */
  report(error: Error): void;
}

export type FakeConnection = NatsConnection & FakeControls;

interface ServerInMemory {
  readonly connections: Set<ConnectionInMemory>;
  route(message: WireMessage): void;
}

const bytesOf = (payload: Payload | undefined): Uint8Array =>
  typeof payload === "string" ? Buffer.from(payload) : (payload ?? new Uint8Array());

export class FakeSubscription {
  readonly closed: Promise<void>;
  readonly connection: ConnectionInMemory;
  readonly subject: string;
  readonly callback: NonNullable<SubscriptionOptions["callback"]>;
  isOpen = true;
  #resolveClosed = () => {};

  constructor(connection: ConnectionInMemory, subject: string, callback: NonNullable<SubscriptionOptions["callback"]>) {
    this.connection = connection;
    this.subject = subject;
    this.callback = callback;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  getSubject(): string {
    return this.subject;
  }

  isDraining(): boolean {
    return false;
  }

  unsubscribe(): void {
    this.isOpen = false;
    this.connection.remove(this);
    this.#resolveClosed();
  }

  /** The server takes no more for it; what it has sent before still arrives. */
  async drain(): Promise<void> {
    this.connection.stopInterest(this);
    await this.connection.flush().finally(() => this.unsubscribe());
  }
}

/** Statuses of a connection for one reader. */
class StatusFeed {
  readonly #waiting: Status[] = [];
  #wake = () => {};
  #done = false;

  push(status: Status): void {
    this.#waiting.push(status);
    this.#wake();
  }

  stop(): void {
    this.#done = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Status> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (this.#done) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

export class ConnectionInMemory implements FakeControls {
  readonly options: { readonly inboxPrefix: string };
  readonly info = { version: "2.10.0", jetstream: true };
  /** The client asks it which features the server has. */
  readonly features = { get: () => ({ min: "2.0.0", ok: true }), supports: () => true };
  copies: FakeControls["copies"] = () => 1;
  readonly #server: ServerInMemory;
  readonly #subscriptions = new Set<FakeSubscription>();
  readonly #withoutInterest = new Set<FakeSubscription>();
  readonly #feeds = new Set<StatusFeed>();
  readonly #closeListeners = new Set<{ connectionClosedCallback(): void }>();
  readonly #rejects = new Set<(error: Error) => void>();
  #outbound: (() => void)[] = [];
  #inbound: (() => void)[] = [];
  #isUp = true;
  #isHeld = false;
  #isClosed = false;

  constructor(server: ServerInMemory, inboxPrefix: string) {
    this.#server = server;
    this.options = { inboxPrefix };
    server.connections.add(this);
  }

  subscribe(subject: string, { callback = () => {} }: SubscriptionOptions = {}): FakeSubscription {
    this.#checkOpen();
    const subscription = new FakeSubscription(this, subject, callback);
    this.#subscriptions.add(subscription);
    return subscription;
  }

  publish(subject: string, payload?: Payload, { reply, headers }: PublishOptions = {}): void {
    this.#checkOpen();
    const message: WireMessage = { subject, data: bytesOf(payload), reply, headers };
    this.#send(() => {
      for (let copy = this.copies(message, "to server"); copy > 0; copy--) this.#server.route(message);
    });
  }

  request(subject: string, payload?: Payload, { timeout = 1_000, headers }: Partial<RequestOptions> = {}): Promise<Msg> {
    return new Promise((resolve, reject) => {
      this.#checkOpen();
      const inbox = createInbox(this.options.inboxPrefix);
      const end = () => {
        clearTimeout(timer);
        subscription.unsubscribe();
        this.#rejects.delete(fail);
      };
      const fail = (error: Error) => {
        end();
        reject(error);
      };
      const timer = setTimeout(() => fail(new TimeoutError()), timeout);
      const subscription = this.subscribe(inbox, {
        callback: (_error, message) => {
          const none = message.data.length === 0 && message.headers?.code === 503 ? new NoRespondersError(subject) : null;
          if (none !== null) return fail(new RequestError(none.message, { cause: none }));
          end();
          resolve(message);
        },
      });
      this.#rejects.add(fail);
      this.publish(subject, payload, { reply: inbox, ...(headers === undefined ? {} : { headers }) });
    });
  }

  /** All answers within `maxWait`. */
  async requestMany(
    subject: string,
    payload?: Payload,
    { maxWait = 1_000 }: Partial<RequestManyOptions> = {},
  ): Promise<AsyncIterable<Msg>> {
    const answers: Msg[] = [];
    const inbox = createInbox(this.options.inboxPrefix);
    const subscription = this.subscribe(inbox, { callback: (_error, message) => void answers.push(message) });
    this.publish(subject, payload, { reply: inbox });
    const over = new Promise<void>((resolve) => void setTimeout(resolve, maxWait));
    return (async function* () {
      await over;
      subscription.unsubscribe();
      yield* answers;
    })();
  }

  async flush(): Promise<void> {
    this.#checkOpen();
    await new Promise<void>((resolve, reject) => {
      this.#rejects.add(reject);
      this.#send(() => this.#receive(resolve));
    });
  }

  status(): StatusFeed {
    const feed = new StatusFeed();
    this.#feeds.add(feed);
    return feed;
  }

  getServer(): string {
    return "fake:4222";
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  async closed(): Promise<void> {
    await new Promise<void>((connectionClosedCallback) => void this.#closeListeners.add({ connectionClosedCallback }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isUp = false;
    this.#server.connections.delete(this);
    for (const reject of [...this.#rejects]) reject(new ClosedConnectionError());
    for (const feed of this.#feeds) feed.stop();
    for (const listener of [...this.#closeListeners]) listener.connectionClosedCallback();
  }

  addCloseListener(listener: { connectionClosedCallback(): void }): void {
    this.#closeListeners.add(listener);
  }

  removeCloseListener(listener: { connectionClosedCallback(): void }): void {
    this.#closeListeners.delete(listener);
  }

  lose(): void {
    this.#isUp = false;
    this.#inbound = [];
    for (const feed of this.#feeds) feed.push({ type: "disconnect", server: this.getServer() });
  }

  restore(): void {
    this.#isUp = true;
    for (const feed of this.#feeds) feed.push({ type: "reconnect", server: this.getServer() });
    queueMicrotask(() => this.#flow());
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#flow();
  }

  report(error: Error): void {
    for (const feed of this.#feeds) feed.push({ type: "error", error });
  }

  /** For the server: subscriptions that it knows. */
  subscribers(subject: string): readonly FakeSubscription[] {
    if (!this.#isUp) return [];
    return [...this.#subscriptions].filter((each) => !this.#withoutInterest.has(each) && subjectMatches(each.subject, subject));
  }

  arrive(subscription: FakeSubscription, message: WireMessage): void {
    for (let copy = this.copies(message, "to client"); copy > 0; copy--)
      this.#receive(() => {
        if (subscription.isOpen) subscription.callback(null, this.#messageOf(message));
      });
  }

  stopInterest(subscription: FakeSubscription): void {
    this.#checkOpen();
    this.#withoutInterest.add(subscription);
  }

  remove(subscription: FakeSubscription): void {
    this.#subscriptions.delete(subscription);
    this.#withoutInterest.delete(subscription);
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new ClosedConnectionError();
  }

  #send(step: () => void): void {
    this.#outbound.push(step);
    queueMicrotask(() => this.#flow());
  }

  #receive(step: () => void): void {
    this.#inbound.push(step);
    queueMicrotask(() => this.#flow());
  }

  #flow(): void {
    while (this.#isUp && this.#outbound.length > 0) this.#outbound.shift()?.();
    while (this.#isUp && !this.#isHeld && this.#inbound.length > 0) this.#inbound.shift()?.();
  }

  #messageOf({ subject, data, reply, headers }: WireMessage): Msg {
    const text = () => Buffer.from(data).toString();
    return {
      ...{ subject, data, sid: 1 },
      ...(reply === undefined ? {} : { reply }),
      ...(headers === undefined ? {} : { headers: headers }),
      respond: (payload?: Payload, options?: PublishOptions) => {
        if (reply !== undefined) this.publish(reply, payload, options);
        return reply !== undefined;
      },
      json: <T>() => JSON.parse(text()) as T,
      string: text,
    } as Msg;
  }
}
