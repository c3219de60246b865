/**
 * nats-server in memory: subjects, requests and JetStream, for pure tests under fake timers.
 * Messages travel as microtasks, in order. A test can hold, lose and repeat them.
 */
import { headers } from "@nats-io/transport-node";
import { ConnectionInMemory, type FakeConnection, type FakeSubscription } from "./fake-connection.ts";
import { FakeJetStream, type WireMessage } from "./fake-jetstream.ts";

export interface FakeNats {
  readonly jetStream: FakeJetStream;
  /** Every message that reached the server, in order. */
  readonly received: readonly WireMessage[];
  connect(options?: { readonly inboxPrefix?: string }): FakeConnection;
}

export function createFakeNats(): FakeNats {
  const server = new FakeServer();
  return {
    jetStream: server.jetStream,
    received: server.received,
    connect: ({ inboxPrefix = "_INBOX" } = {}) => new ConnectionInMemory(server, inboxPrefix) as unknown as FakeConnection,
  };
}

class FakeServer {
  readonly received: WireMessage[] = [];
  readonly connections = new Set<ConnectionInMemory>();
  readonly jetStream = new FakeJetStream({
    deliver: (to, message) => void this.deliver(to, message),
    hasSubscriber: (subject) => this.#subscribers(subject).length > 0,
  });

  route(message: WireMessage): void {
    this.received.push(message);
    const { subject, reply = "" } = message;
    const answer = this.jetStream.handle(message);
    const heard = this.deliver(subject, message);
    if (answer !== null && answer !== "no answer") this.deliver(answer.subject, answer);
    else if (answer === null && !heard && reply !== "")
      this.deliver(reply, { subject: reply, data: new Uint8Array(), headers: headers(503, "No Responders") });
  }

  deliver(to: string, message: WireMessage): boolean {
    const subscribers = this.#subscribers(to);
    for (const subscriber of subscribers) subscriber.connection.arrive(subscriber, message);
    return subscribers.length > 0;
  }

  #subscribers(subject: string): readonly FakeSubscription[] {
    return [...this.connections].flatMap((connection) => connection.subscribers(subject));
  }
}
