/** What the fleet relies on of JetStream: run against the model of `fake-jetstream.ts` and against a real nats-server. */
import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
} from "@nats-io/jetstream";
import { createInbox, type Msg, type NatsConnection, nanos } from "@nats-io/transport-node";
import { expect } from "vitest";
import { isMissingInNats, removeMessages, subjectsOf } from "../../src/fleet/streams.ts";

export interface JetStreamPlace {
  connect(): Promise<NatsConnection>;
  /** The event that the promise announces; a model lets its time pass. */
  until<T>(promise: Promise<T>): Promise<T>;
}

const stream = "ASSAY_SCANS_berlin";
const subject = (token: string) => `assay.scan.berlin.${token}`;
const ackWaitMs = 300;

interface Rig {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly place: JetStreamPlace;
}

interface RigOptions {
  readonly filter?: string;
  readonly bytesMax?: number;
}

async function startRig(place: JetStreamPlace, { filter, bytesMax = -1 }: RigOptions = {}): Promise<Rig> {
  const connection = await place.connect();
  const manager = await jetstreamManager(connection);
  const perSubject = { max_msgs_per_subject: 1, discard: DiscardPolicy.New, discard_new_per_subject: true };
  const queue = { retention: RetentionPolicy.Workqueue, allow_direct: true, max_bytes: bytesMax };
  await manager.streams.add({ name: stream, subjects: ["assay.scan.berlin.*"], ...queue, ...perSubject });
  const consumer = { durable_name: "berlin", ack_policy: AckPolicy.Explicit, ack_wait: nanos(ackWaitMs), max_deliver: 2 };
  await manager.consumers.add(stream, { ...consumer, ...(filter === undefined ? {} : { filter_subject: filter }) });
  return { connection, manager, place };
}

/** Messages that arrive for pull requests of one subscription. */
function openPulls({ connection, place }: Rig) {
  const arrived: Msg[] = [];
  let wake = () => {};
  const inbox = createInbox();
  const subscription = connection.subscribe(inbox, {
    callback: (_error, message) => {
      arrived.push(message);
      wake();
    },
  });
  async function first(): Promise<Msg> {
    for (;;) {
      const message = arrived.shift();
      if (message !== undefined) return message;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return {
    subscription,
    arrived,
    ask: (expiresMs = 60_000) =>
      connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.berlin`, JSON.stringify({ batch: 1, expires: nanos(expiresMs) }), {
        reply: inbox,
      }),
    next: () => place.until(first()),
  };
}

const publish = ({ connection }: Rig, token: string, msgID?: string) =>
  jetstream(connection).publish(subject(token), token, msgID === undefined ? {} : { msgID });
const tokens = async ({ manager }: Rig) =>
  (await subjectsOf(manager, stream, "assay.scan.berlin.*")).map((each) => each.split(".")[3]).sort();
/** The fifth word of the reply subject (ADR-15). */
const deliveryOf = (message: Msg) => Number(message.reply?.split(".").at(-5));
const answer = async ({ connection, place }: Rig, { reply = "" }: Msg, verb: string) =>
  void (await place.until(connection.request(reply, verb, { timeout: 5_000 })));

type JetStreamCase = readonly [name: string, run: (place: JetStreamPlace) => Promise<void>];

const publications: readonly JetStreamCase[] = [
  [
    "a second message for a subject is refused, until the first is removed",
    async (place) => {
      const rig = await startRig(place);
      expect(await publish(rig, "one")).toMatchObject({ seq: 1, duplicate: false });
      await expect(publish(rig, "one")).rejects.toThrow("maximum messages per subject exceeded");
      await removeMessages(rig.manager, stream, subject("one"));
      expect(await publish(rig, "one")).toMatchObject({ seq: 2 });
    },
  ],
  [
    "a message that is published twice with one id counts once, also after its removal",
    async (place) => {
      const rig = await startRig(place);
      expect(await publish(rig, "one", "id")).toMatchObject({ seq: 1, duplicate: false });
      await removeMessages(rig.manager, stream, subject("one"));
      expect(await publish(rig, "one", "id")).toMatchObject({ seq: 1, duplicate: true });
      expect(await tokens(rig)).toEqual([]);
    },
  ],
  [
    "a full stream refuses messages",
    async (place) => {
      const rig = await startRig(place, { bytesMax: 2 });
      await expect(jetstream(rig.connection).publish(subject("one"), new Uint8Array(10))).rejects.toThrow("maximum bytes exceeded");
    },
  ],
  [
    "a stream is refused more replicas than there are servers",
    async (place) => {
      const { streams } = await jetstreamManager(await place.connect());
      const refused = streams.add({ name: stream, subjects: [subject("*")], num_replicas: 3 });
      await expect(refused).rejects.toBeInstanceOf(JetStreamApiError);
    },
  ],
  [
    "a missing stream is an error of its own",
    async (place) => {
      const connection = await place.connect();
      const manager = await jetstreamManager(connection);
      for (const asked of [manager.streams.info(stream), manager.consumers.info(stream, "berlin")])
        expect(
          await asked.then(
            () => "found",
            (error) => isMissingInNats(error),
          ),
        ).toBe(true);
      await expect(jetstream(connection).publish(subject("one"), "x")).rejects.toThrow("jetstream is not enabled");
    },
  ],
  [
    "a message is found by its sequence and by its subject, and is missing after its deletion",
    async (place) => {
      const rig = await startRig(place);
      for (const token of ["one", "two"]) await publish(rig, token);
      const { direct, streams } = rig.manager;
      expect(await direct.getMessage(stream, { seq: 2 })).toMatchObject({ seq: 2, subject: subject("two") });
      expect(await direct.getMessage(stream, { last_by_subj: subject("one") })).toMatchObject({ seq: 1 });
      expect(await direct.getMessage(stream, { seq: 1, next_by_subj: subject("two") })).toMatchObject({ seq: 2 });
      expect(await direct.getMessage(stream, { last_by_subj: subject("three") })).toBeNull();
      await streams.deleteMessage(stream, 2, false);
      const again = await streams.deleteMessage(stream, 2, false).catch((error) => isMissingInNats(error));
      expect(again).toBe(true);
      expect(await tokens(rig)).toEqual(["one"]);
    },
  ],
];

const deliveries: readonly JetStreamCase[] = [
  [
    "a job is delivered to one request, and removed when it is acknowledged",
    async (place) => {
      const rig = await startRig(place);
      const pulls = openPulls(rig);
      pulls.ask();
      await publish(rig, "one");
      await publish(rig, "two");
      const first = await pulls.next();
      expect([first.subject, deliveryOf(first), pulls.arrived.length]).toEqual([subject("one"), 1, 0]);
      await answer(rig, first, "+ACK");
      expect(await tokens(rig)).toEqual(["two"]);
      expect((await rig.manager.consumers.info(stream, "berlin")).delivered.stream_seq).toBe(1);
    },
  ],
  [
    "a job that is given back is delivered again, and a later answer to the first delivery counts",
    async (place) => {
      const rig = await startRig(place);
      const pulls = openPulls(rig);
      await publish(rig, "one");
      pulls.ask();
      const first = await pulls.next();
      pulls.ask();
      await answer(rig, first, "-NAK");
      expect(deliveryOf(await pulls.next())).toBe(2);
      await answer(rig, first, "+ACK");
      expect(await tokens(rig)).toEqual([]);
    },
  ],
  [
    "a terminated job is removed",
    async (place) => {
      const rig = await startRig(place);
      const pulls = openPulls(rig);
      await publish(rig, "one");
      pulls.ask();
      await answer(rig, await pulls.next(), "+TERM");
      expect(await tokens(rig)).toEqual([]);
    },
  ],
  [
    "a job without an answer is delivered again, then reported as spent, and stays",
    async (place) => {
      const rig = await startRig(place);
      const reported = Promise.withResolvers<Msg>();
      rig.connection.subscribe("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.*.*", {
        callback: (_error, message) => reported.resolve(message),
      });
      const pulls = openPulls(rig);
      await publish(rig, "one");
      for (const _ of [1, 2, 3]) pulls.ask();
      expect(deliveryOf(await pulls.next())).toBe(1);
      expect(deliveryOf(await pulls.next())).toBe(2);
      expect((await place.until(reported.promise)).json()).toMatchObject({ stream, stream_seq: 1 });
      expect([await tokens(rig), pulls.arrived.length]).toEqual([["one"], 0]);
    },
  ],
  [
    "requests whose subscription has ended get no job",
    async (place) => {
      const rig = await startRig(place);
      const withdrawn = openPulls(rig);
      withdrawn.ask();
      await rig.connection.flush();
      await withdrawn.subscription.drain();
      const pulls = openPulls(rig);
      pulls.ask();
      await publish(rig, "one");
      expect(deliveryOf(await pulls.next())).toBe(1);
      expect(withdrawn.arrived).toEqual([]);
    },
  ],
  [
    "a request without a job ends as timed out",
    async (place) => {
      const rig = await startRig(place);
      const pulls = openPulls(rig);
      pulls.ask(50);
      expect((await pulls.next()).headers?.code).toBe(408);
    },
  ],
  [
    "a consumer with a filter leaves the other messages",
    async (place) => {
      const rig = await startRig(place, { filter: subject("two") });
      const pulls = openPulls(rig);
      for (const token of ["one", "two"]) await publish(rig, token);
      pulls.ask();
      expect((await pulls.next()).subject).toBe(subject("two"));
    },
  ],
  [
    "a job that is removed while it runs is not delivered again",
    async (place) => {
      const rig = await startRig(place);
      const pulls = openPulls(rig);
      await publish(rig, "one");
      pulls.ask();
      await pulls.next();
      await removeMessages(rig.manager, stream, subject("one"));
      await publish(rig, "two");
      pulls.ask();
      expect((await pulls.next()).subject).toBe(subject("two"));
    },
  ],
];

export const jetStreamCases: readonly JetStreamCase[] = [...publications, ...deliveries];
