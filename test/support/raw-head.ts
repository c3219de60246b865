/** The head of a fleet, played with the raw client of NATS: streams, presence, jobs, and results as they arrive. */
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { makeIdentity } from "../../src/fleet/identity.ts";
import { type FleetJob, fleetProtocol, type PresenceAnswer, type PresenceNote, type ProgressNote } from "../../src/fleet/messages.ts";
import { createResultAssembly, unpackResult } from "../../src/fleet/results.ts";
import {
  cancelSubjects,
  presenceSubjects,
  progressSubjects,
  type ResultAddress,
  resultConsumer,
  resultStreamOf,
  resultSubjects,
  scanStreamOf,
  scanSubjects,
} from "../../src/fleet/subjects.ts";
import { defaultDeadlines } from "../../src/scan/task.ts";
import { connectAs, enrolledIdentity, loopbackConfiguration, makeStreams } from "./fleet-places.ts";
import { type NatsServer, startNats } from "./nats.ts";

export const rawLocation = "berlin";
const pollMs = 10;

export interface RawHead {
  readonly connection: NatsConnection;
  /** Latest presence of each worker. */
  readonly present: ReadonlyMap<string, PresenceNote>;
  readonly progress: readonly (ProgressNote & { readonly token: string })[];
  /** Parts in order of arrival. */
  readonly parts: readonly ResultAddress[];
  answer(answer: PresenceAnswer, text?: string): void;
  publish(job: Partial<FleetJob> & Pick<FleetJob, "token" | "url">): Promise<void>;
  publishRaw(token: string, data: string): Promise<void>;
  cancel(token: string, attempt?: number): void;
  /** The first complete result for the token. */
  result(token: string, timeoutMs?: number): Promise<ReturnType<typeof unpackResult>>;
  /** Jobs in the stream that are neither acknowledged nor terminated. */
  jobsLeft(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

function rawJob({ token, url, ...rest }: Partial<FleetJob> & Pick<FleetJob, "token" | "url">): FleetJob {
  const scannedAt = "2026-11-22T10:00:00.000Z";
  const terms = { deadlines: defaultDeadlines, screenshot: false, headerCharsMax: 512 };
  return { v: fleetProtocol, token, attempt: 1, url, scannedAt, ...terms, ...rest };
}

/** Two workers of the location, which nats-server knows. */
export const rawWorkers = [enrolledIdentity(rawLocation, "first"), enrolledIdentity(rawLocation, "second")] as const;
const headKeys = makeIdentity();

/** A nats-server with the accounts of the head and `rawWorkers`. */
export function startRawNats(): Promise<NatsServer> {
  return startNats({ configuration: loopbackConfiguration(headKeys, rawWorkers) });
}

/** `ackWaitMs`: the default of JetStream. */
export async function openRawHead(url: string, ackWaitMs = 30_000): Promise<RawHead> {
  const connection = await connectAs(headKeys, url, { maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  await makeStreams(connection, [rawLocation]);
  const manager = await jetstreamManager(connection);
  await manager.consumers.update(scanStreamOf(rawLocation), rawLocation, { ack_wait: ackWaitMs * 1e6 });
  const present = new Map<string, PresenceNote>();
  const progress: (ProgressNote & { readonly token: string })[] = [];
  const parts: ResultAddress[] = [];
  const arrived: { readonly address: ResultAddress; readonly data: Uint8Array }[] = [];
  const jobs = new Map<string, FleetJob>();
  let reply = { v: fleetProtocol, answer: "accepted" as PresenceAnswer, text: "" };

  connection.subscribe(presenceSubjects.matching({}), {
    callback: (_error, message) => {
      present.set(message.subject.split(".")[3] ?? "", message.json<PresenceNote>());
      message.respond(JSON.stringify(reply));
    },
  });
  connection.subscribe(progressSubjects.matching({}), {
    callback: (_error, message) => {
      progress.push({ ...message.json<ProgressNote>(), token: progressSubjects.parse(message.subject)?.token ?? "" });
    },
  });
  const results = await (await jetstream(connection).consumers.get(resultStreamOf(rawLocation), resultConsumer)).consume();
  void (async () => {
    for await (const message of results) {
      const address = resultSubjects.parse(message.subject);
      if (address !== null) {
        parts.push(address);
        arrived.push({ address, data: message.data });
      }
      message.ack();
    }
  })();

  function completeResult(token: string): ReturnType<typeof unpackResult> | null {
    const job = jobs.get(token);
    const first = arrived.find(({ address }) => address.token === token && address.part === null);
    if (first === undefined || job === undefined) return null;
    const assembly = createResultAssembly();
    for (const { address, data } of arrived) {
      if (address.token !== token || address.delivery !== first.address.delivery) continue;
      const added = assembly.add(address.part, data);
      if (typeof added !== "string") return added;
      if (added === "complete") return unpackResult(assembly, job);
    }
    return null;
  }

  async function publishRaw(token: string, data: string): Promise<void> {
    await jetstream(connection).publish(scanSubjects.of({ location: rawLocation, token }), data);
  }

  return {
    connection,
    present,
    progress,
    parts,
    answer: (answer, text = "") => {
      reply = { v: fleetProtocol, answer, text };
    },
    publish: async (given) => {
      const job = rawJob(given);
      jobs.set(job.token, job);
      await publishRaw(job.token, JSON.stringify(job));
    },
    publishRaw,
    cancel: (token, attempt = 1) =>
      connection.publish(cancelSubjects.of({ location: rawLocation }), JSON.stringify({ v: fleetProtocol, token, attempt })),
    result: (token, timeoutMs) => eventually(() => completeResult(token), `a result of ${token}`, timeoutMs),
    jobsLeft: async () => (await manager.streams.info(scanStreamOf(rawLocation))).state.messages,
    [Symbol.asyncDispose]: async () => {
      results.stop();
      await connection.close();
    },
  };
}

/** The first value that is neither null nor false. @throws Error after the time limit */
export async function eventually<T>(
  read: () => T | null | false | Promise<T | null | false>,
  what: string,
  timeoutMs = 30_000,
): Promise<T> {
  const endMs = Date.now() + timeoutMs;
  while (Date.now() < endMs) {
    const value = await read();
    if (value !== null && value !== false) return value;
    await Bun.sleep(pollMs);
  }
  throw new Error(`${what} did not come within ${timeoutMs} ms`);
}
