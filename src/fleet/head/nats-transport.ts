/** Transport of a head over NATS: the streams of each location, and a guard against a second head. */
import { type ConsumerMessages, type JetStreamManager, type JsMsg, jetstream } from "@nats-io/jetstream";
import { type Msg, type NatsConnection, NoRespondersError } from "@nats-io/transport-node";
import { type Clock, pause, randomId } from "../../base/clock.ts";
import { type Log, messageOf } from "../../base/log.ts";
import { fleetProtocol, type HeadNote, parseHeadNote } from "../messages.ts";
import { ensureLocation, removeMessages, type StreamPurpose, subjectsOf, unlessMissing } from "../streams.ts";
import {
  cancelSubjects,
  headSubject,
  isReplyToWorker,
  locationOfScanStream,
  presenceSubjects,
  progressSubjects,
  resultConsumer,
  resultStreamOf,
  resultSubjects,
  scanStreamOf,
  scanSubjects,
} from "../subjects.ts";
import type { FleetStore, HeadEvents, HeadTransport } from "./head-parts.ts";

interface LocationStreamsOptions {
  readonly workers: Pick<FleetStore["workers"], "locations">;
  readonly ackWaitMs: number;
  readonly onManifest: HeadEvents["onManifest"];
  readonly log: Log;
}

export function createLocationStreams({ workers, ackWaitMs, onManifest, log }: LocationStreamsOptions) {
  const made = new Set<string>();
  const feeds = new Map<string, ManifestFeed>();
  const faults = new Map<string, string>();
  const making = new Map<string, Promise<void>>();

  async function make(location: string, { connection, manager }: NatsLink, purpose: StreamPurpose): Promise<void> {
    try {
      await ensureLocation(manager, location, purpose, ackWaitMs);
      feeds.get(location)?.stop();
      feeds.set(location, await openManifestFeed(connection, location, onManifest));
      made.add(location);
      log.info("location has its streams in NATS", { location });
      faults.delete(location);
    } catch (error) {
      const because = messageOf(error);
      if (faults.get(location) !== because) log.warn("location has no streams in NATS yet; its scans wait", { location, because });
      faults.set(location, because);
    }
  }

  /** Requests at the same time are one: each worker of the location may ask. */
  async function makeOnce(location: string, link: NatsLink, purpose: StreamPurpose): Promise<void> {
    if (made.has(location)) return;
    const work = making.get(location) ?? make(location, link, purpose).finally(() => making.delete(location));
    making.set(location, work);
    await work;
  }

  return {
    /** Makes the streams of one location without waiting for others. */
    followOne: async (location: string, link: NatsLink, purpose: StreamPurpose): Promise<void> => {
      if (workers.locations().includes(location)) await makeOnce(location, link, purpose);
    },
    /** Makes what is missing, and receives results. Never rejects: the next call tries again. */
    follow: async (link: NatsLink, purpose: StreamPurpose): Promise<void> => {
      const enrolled = workers.locations();
      for (const location of faults.keys()) if (!enrolled.includes(location)) faults.delete(location);
      for (const location of enrolled) await makeOnce(location, link, purpose);
    },
    /** Must be called when NATS may have lost what was made. */
    forget: () => made.clear(),
    /** Clause for readiness; null while every location has its streams. */
    fault: (): string | null => {
      const [first] = faults;
      return first === undefined ? null : `the location ${first[0]} has no streams in NATS: ${first[1]}`;
    },
    /** Receives no more results. */
    stop: () => {
      for (const feed of feeds.values()) feed.stop();
    },
  };
}

/** Replies within the account of the head. Elsewhere a reply would make this head publish what others choose. */
const replyPrefix = "_INBOX.";
const triesMax = 4;

/**
 * Answers other heads that ask, for as long as the connection lives. The returned function looks for another head that answers; null
 * without.
 */
export function claimHead(connection: NatsConnection, instance: string, clock: Clock) {
  const own: HeadNote = { v: fleetProtocol, instance, process: randomId(clock) };
  let isInCharge = false;
  connection.subscribe(headSubject, {
    callback: (error, { reply = "" }) => {
      if (error === null && isInCharge && reply.startsWith(replyPrefix)) connection.publish(reply, JSON.stringify(own));
    },
  });

  async function ask(maxWait: number): Promise<HeadNote | null> {
    // In charge before it asks: of two that start at once, at least one learns of the other.
    isInCharge = true;
    const other = await findHead(connection, maxWait, own.process);
    if (other !== null) isInCharge = false;
    return other;
  }

  return async (waitMs: number): Promise<HeadNote | null> => {
    let other = await ask(waitMs);
    // Two that start at once both give way: the first to ask again stays.
    for (let tries = 1; other !== null && tries < triesMax; tries++) {
      await pause(clock, waitMs * tries * clock.random());
      other = await ask(waitMs);
    }
    return other;
  };
}

/** A head that answers, other than the process that is named; null without. */
export async function findHead(connection: NatsConnection, maxWait: number, except: string | null = null): Promise<HeadNote | null> {
  try {
    for await (const { data } of await connection.requestMany(headSubject, "", { strategy: "timer", maxWait })) {
      const note = parseHeadNote(data);
      if (note !== null && note.process !== except) return note;
    }
  } catch (error) {
    if (!(error instanceof NoRespondersError)) throw error;
  }
  return null;
}

/** Answer of nats-server to a second job of a scan: the stream takes one message per subject. */
const secondJob = /maximum messages per subject/i;
const spentSubjects = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.*.*";
/** Life of one request for manifests. */
const pullMs = 30_000;

export interface NatsLink {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
}

/** `link` is null before the first connection. */
export function natsTransport(link: () => NatsLink | null): HeadTransport {
  function linked(): NatsLink {
    const known = link();
    if (known === null) throw new Error("not connected to nats-server");
    return known;
  }

  return {
    publishJob: async (location, job) => {
      try {
        const { seq, duplicate } = await jetstream(linked().connection).publish(
          scanSubjects.of({ location, token: job.token }),
          JSON.stringify(job),
        );
        return duplicate ? null : seq;
      } catch (error) {
        if (secondJob.test(messageOf(error))) return null;
        throw error;
      }
    },
    jobs: async (location) => {
      const subjects = await subjectsOf(linked().manager, scanStreamOf(location), scanSubjects.matching({ location }));
      return new Set(subjects.flatMap((subject) => scanSubjects.parse(subject)?.token ?? []));
    },
    sequenceOfJob: async (location, token) => {
      const message = await linked().manager.direct.getMessage(scanStreamOf(location), {
        last_by_subj: scanSubjects.of({ location, token }),
      });
      return message?.seq ?? null;
    },
    deliveredSequence: async (location) => {
      const consumer = await unlessMissing(linked().manager.consumers.info(scanStreamOf(location), location));
      return consumer?.delivered.stream_seq ?? 0;
    },
    withdrawJob: (location, token) => removeMessages(linked().manager, scanStreamOf(location), scanSubjects.of({ location, token })),
    cancel: (location, note) => link()?.connection.publish(cancelSubjects.of({ location }), JSON.stringify(note)),
    results: async (location) => {
      const stream = resultStreamOf(location);
      const subjects = await subjectsOf(linked().manager, stream, resultSubjects.matching({ location }));
      // No honest worker sends them.
      for (const subject of subjects) if (resultSubjects.parse(subject) === null) await removeMessages(linked().manager, stream, subject);
      return subjects.flatMap((subject) => resultSubjects.parse(subject) ?? []);
    },
    resultPart: async (address) => {
      const part = { last_by_subj: resultSubjects.of(address) };
      return (await linked().manager.direct.getMessage(resultStreamOf(address.location), part))?.data ?? null;
    },
    removeResults: (location, token) =>
      removeMessages(linked().manager, resultStreamOf(location), resultSubjects.matching({ location, token })),
    removeResultPart: (address) => removeMessages(linked().manager, resultStreamOf(address.location), resultSubjects.of(address)),
  };
}

/** Notes of workers, until the connection is closed; nats.js subscribes again at each reconnection. */
export function subscribeToNotes({ connection, manager }: NatsLink, events: HeadEvents): void {
  const each = (handle: (message: Msg) => void) => ({
    callback: (error: Error | null, message: Msg) => {
      if (error === null) handle(message);
    },
  });
  connection.subscribe(
    presenceSubjects.matching({}),
    each(({ subject, reply = "", data }) => {
      const address = presenceSubjects.parse(subject);
      if (address === null || !isReplyToWorker(reply, address.worker)) return;
      events.onPresence(address, data, (bytes) => connection.publish(reply, bytes));
    }),
  );
  connection.subscribe(
    progressSubjects.matching({}),
    each(({ subject, data }) => {
      const address = progressSubjects.parse(subject);
      if (address !== null) events.onProgress(address, data);
    }),
  );
  connection.subscribe(
    spentSubjects,
    each(({ data }) => void reportSpentJob(manager, data, events.onSpentJob)),
  );
}

/** A lost advisory is made up for by the time limit of jobs. */
async function reportSpentJob(manager: JetStreamManager, advisory: Uint8Array, report: HeadEvents["onSpentJob"]): Promise<void> {
  try {
    // `io.nats.jetstream.advisory.v1.max_deliver`, as far as it is read.
    const { stream, stream_seq: seq }: { readonly stream: string; readonly stream_seq: number } = JSON.parse(
      Buffer.from(advisory).toString(),
    );
    if (locationOfScanStream(stream) === null) return;
    const message = await manager.direct.getMessage(stream, { seq });
    const job = message === null ? null : scanSubjects.parse(message.subject);
    if (job !== null) report(job.location, job.token);
  } catch {
    // NATS is away again.
  }
}

type ManifestFeed = Pick<ConsumerMessages, "stop">;

/** Delivers the manifests of one location. Ends with the consumer: after a reconnection another feed is needed. */
async function openManifestFeed(connection: NatsConnection, location: string, onManifest: HeadEvents["onManifest"]): Promise<ManifestFeed> {
  const consumer = await jetstream(connection).consumers.get(resultStreamOf(location), resultConsumer);
  const deliver = (message: JsMsg) => {
    const address = resultSubjects.parse(message.subject);
    // The permissions of workers allow any text below their own subject.
    if (address === null || address.part !== null) message.ack();
    else
      onManifest(address, {
        bytes: message.data,
        ack: () => message.ack(),
        nak: (ms) => message.nak(ms),
        working: () => message.working(),
      });
  };
  return consumer.consume({ expires: pullMs, callback: deliver });
}
