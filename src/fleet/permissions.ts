/**
 * What NATS lets head and workers do. Each worker has an account of its own in NATS, and reaches the head's account by services.
 *
 * Users of one account are not separated enough: JetStream answers to the reply subject of a request, with its own rights. A worker that
 * may publish one result could name `$JS.API.STREAM.PURGE...` there, and its PubAck would be obeyed. Between accounts nats-server
 * replaces reply subjects, and answers arrive in the account of the worker alone.
 */
import {
  cancelSubjects,
  headSubject,
  inboxPrefixOf,
  presenceSubjects,
  progressSubjects,
  resultConsumer,
  resultSubjects,
  scanStreamOf,
  scanSubjects,
  type WorkerAddress,
} from "./subjects.ts";

export interface SubjectPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

export interface WorkerPermissions extends SubjectPermissions {
  /** Imported from the account of the head as services. Equal to `publish`. */
  readonly services: readonly string[];
  /** Imported from the account of the head as streams. */
  readonly streams: readonly string[];
}

/** Account of head and streams in NATS. */
export const headAccount = "ASSAY";

/** Services of the head's account. The account of a worker imports the part with its own location and id. */
export const exportedServices: readonly { readonly subject: string; readonly answers: "one" | "many" }[] = [
  { subject: "$JS.API.CONSUMER.MSG.NEXT.*.*", answers: "many" },
  { subject: "$JS.ACK.*.*.>", answers: "one" },
  { subject: resultSubjects.matching({}), answers: "one" },
  { subject: presenceSubjects.matching({}), answers: "one" },
  { subject: progressSubjects.matching({}), answers: "one" },
];

/** Streams of messages of the head's account. */
export const exportedStreams: readonly string[] = [cancelSubjects.matching({})];

export const headPermissions: SubjectPermissions = {
  publish: [
    "$JS.API.>",
    `$JS.ACK.*.${resultConsumer}.>`,
    scanSubjects.matching({}),
    cancelSubjects.matching({}),
    headSubject,
    // Replies to workers, and to another head.
    "_R_.>",
    "_INBOX.>",
  ],
  subscribe: ["_INBOX.>", presenceSubjects.matching({}), progressSubjects.matching({}), headSubject, "$JS.EVENT.ADVISORY.>"],
};

/** No worker can ask for streams or consumers: neither the head's, nor any of its own. */
export function workerPermissions({ location, worker }: WorkerAddress): WorkerPermissions {
  const services = [
    `$JS.API.CONSUMER.MSG.NEXT.${scanStreamOf(location)}.${location}`,
    `$JS.ACK.${scanStreamOf(location)}.${location}.>`,
    resultSubjects.matching({ location, worker }),
    presenceSubjects.of({ location, worker }),
    progressSubjects.matching({ location, worker }),
  ];
  const streams = [cancelSubjects.of({ location })];
  return { publish: services, services, streams, subscribe: [`${inboxPrefixOf(worker)}.>`, ...streams] };
}
