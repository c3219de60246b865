/** Keeps a stream and a consumer for each location that workers are enrolled for. A fault of one location does not stop the others. */
import type { JetStreamManager } from "@nats-io/jetstream";
import { type Log, messageOf } from "../../base/log.ts";
import type { FleetStore } from "./fleet-store.ts";
import { ensureLocation, type StreamPurpose } from "./streams.ts";

export interface LocationStreamsOptions {
  readonly workers: Pick<FleetStore["workers"], "locations">;
  readonly ackWaitMs: number;
  readonly log: Log;
}

export interface LocationStreams {
  /** Makes what is missing. Never rejects: the next call tries again. */
  follow(manager: JetStreamManager, purpose: StreamPurpose): Promise<void>;
  /** The same for one location: it waits for no other. */
  followOne(location: string, manager: JetStreamManager, purpose: StreamPurpose): Promise<void>;
  /** NATS may have lost what was made. */
  forget(): void;
  /** Clause for readiness; null while every location has its stream. */
  fault(): string | null;
}

export function createLocationStreams({ workers, ackWaitMs, log }: LocationStreamsOptions): LocationStreams {
  const made = new Set<string>();
  const faults = new Map<string, string>();
  const making = new Map<string, Promise<void>>();

  async function make(location: string, manager: JetStreamManager, purpose: StreamPurpose): Promise<void> {
    try {
      await ensureLocation(manager, location, purpose, ackWaitMs);
      made.add(location);
      log.info("location has its stream in NATS", { location });
      faults.delete(location);
    } catch (error) {
      const because = messageOf(error);
      if (faults.get(location) !== because) log.warn("location has no stream in NATS yet; its scans wait", { location, because });
      faults.set(location, because);
    }
  }

  /** Requests at the same time are one: each worker of the location may ask. */
  async function makeOnce(location: string, manager: JetStreamManager, purpose: StreamPurpose): Promise<void> {
    if (made.has(location)) return;
    const work = making.get(location) ?? make(location, manager, purpose).finally(() => making.delete(location));
    making.set(location, work);
    await work;
  }

  return {
    followOne: async (location, manager, purpose) => {
      if (workers.locations().includes(location)) await makeOnce(location, manager, purpose);
    },
    follow: async (manager, purpose) => {
      const enrolled = workers.locations();
      for (const location of faults.keys()) if (!enrolled.includes(location)) faults.delete(location);
      for (const location of enrolled) await makeOnce(location, manager, purpose);
    },
    forget: () => made.clear(),
    fault: () => {
      const [first] = faults;
      return first === undefined ? null : `the location ${first[0]} has no stream in NATS: ${first[1]}`;
    },
  };
}
