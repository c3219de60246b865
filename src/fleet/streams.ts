/** Streams and consumers in NATS: created, checked and emptied. Their description names the installation that owns them. */
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { FleetError } from "./connection.ts";
import { jobAckWaitMs, jobDeliveriesMax } from "./messages.ts";
import { resultConsumer, resultStreamOf, resultSubjects, scanStreamOf, scanSubjects } from "./subjects.ts";

/** Bytes that NATS keeps for a location, and sets aside. */
export const defaultStreamLimits = {
  /** A job has about 0.4 KB. */
  scanBytesMax: 8 * 1024 ** 2,
  /** A result has 0.3 MB, and 6 MB at most. No more results wait than the location has slots, each for one scan. */
  resultBytesMax: 128 * 1024 ** 2,
};
export type StreamLimits = Readonly<typeof defaultStreamLimits>;

const ageMaxMs = 24 * 60 * 60 * 1_000;
/** Within it, a message that is published twice counts once. */
const duplicateWindowMs = 120_000;
const scanMessageBytesMax = 128 * 1024;
const resultMessageBytesMax = 1_000_000;
/** Bounds the list of subjects that the head reads. A result has three messages, and eight at most. */
const resultMessagesMax = 10_000;
/** Manifests that are delivered and not acknowledged. */
const manifestsPendingMax = 64;
/** Jobs that are delivered and not acknowledged: all slots of a location. */
const jobsPendingMax = 10_000;
/** In a cluster, a stream survives the loss of one of three servers. */
const clusterReplicas = 3;

export function streamDescription(instance: string): string {
  return `assay, installation ${instance}`;
}

export interface StreamPurpose {
  /** See `store.instance`. */
  readonly instance: string;
  readonly isCluster: boolean;
  readonly limits: StreamLimits;
}

async function ensureStream(manager: JetStreamManager, name: string, own: Partial<StreamConfig>, purpose: StreamPurpose): Promise<void> {
  const config: Partial<StreamConfig> = {
    description: streamDescription(purpose.instance),
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_age: nanos(ageMaxMs),
    duplicate_window: nanos(duplicateWindowMs),
    allow_direct: true,
    ...own,
  };
  const info = await unlessMissing(manager.streams.info(name));
  const replicas = purpose.isCluster ? clusterReplicas : 1;
  if (info === null) {
    await addStream(manager, { ...config, name, num_replicas: replicas });
    return;
  }
  if (info.config.description !== config.description || info.config.retention !== config.retention)
    throw new FleetError(
      `the stream ${name} in NATS belongs to another installation; use an account of its own in NATS, or delete what the other one left with 'assay fleet release'`,
    );
  const differs = Object.entries(config).some(([key, value]) => !Bun.deepEquals(info.config[key as keyof StreamConfig], value));
  if (differs) await manager.streams.update(name, config);
  if (info.config.num_replicas < replicas) await manager.streams.update(name, { num_replicas: replicas }).catch(ignoreApiError);
}

/** Adds a stream, with fewer replicas if the cluster has too few servers at the moment: a later connection adds them. */
async function addStream(manager: JetStreamManager, config: Partial<StreamConfig> & { readonly name: string }): Promise<void> {
  try {
    await manager.streams.add(config);
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || config.num_replicas === 1) throw error;
    await manager.streams.add({ ...config, num_replicas: 1 });
  }
}

function ignoreApiError(error: unknown): void {
  if (!(error instanceof JetStreamApiError)) throw error;
}

/** Error code of JetStream for the deletion of a message that was deleted before. */
const sequenceNotFound = 10_043;

/** The stream, consumer or message does not exist. nats-server answers 500 to the deletion of a message that was just acknowledged. */
export function isMissingInNats(error: unknown): boolean {
  if (!(error instanceof JetStreamApiError)) return false;
  return error.status === 404 || error.code === sequenceNotFound || error.message === "no message found";
}

/**
 * Streams of the jobs and of the results of a location. The workers share the consumer of jobs.
 * The consumer of results delivers manifests; parts are fetched by their subject.
 * @throws FleetError for a stream of another installation; any other error may pass.
 */
export async function ensureLocation(
  manager: JetStreamManager,
  location: string,
  purpose: StreamPurpose,
  ackWaitMs: number = jobAckWaitMs,
): Promise<void> {
  const scans = scanStreamOf(location);
  const perScan = { max_msgs_per_subject: 1, discard_new_per_subject: true };
  const limits = { max_bytes: purpose.limits.scanBytesMax, max_msg_size: scanMessageBytesMax };
  await ensureStream(manager, scans, { subjects: [scanSubjects.matching({ location })], ...limits, ...perScan }, purpose);
  const consumer = { ack_policy: AckPolicy.Explicit, deliver_policy: DeliverPolicy.All, ack_wait: nanos(ackWaitMs) };
  const jobs = { durable_name: location, max_deliver: jobDeliveriesMax, max_ack_pending: jobsPendingMax };
  await manager.consumers.add(scans, { ...consumer, ...jobs });

  const results = resultStreamOf(location);
  const resultLimits = { max_bytes: purpose.limits.resultBytesMax, max_msg_size: resultMessageBytesMax, max_msgs: resultMessagesMax };
  await ensureStream(manager, results, { subjects: [resultSubjects.matching({ location })], ...resultLimits }, purpose);
  const manifests = { filter_subject: resultSubjects.matching({ location, part: null }), max_ack_pending: manifestsPendingMax };
  await manager.consumers.add(results, { ...consumer, durable_name: resultConsumer, ...manifests });
}

/** A subject has one message; more when its worker or the connection failed. A sweep removes what is left. */
const messagesPerSubjectMax = 16;

/** None for a stream that does not exist: a location whose workers were all revoked may have none. */
export async function subjectsOf(manager: JetStreamManager, stream: string, filter: string): Promise<readonly string[]> {
  const info = await unlessMissing(manager.streams.info(stream, { subjects_filter: filter }));
  return Object.keys(info?.state.subjects ?? {});
}

/**
 * Deletes messages one by one. A purge by subject would make nats-server 2.9.10 skip other messages: its consumers then count them as
 * delivered, and no worker gets them.
 */
export async function removeMessages(manager: JetStreamManager, stream: string, filter: string): Promise<void> {
  const subjects = await subjectsOf(manager, stream, filter);
  // The head takes every manifest from its consumer, which stands still when a manifest on its way is deleted.
  for (const subject of subjects) if (resultSubjects.parse(subject)?.part !== null) await removeSubject(manager, stream, subject);
}

async function removeSubject(manager: JetStreamManager, stream: string, subject: string): Promise<void> {
  for (let count = 0; count < messagesPerSubjectMax; count++) {
    // The oldest first: once the newest is deleted, nats-server 2.9.10 finds no other by "last".
    const message = await unlessMissing(manager.direct.getMessage(stream, { seq: 1, next_by_subj: subject }));
    if (message === null) return;
    // It may have been acknowledged in the meantime.
    await unlessMissing(manager.streams.deleteMessage(stream, message.seq, false));
  }
}

/** Null if the stream, the consumer or the message does not exist. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error) => {
    if (!isMissingInNats(error)) throw error;
    return null;
  });
}
