/** Examines the nats-server of a head without changing anything: reach, version, JetStream and streams. */
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { withDeadline } from "../base/clock.ts";
import { messageOf } from "../base/log.ts";
import { type ConnectionOptions, connectNats, FleetError } from "./connection.ts";
import { isStreamOfFleet } from "./subjects.ts";

const connectMsMax = 5_000;

export interface NatsExamination {
  readonly isUsable: boolean;
  /** One line in English. */
  readonly detail: string;
}

export interface NatsExaminationOptions extends Pick<ConnectionOptions, "servers" | "credentialsFile" | "caFile" | "clock" | "log"> {
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
    connection = await withDeadline(options.clock, connectMs, [], (signal) =>
      connectNats({ ...options, name: "assay doctor", onFailure, signal }),
    );
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
  const streams: string[] = [];
  for await (const { config, state } of manager.streams.list())
    if (isStreamOfFleet(config.name)) streams.push(`${config.name}: ${state.messages} waiting`);
  const described = streams.length === 0 ? [noStreams] : streams.toSorted();
  return [`nats-server ${connection.info?.version} at ${connection.getServer()}`, "JetStream: on", ...described].join("; ");
}

/** A head creates the streams of each location that has workers. */
const noStreams = "no location has streams yet";

function unreachable(servers: readonly string[], because: string): string {
  const advice = /credentials/.test(because)
    ? "assay fleet nats-conf prints a configuration that allows this server"
    : "nats-server must run there, and nats.url name its address";
  return `${servers.join(", ")} not reachable: ${because}; ${advice}`;
}

function jetStreamFault(connection: NatsConnection, error: unknown): string {
  return `JetStream of ${connection.getServer()} cannot be used (${messageOf(error)}); nats-server needs jetstream in its configuration`;
}
