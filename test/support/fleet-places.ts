/** Head and workers as users of a real nats-server, with the configuration that the program writes. */
import { type ConsumerInfo, DiscardPolicy, jetstream, jetstreamManager, RetentionPolicy, type StreamInfo } from "@nats-io/jetstream";
import { type ConnectionOptions, connect, type NatsConnection, nkeyAuthenticator } from "@nats-io/transport-node";
import { type FleetIdentity, makeIdentity } from "../../src/fleet/identity.ts";
import { type EnrolledWorker, natsConfiguration } from "../../src/fleet/nats-configuration.ts";
import { inboxPrefixOf, resultConsumer, resultStreamOf, resultSubjects, scanStreamOf, scanSubjects } from "../../src/fleet/subjects.ts";
import type { NatsPlace } from "./nats.ts";

export interface EnrolledIdentity extends FleetIdentity, EnrolledWorker {}

export function enrolledIdentity(location: string, name: string): EnrolledIdentity {
  return { ...makeIdentity(), location, name };
}

/** Configuration for `startNats`: one server on loopback without TLS. */
export function loopbackConfiguration(head: FleetIdentity, workers: readonly EnrolledWorker[]): (place: NatsPlace) => string {
  return (place) => natsConfiguration({ ...place, tls: null, cluster: null, head: head.id, workers });
}

export function connectAs({ seed }: FleetIdentity, servers: string | string[], options: ConnectionOptions = {}): Promise<NatsConnection> {
  return connect({ servers, authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)), ...options });
}

export function connectAsWorker(worker: EnrolledIdentity, servers: string): Promise<NatsConnection> {
  return connectAs(worker, servers, { inboxPrefix: inboxPrefixOf(worker.id), reconnect: false });
}

/** Streams and consumers of the kind that the head makes. */
export async function makeStreams(head: NatsConnection, locations: readonly string[]): Promise<void> {
  const manager = await jetstreamManager(head);
  const queue = { retention: RetentionPolicy.Workqueue };
  const consumer = { ack_policy: "explicit" } as const;
  const perSubject = { max_msgs_per_subject: 1, discard: DiscardPolicy.New, discard_new_per_subject: true };
  for (const location of locations) {
    const name = scanStreamOf(location);
    await manager.streams.add({ name, subjects: [scanSubjects.matching({ location })], ...queue, ...perSubject });
    await manager.consumers.add(name, { ...consumer, durable_name: location, max_deliver: 2 });
    const results = resultStreamOf(location);
    await manager.streams.add({ name: results, subjects: [resultSubjects.matching({ location })], ...queue });
    await manager.consumers.add(results, { ...consumer, durable_name: resultConsumer, max_deliver: -1 });
  }
}

/** Descriptions of the streams, once each has a leader and current copies at so many other servers; null before, as servers learn of them. */
export async function ledStreams(head: NatsConnection, names: readonly string[], copies: number): Promise<readonly StreamInfo[] | null> {
  try {
    const { streams } = await jetstreamManager(head);
    const infos = await Promise.all(names.map((name) => streams.info(name)));
    const isWhole = ({ cluster: { leader = "", replicas = [] } = { name: "" } }: StreamInfo) =>
      leader !== "" && replicas.filter(({ current }) => current).length >= copies;
    return infos.every(isWhole) ? infos : null;
  } catch {
    return null;
  }
}

/**
 * The consumer of a location; a worker may not ask for its description. For connections that do not reconnect: after a reconnection the
 * client asks for the description without end, and its `next()` never resolves.
 */
export function consumerOf(connection: NatsConnection, location: string) {
  return jetstream(connection).consumers.getConsumerFromInfo({
    stream_name: scanStreamOf(location),
    name: location,
    config: {},
  } as ConsumerInfo);
}

/** Messages in the streams of jobs of the locations, `berlin` by default, and then in the streams of results; null for a stream that is gone. */
export async function messagesIn(head: NatsConnection, locations: readonly string[] = ["berlin"]): Promise<readonly (number | null)[]> {
  const manager = await jetstreamManager(head);
  const count = (name: string) =>
    manager.streams.info(name).then(
      ({ state }) => state.messages,
      () => null,
    );
  return Promise.all([...locations.map(scanStreamOf), ...locations.map(resultStreamOf)].map(count));
}
