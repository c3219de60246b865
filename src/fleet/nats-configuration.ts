/** Writes the configuration of nats-server for one head and its workers, with what each of them may do. */
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

export interface EnrolledWorker {
  /** Public nkey. */
  readonly id: string;
  readonly name: string;
  readonly location: string;
}

/** Paths on the machine of nats-server. */
export interface ServerCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
}

export interface NatsCluster {
  /** Unique among the servers. */
  readonly serverName: string;
  /** Address and port for the other servers. */
  readonly listen: string;
  /** `host:port` of the servers, this one included or not. */
  readonly routes: readonly string[];
  /** Servers prove to each other that this authority issued their certificates. Null: on loopback only. */
  readonly caFile: string | null;
}

interface NatsConfiguration {
  /** Address and port for head and workers. */
  readonly listen: string;
  readonly storeDir: string;
  /** Null: on loopback only. */
  readonly tls: ServerCertificate | null;
  readonly cluster: NatsCluster | null;
  /** Public nkey of the head. */
  readonly head: string;
  readonly workers: readonly EnrolledWorker[];
}

/** Seconds for a handshake; links of workers may be slow. */
const tlsTimeoutS = 10;
/** Finds a cut link before a job is delivered into it; the default is 2 minutes. */
const pingIntervalS = 20;
/** Pings without an answer that end a connection. */
const pingsOutMax = 2;
/** A worker opens one; a second one exists for a moment while it reconnects. */
const connectionsOfWorkerMax = 4;

/**
 * What NATS lets head and workers do. Each worker has an account of its own in NATS, and reaches the head's account by services.
 *
 * Users of one account are not separated enough: JetStream answers to the reply subject of a request, with its own rights. A worker that
 * may publish one result could name `$JS.API.STREAM.PURGE...` there, and its PubAck would be obeyed. Between accounts nats-server
 * replaces reply subjects, and answers arrive in the account of the worker alone.
 */
interface SubjectPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** The subjects of `publish` are imported from the account of the head as services, and `streams` as streams. */
interface WorkerPermissions extends SubjectPermissions {
  readonly streams: readonly string[];
}

/** Account of head and streams in NATS. */
const headAccount = "ASSAY";

/** Services of the head's account. The account of a worker imports the part with its own location and id. */
const exportedServices: readonly { readonly subject: string; readonly answers: "one" | "many" }[] = [
  { subject: "$JS.API.CONSUMER.MSG.NEXT.*.*", answers: "many" },
  { subject: "$JS.ACK.*.*.>", answers: "one" },
  { subject: resultSubjects.matching({}), answers: "one" },
  { subject: presenceSubjects.matching({}), answers: "one" },
  { subject: progressSubjects.matching({}), answers: "one" },
];

/** Streams of messages of the head's account. */
const exportedStreams: readonly string[] = [cancelSubjects.matching({})];

const headPermissions: SubjectPermissions = {
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
function workerPermissions({ location, worker }: WorkerAddress): WorkerPermissions {
  const publish = [
    `$JS.API.CONSUMER.MSG.NEXT.${scanStreamOf(location)}.${location}`,
    `$JS.ACK.${scanStreamOf(location)}.${location}.>`,
    resultSubjects.matching({ location, worker }),
    presenceSubjects.of({ location, worker }),
    progressSubjects.matching({ location, worker }),
  ];
  const streams = [cancelSubjects.of({ location })];
  return { publish, streams, subscribe: [`${inboxPrefixOf(worker)}.>`, ...streams] };
}

/** A whole nats.conf. */
export function natsConfiguration({ listen, storeDir, tls, cluster, head, workers }: NatsConfiguration): string {
  return lines(
    "# Made by assay fleet nats-conf; make it again after each enrolment and revocation.",
    `listen: ${quoted(listen)}`,
    `ping_interval: "${pingIntervalS}s"`,
    `ping_max: ${pingsOutMax}`,
    ...(cluster === null ? [] : [`server_name: ${quoted(cluster.serverName)}`]),
    `jetstream { store_dir: ${quoted(storeDir)} }`,
    ...(tls === null ? [] : tlsBlock(tls, null)),
    ...(cluster === null ? [] : clusterBlock(cluster, tls)),
    ...accountsBlock(head, workers),
  );
}

/** The part of nats.conf that changes with each enrolment and revocation. */
export function natsAccounts(head: string, workers: readonly EnrolledWorker[]): string {
  return lines(...accountsBlock(head, workers));
}

/** The account of one worker: a part of `accounts` of nats.conf. */
export function workerAccountLines(worker: EnrolledWorker): string {
  return lines(...accountOfWorker(worker));
}

function accountsBlock(head: string, workers: readonly EnrolledWorker[]): readonly string[] {
  return ["accounts {", ...[accountOfHead(head), ...workers.map(accountOfWorker)].flatMap(indented), "}"];
}

function accountOfHead(head: string): readonly string[] {
  return [
    `${headAccount} {`,
    "  jetstream: enabled",
    ...userLines(head, headPermissions),
    "  exports: [",
    ...exportedServices.map(
      ({ subject, answers }) => `    { service: ${quoted(subject)}${answers === "many" ? ", response_type: stream" : ""} }`,
    ),
    ...exportedStreams.map((subject) => `    { stream: ${quoted(subject)} }`),
    "  ]",
    "}",
  ];
}

function accountOfWorker({ id, name, location }: EnrolledWorker): readonly string[] {
  const permissions = workerPermissions({ location, worker: id });
  const imported = (kind: "service" | "stream", subject: string) =>
    `    { ${kind}: { account: ${headAccount}, subject: ${quoted(subject)} } }`;
  return [
    `# ${name}, location ${location}`,
    `${id} {`,
    `  limits: { max_connections: ${connectionsOfWorkerMax} }`,
    ...userLines(id, permissions),
    "  imports: [",
    ...permissions.publish.map((subject) => imported("service", subject)),
    ...permissions.streams.map((subject) => imported("stream", subject)),
    "  ]",
    "}",
  ];
}

function userLines(nkey: string, { publish, subscribe }: SubjectPermissions): readonly string[] {
  const allow = (verb: string, subjects: readonly string[]) => [
    `      ${verb}: { allow: [`,
    ...subjects.map((subject) => `        ${quoted(subject)}`),
    "      ] }",
  ];
  return [
    "  users: [ {",
    `    nkey: ${nkey}`,
    '    allowed_connection_types: ["STANDARD"]',
    "    permissions: {",
    ...allow("publish", publish),
    ...allow("subscribe", subscribe),
    "    }",
    "  } ]",
  ];
}

function tlsBlock({ certificateFile, keyFile }: ServerCertificate, caFile: string | null): readonly string[] {
  return [
    "tls {",
    `  cert_file: ${quoted(certificateFile)}`,
    `  key_file: ${quoted(keyFile)}`,
    ...(caFile === null ? [] : [`  ca_file: ${quoted(caFile)}`, "  verify: true"]),
    `  timeout: ${tlsTimeoutS}`,
    "}",
  ];
}

function clusterBlock({ listen, routes, caFile }: NatsCluster, tls: ServerCertificate | null): readonly string[] {
  return [
    "cluster {",
    "  name: assay",
    `  listen: ${quoted(listen)}`,
    "  routes: [",
    ...routes.map((route) => `    ${quoted(`nats-route://${route}`)}`),
    "  ]",
    ...(tls === null || caFile === null ? [] : indented(tlsBlock(tls, caFile))),
    "}",
  ];
}

function indented(block: readonly string[]): readonly string[] {
  return block.map((line) => `  ${line}`);
}

function lines(...all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}

/** nats-server reads the escapes of JSON except \u: callers refuse control characters. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
