/** Examines the nats-server of a head without changing anything: reach, version, JetStream and streams. */
import { JetStreamApiError, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { messageOf } from "../base/log.ts";
import { type ConnectionOptions, connectNats, FleetError } from "./connection.ts";
import { locationOfScanStream, resultStream, scanSubjects } from "./subjects.ts";

const connectMsMax = 10_000;
/** `err_code` of JetStream. */
const streamNotFound = 10_059;

export interface NatsExamination {
  readonly isUsable: boolean;
  /** One line in English. */
  readonly detail: string;
}

export interface NatsExaminationOptions extends Pick<ConnectionOptions, "servers" | "credentialsFile" | "caFile" | "log"> {
  readonly connectMs?: number;
}

/** Never rejects. */
export async function examineNats({ connectMs = connectMsMax, ...options }: NatsExaminationOptions): Promise<NatsExamination> {
  let because = "no answer in time";
  const onFailure = (cause: string) => {
    because = cause;
  };
  let connection: NatsConnection | null = null;
  try {
    connection = await connectNats({ ...options, name: "assay doctor", onFailure, signal: AbortSignal.timeout(connectMs) });
    return { isUsable: true, detail: await describeServer(connection) };
  } catch (error) {
    if (error instanceof FleetError) return { isUsable: false, detail: error.message };
    return { isUsable: false, detail: connection === null ? unreachable(options.servers, because) : jetStreamFault(connection, error) };
  } finally {
    await connection?.close().catch(() => {});
  }
}

async function describeServer(connection: NatsConnection): Promise<string> {
  const manager = await jetstreamManager(connection);
  const names: string[] = [];
  for await (const name of manager.streams.names(scanSubjects)) if (locationOfScanStream(name) !== null) names.push(name);
  const streams = await Promise.all([...names.toSorted(), resultStream].map((name) => describeStream(manager, name)));
  return [`nats-server ${connection.info?.version} at ${connection.getServer()}`, "JetStream: on", ...streams].join("; ");
}

/** A head creates the streams when it starts. */
async function describeStream(manager: JetStreamManager, name: string): Promise<string> {
  try {
    const { state } = await manager.streams.info(name);
    return `${name}: ${state.messages} waiting`;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === streamNotFound) return `${name}: not created yet`;
    throw error;
  }
}

function unreachable(servers: readonly string[], because: string): string {
  const advice = /credentials/.test(because)
    ? "assay fleet nats-conf prints a configuration that allows this server"
    : "nats-server must run there, and nats.url name its address";
  return `${servers.join(", ")} not reachable: ${because}; ${advice}`;
}

function jetStreamFault(connection: NatsConnection, error: unknown): string {
  return `JetStream of ${connection.getServer()} cannot be used (${messageOf(error)}); nats-server needs jetstream in its configuration`;
}
