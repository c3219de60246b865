/** Transport of the head over NATS JetStream. */
import { type ConsumerMessages, type JetStreamManager, type JsMsg, jetstream } from "@nats-io/jetstream";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { messageOf } from "../../base/log.ts";
import { parseLocation } from "../../parse/location.ts";
import {
  cancelSubject,
  isReplyToWorker,
  locationOfScanStream,
  locationResultSubjects,
  locationScanSubjects,
  parsePresenceSubject,
  parseProgressSubject,
  parseResultSubject,
  presenceSubjects,
  progressSubjects,
  resultConsumer,
  resultStreamOf,
  resultSubject,
  scanStreamOf,
  scanSubject,
} from "../subjects.ts";
import { removeMessages, subjectsOf } from "./remove-messages.ts";
import { isMissingInNats } from "./streams.ts";
import type { HeadEvents, HeadTransport } from "./transport.ts";

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
        const { seq, duplicate } = await jetstream(linked().connection).publish(scanSubject(location, job.token), JSON.stringify(job));
        return duplicate ? null : seq;
      } catch (error) {
        if (secondJob.test(messageOf(error))) return null;
        throw error;
      }
    },
    jobs: async (location) => {
      const subjects = await subjectsOf(linked().manager, scanStreamOf(location), locationScanSubjects(location));
      return new Set(subjects.flatMap((subject) => parseScanSubject(subject)?.token ?? []));
    },
    sequenceOfJob: async (location, token) => {
      const message = await linked().manager.direct.getMessage(scanStreamOf(location), { last_by_subj: scanSubject(location, token) });
      return message?.seq ?? null;
    },
    deliveredSequence: async (location) => {
      try {
        return (await linked().manager.consumers.info(scanStreamOf(location), location)).delivered.stream_seq;
      } catch (error) {
        if (isMissingInNats(error)) return 0;
        throw error;
      }
    },
    withdrawJob: (location, token) => removeMessages(linked().manager, scanStreamOf(location), scanSubject(location, token)),
    cancel: (location, note) => link()?.connection.publish(cancelSubject(location), JSON.stringify(note)),
    results: async (location) => {
      const stream = resultStreamOf(location);
      const subjects = await subjectsOf(linked().manager, stream, locationResultSubjects(location));
      // No honest worker sends them.
      for (const subject of subjects) if (parseResultSubject(subject) === null) await removeMessages(linked().manager, stream, subject);
      return subjects.flatMap((subject) => parseResultSubject(subject) ?? []);
    },
    resultPart: async (address) => {
      const message = await linked().manager.direct.getMessage(resultStreamOf(address.location), {
        last_by_subj: resultSubject(address),
      });
      return message?.data ?? null;
    },
    removeResults: (location, token) => removeMessages(linked().manager, resultStreamOf(location), `assay.result.${location}.*.${token}.>`),
    removeResultPart: (address) => removeMessages(linked().manager, resultStreamOf(address.location), resultSubject(address)),
  };
}

function parseScanSubject(subject: string): { readonly location: string; readonly token: string } | null {
  const [, , location = "", token = ""] = subject.split(".");
  return parseLocation(location) === null || token === "" ? null : { location, token };
}

/** Notes of workers, until the connection is closed; nats.js subscribes again at each reconnection. */
export function subscribeToNotes({ connection, manager }: NatsLink, events: HeadEvents): void {
  const each = (handle: (message: Msg) => void) => ({
    callback: (error: Error | null, message: Msg) => {
      if (error === null) handle(message);
    },
  });
  connection.subscribe(
    presenceSubjects,
    each(({ subject, reply = "", data }) => {
      const address = parsePresenceSubject(subject);
      if (address === null || !isReplyToWorker(reply, address.worker)) return;
      events.onPresence(address, data, (bytes) => connection.publish(reply, bytes));
    }),
  );
  connection.subscribe(
    progressSubjects,
    each(({ subject, data }) => {
      const address = parseProgressSubject(subject);
      if (address !== null) events.onProgress(address, data);
    }),
  );
  connection.subscribe(
    spentSubjects,
    each(({ data }) => void reportSpentJob(manager, data, events.onSpentJob)),
  );
}

/** `io.nats.jetstream.advisory.v1.max_deliver`, as far as it is read. */
interface SpentAdvisory {
  readonly stream: string;
  readonly stream_seq: number;
}

/** A lost advisory is made up for by the time limit of jobs. */
async function reportSpentJob(manager: JetStreamManager, advisory: Uint8Array, report: HeadEvents["onSpentJob"]): Promise<void> {
  try {
    const { stream, stream_seq: seq } = JSON.parse(Buffer.from(advisory).toString()) as SpentAdvisory;
    if (locationOfScanStream(stream) === null) return;
    const message = await manager.direct.getMessage(stream, { seq });
    const job = message === null ? null : parseScanSubject(message.subject);
    if (job !== null) report(job.location, job.token);
  } catch {
    // NATS is away again.
  }
}

export interface ManifestFeed {
  stop(): void;
}

/** Delivers the manifests of one location. Ends with the consumer: after a reconnection another feed is needed. */
export async function openManifestFeed(
  connection: NatsConnection,
  location: string,
  onManifest: HeadEvents["onManifest"],
): Promise<ManifestFeed> {
  const consumer = await jetstream(connection).consumers.get(resultStreamOf(location), resultConsumer);
  const deliver = (message: JsMsg) => {
    const address = parseResultSubject(message.subject);
    // The permissions of workers allow any text below their own subject.
    if (address === null || address.part !== null) message.ack();
    else onManifest(address, deliveredManifest(message));
  };
  const messages: ConsumerMessages = await consumer.consume({ expires: pullMs, callback: deliver });
  return { stop: () => messages.stop() };
}

function deliveredManifest(message: JsMsg) {
  return {
    bytes: message.data,
    ack: () => message.ack(),
    nak: (delayMs: number) => message.nak(delayMs),
    working: () => message.working(),
  };
}
