/** Examines nats-server for `assay doctor`, and removes streams of other installations for `assay fleet release`. */
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { withDeadline } from "../base/clock.ts";
import { messageOf } from "../base/log.ts";
import { type ConnectionOptions, connectNats, FleetError } from "./connection.ts";
import { findHead } from "./head/nats-transport.ts";
import { streamDescription } from "./streams.ts";
import { isStreamOfFleet } from "./subjects.ts";

/** Limit of one connection; a server that is away is reported then. */
const connectMsMax = 10_000;
/** An examination reports sooner. */
const examineMsMax = 5_000;
/** Time for the answer of a running head. */
const otherHeadMs = 1_000;

interface LeftStream {
  readonly name: string;
  readonly messages: number;
  readonly bytes: number;
}

interface ReleaseOptions extends Connecting {
  /** Id of this installation's store, whose streams stay. */
  readonly instance: string;
  /** Deletes them; otherwise they are only counted. */
  readonly isConfirmed: boolean;
}

/** Streams of the fleet that belong to another installation, by name. @throws FleetError */
export async function releaseStreams({ instance, isConfirmed, ...options }: ReleaseOptions): Promise<readonly LeftStream[]> {
  const connection = await connectWithin(connectMsMax, "assay fleet release", options);
  if (typeof connection === "string") throw new FleetError(connection);
  try {
    const manager = await jetstreamManager(connection);
    const left = await leftStreams(manager, streamDescription(instance));
    if (!isConfirmed || left.length === 0) return left;
    if ((await findHead(connection, otherHeadMs)) !== null)
      throw new FleetError("a running head uses the streams: stop it first; nothing is deleted");
    for (const { name } of left) await manager.streams.delete(name);
    return left;
  } finally {
    await connection.close();
  }
}

type Connecting = Pick<ConnectionOptions, "servers" | "credentialsFile" | "caFile" | "clock" | "log">;

/** The connection, or the clause that says why it was not made in time. @throws FleetError if none can ever be made */
async function connectWithin(limitMs: number, name: string, options: Connecting): Promise<NatsConnection | string> {
  let because = "no answer in time";
  const onFailure = (cause: string) => {
    because = cause;
  };
  try {
    return await withDeadline(options.clock, limitMs, [], (signal) => connectNats({ ...options, name, onFailure, signal }));
  } catch (error) {
    if (error instanceof FleetError) throw error;
    return `${options.servers.join(", ")} not reachable: ${because}`;
  }
}

async function leftStreams(manager: JetStreamManager, ownDescription: string): Promise<readonly LeftStream[]> {
  const left: LeftStream[] = [];
  for await (const { config, state } of manager.streams.list()) {
    if (isStreamOfFleet(config.name) && config.description !== ownDescription)
      left.push({ name: config.name, messages: state.messages, bytes: state.bytes });
  }
  return left.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

export interface NatsExamination {
  readonly isUsable: boolean;
  /** One line in English. */
  readonly detail: string;
}

/** Never rejects. */
export async function examineNats({
  connectMs = examineMsMax,
  ...options
}: Connecting & { readonly connectMs?: number }): Promise<NatsExamination> {
  try {
    const connection = await connectWithin(connectMs, "assay doctor", options);
    if (typeof connection === "string") return { isUsable: false, detail: `${connection}; ${adviceOn(connection)}` };
    return await describeServer(connection)
      .then((detail) => ({ isUsable: true, detail }))
      .catch((error) => ({ isUsable: false, detail: jetStreamFault(connection, error) }))
      .finally(() => connection.close().catch(() => {}));
  } catch (error) {
    return { isUsable: false, detail: messageOf(error) };
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

function adviceOn(because: string): string {
  if (/not reachable: .*credentials/.test(because)) return "assay fleet nats-conf prints a configuration that allows this server";
  return "nats-server must run there, and nats.url name its address";
}

function jetStreamFault(connection: NatsConnection, error: unknown): string {
  return `JetStream of ${connection.getServer()} cannot be used (${messageOf(error)}); nats-server needs jetstream in its configuration`;
}
