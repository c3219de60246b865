/** Deletes streams that another installation left in NATS, as after a move to a new store. */
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { withDeadline } from "../base/clock.ts";
import { type ConnectionOptions, connectNats, FleetError } from "./connection.ts";
import { findHead } from "./head/other-head.ts";
import { streamDescription } from "./head/streams.ts";
import { isStreamOfFleet } from "./subjects.ts";

/** For one connection; a server that is away is reported then. */
const connectMsMax = 10_000;
/** Time for the answer of a running head. */
const otherHeadMs = 1_000;

export interface LeftStream {
  readonly name: string;
  readonly messages: number;
  readonly bytes: number;
}

export interface ReleaseOptions extends Pick<ConnectionOptions, "servers" | "credentialsFile" | "caFile" | "clock" | "log"> {
  /** Of the store of this installation, whose streams stay. */
  readonly instance: string;
  /** Deletes them; otherwise they are only counted. */
  readonly isConfirmed: boolean;
}

/** Streams of the fleet that belong to another installation, by name. @throws FleetError */
export async function releaseStreams({ instance, isConfirmed, ...options }: ReleaseOptions): Promise<readonly LeftStream[]> {
  let because = "no answer in time";
  const onFailure = (cause: string) => {
    because = cause;
  };
  const connection = await withDeadline(options.clock, connectMsMax, [], (signal) =>
    connectNats({ ...options, name: "assay fleet release", onFailure, signal }),
  ).catch((error: unknown) => {
    if (error instanceof FleetError) throw error;
    throw new FleetError(`${options.servers.join(", ")} not reachable: ${because}`);
  });
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

async function leftStreams(manager: JetStreamManager, ownDescription: string): Promise<readonly LeftStream[]> {
  const left: LeftStream[] = [];
  for await (const { config, state } of manager.streams.list()) {
    if (isStreamOfFleet(config.name) && config.description !== ownDescription)
      left.push({ name: config.name, messages: state.messages, bytes: state.bytes });
  }
  return left.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
