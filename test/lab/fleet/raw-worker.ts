/** A worker without the program: the raw client of NATS with the credentials of an enrolled worker. It sends what a test wants. */
import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { systemClock } from "../../../src/base/clock.ts";
import { type Evidence, evidenceVersion } from "../../../src/evidence/evidence.ts";
import { readIdentity } from "../../../src/fleet/identity.ts";
import { type FleetJob, fleetProtocol, type PresenceNote, type PresenceReply } from "../../../src/fleet/messages.ts";
import type { PackedResult } from "../../../src/fleet/results.ts";
import { inboxPrefixOf, presenceSubjects, resultSubjects } from "../../../src/fleet/subjects.ts";
import { type DeliveredJob, openJobFeed } from "../../../src/fleet/worker/job-feed.ts";
import { subjectOf } from "../../../src/scan/task.ts";
import { knownScans } from "../../support/finished-scans.ts";
import { connectAsWorker } from "../../support/fleet-places.ts";
import { until } from "./fleet.ts";

const presenceEveryMs = 3_000;
const jobMsMax = 30_000;
const ackMsMax = 5_000;

export interface TakenJob {
  readonly job: FleetJob;
  /** Evidence of a real site, with the subject of this scan. */
  readonly evidence: Evidence;
  /** Publishes one part, or the manifest with `null`; the answer of JetStream, or the error. */
  publish(part: number | null, bytes: Uint8Array, messageId?: string): Promise<string>;
  /** All parts, then the manifest. */
  send(result: PackedResult): Promise<void>;
  ack(): Promise<void>;
  giveBack(): Promise<void>;
}

export interface RawWorker {
  readonly id: string;
  readonly connection: NatsConnection;
  say(note?: Partial<PresenceNote>): Promise<PresenceReply>;
  /** The next job. @throws Error without one in time. */
  take(): Promise<TakenJob>;
  close(): Promise<void>;
}

/** `takes`: whether it asks for jobs. */
export async function openRawWorker(url: string, seedFile: string, location: string, { takes = true } = {}): Promise<RawWorker> {
  const identity = { ...readIdentity(seedFile), name: "raw", location };
  const connection = await connectAsWorker(identity, url);
  const client = jetstream(connection, { timeout: 20_000 });
  const address = { location, worker: identity.id };

  async function say(changes: Partial<PresenceNote> = {}): Promise<PresenceReply> {
    const own = { v: fleetProtocol, version: "0.1.0", evidenceVersion, slots: 1, busy: 0, reach: "public", scansDone: 0, lastFault: null };
    const reply = await connection.request(presenceSubjects.of(address), JSON.stringify({ ...own, ...changes }), { timeout: 5_000 });
    return reply.json();
  }

  function taken({ data, delivery, acknowledge, giveBack }: DeliveredJob): TakenJob {
    const job = JSON.parse(Buffer.from(data).toString()) as FleetJob;
    const publish: TakenJob["publish"] = (part, bytes, messageId) => {
      const each = { ...address, token: job.token, attempt: job.attempt, delivery, part };
      return client.publish(resultSubjects.of(each), bytes, { msgID: messageId ?? resultSubjects.of(each) }).then(
        ({ duplicate }) => (duplicate ? "duplicate" : "stored"),
        (error: Error) => error.message,
      );
    };
    return {
      job,
      evidence: { ...knownScans.shop.evidence, subject: subjectOf(job.url, job.scannedAt, job.headerCharsMax) },
      publish,
      send: async ({ parts, manifest }) => {
        for (const [part, bytes] of parts.entries()) await publish(part, bytes);
        await publish(null, Buffer.from(JSON.stringify(manifest)));
      },
      ack: () => acknowledge(ackMsMax),
      giveBack: async () => {
        giveBack();
        await connection.flush();
      },
    };
  }

  const jobs: DeliveredJob[] = [];
  const feed = openJobFeed({
    clock: systemClock,
    connection,
    inboxPrefix: inboxPrefixOf(identity.id),
    location,
    onJob: (job) => jobs.push(job),
    onFault: () => {},
  });
  feed.want(takes ? 1 : 0);
  const timer = setInterval(() => void say().catch(() => {}), presenceEveryMs);
  return {
    id: identity.id,
    connection,
    say,
    take: async () => {
      await until(() => jobs.length > 0, jobMsMax);
      return taken(jobs.shift() as DeliveredJob);
    },
    close: async () => {
      clearInterval(timer);
      await feed.close();
      await connection.close();
    },
  };
}
