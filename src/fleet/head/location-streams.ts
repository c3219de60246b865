/** Keeps the streams of each location that workers are enrolled for. A fault of one location does not stop the others. */
import { type Log, messageOf } from "../../base/log.ts";
import type { FleetStore } from "./fleet-store.ts";
import { type ManifestFeed, type NatsLink, openManifestFeed } from "./nats-transport.ts";
import { ensureLocation, type StreamPurpose } from "./streams.ts";
import type { HeadEvents } from "./transport.ts";

export interface LocationStreamsOptions {
  readonly workers: Pick<FleetStore["workers"], "locations">;
  readonly ackWaitMs: number;
  readonly onManifest: HeadEvents["onManifest"];
  readonly log: Log;
}

export interface LocationStreams {
  /** Makes what is missing, and receives results. Never rejects: the next call tries again. */
  follow(link: NatsLink, purpose: StreamPurpose): Promise<void>;
  /** The same for one location: it waits for no other. */
  followOne(location: string, link: NatsLink, purpose: StreamPurpose): Promise<void>;
  /** NATS may have lost what was made. */
  forget(): void;
  /** Clause for readiness; null while every location has its streams. */
  fault(): string | null;
  /** Receives no more results. */
  stop(): void;
}

export function createLocationStreams({ workers, ackWaitMs, onManifest, log }: LocationStreamsOptions): LocationStreams {
  const made = new Set<string>();
  const feeds = new Map<string, ManifestFeed>();
  const faults = new Map<string, string>();
  const making = new Map<string, Promise<void>>();

  async function make(location: string, { connection, manager }: NatsLink, purpose: StreamPurpose): Promise<void> {
    try {
      await ensureLocation(manager, location, purpose, ackWaitMs);
      feeds.get(location)?.stop();
      feeds.set(location, await openManifestFeed(connection, location, onManifest));
      made.add(location);
      log.info("location has its streams in NATS", { location });
      faults.delete(location);
    } catch (error) {
      const because = messageOf(error);
      if (faults.get(location) !== because) log.warn("location has no streams in NATS yet; its scans wait", { location, because });
      faults.set(location, because);
    }
  }

  /** Requests at the same time are one: each worker of the location may ask. */
  async function makeOnce(location: string, link: NatsLink, purpose: StreamPurpose): Promise<void> {
    if (made.has(location)) return;
    const work = making.get(location) ?? make(location, link, purpose).finally(() => making.delete(location));
    making.set(location, work);
    await work;
  }

  return {
    followOne: async (location, link, purpose) => {
      if (workers.locations().includes(location)) await makeOnce(location, link, purpose);
    },
    follow: async (link, purpose) => {
      const enrolled = workers.locations();
      for (const location of faults.keys()) if (!enrolled.includes(location)) faults.delete(location);
      for (const location of enrolled) await makeOnce(location, link, purpose);
    },
    forget: () => made.clear(),
    fault: () => {
      const [first] = faults;
      return first === undefined ? null : `the location ${first[0]} has no streams in NATS: ${first[1]}`;
    },
    stop: () => {
      for (const feed of feeds.values()) feed.stop();
    },
  };
}
