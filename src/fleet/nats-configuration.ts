/** Writes the configuration of nats-server for one head and its workers. */
import {
  exportedServices,
  exportedStreams,
  headAccount,
  headPermissions,
  type SubjectPermissions,
  workerPermissions,
} from "./permissions.ts";

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

export interface NatsConfiguration {
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
    ...permissions.services.map((subject) => imported("service", subject)),
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
