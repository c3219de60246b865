/** Workers that have reported themselves, and what follows for the capacity of their locations. Knows neither NATS nor the store. */
import type { HeardWorker } from "../fleet-state.ts";
import type { PresenceAnswer, PresenceNote } from "../messages.ts";
import type { WorkerAddress } from "../subjects.ts";

export interface PresentWorker extends HeardWorker {
  readonly location: string;
}

export interface PresenceRegistry {
  /** True if the capacity of the location has risen. */
  note(address: WorkerAddress, note: Pick<PresenceNote, "slots" | "busy">, answer: PresenceAnswer, now: Date): boolean;
  /** Workers whose last note has not lapsed. */
  present(now: Date): readonly PresentWorker[];
  /** Slots of the accepted workers, and one scan that waits for each of them. */
  capacity(location: string, now: Date): number;
  /** When a worker of the location last reported itself that may take scans, or may after it is resumed; null if none has. */
  lastSeenAt(location: string): Date | null;
}

const usableAnswers: ReadonlySet<PresenceAnswer> = new Set(["accepted", "drained"]);

export function createPresenceRegistry(lapsesMs: number): PresenceRegistry {
  const workers = new Map<string, PresentWorker>();

  function present(now: Date): readonly PresentWorker[] {
    return [...workers.values()].filter(({ seenAt }) => now.getTime() - seenAt.getTime() < lapsesMs);
  }

  function capacity(location: string, now: Date): number {
    const counted = present(now).filter((worker) => worker.answer === "accepted" && worker.location === location && worker.slots > 0);
    return counted.reduce((sum, { slots }) => sum + slots + 1, 0);
  }

  return {
    note: ({ worker: id, location }, { slots, busy }, answer, now) => {
      const before = capacity(location, now);
      workers.set(id, { id, location, slots, busy, answer, seenAt: now });
      return capacity(location, now) > before;
    },
    present,
    capacity,
    lastSeenAt: (location) => {
      const usable = [...workers.values()].filter((worker) => worker.location === location && usableAnswers.has(worker.answer));
      return usable.length === 0 ? null : new Date(Math.max(...usable.map(({ seenAt }) => seenAt.getTime())));
    },
  };
}
