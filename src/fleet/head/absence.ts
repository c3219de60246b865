/** Since when a location has no worker, by presence and by the store. */
import type { Clock } from "../../base/clock.ts";
import type { FleetStore } from "./fleet-store.ts";
import type { PresenceRegistry } from "./presence-registry.ts";

export interface AbsenceOptions {
  readonly registry: PresenceRegistry;
  readonly workers: Pick<FleetStore["workers"], "list">;
  /** Time that workers have to report themselves after a connection is made, before older absences count. */
  readonly lapsesMs: number;
  readonly clock: Clock;
}

/** Null while a worker of the location is present. */
export type AbsentSince = (location: string, connectedAt: Date) => Date | null;

export function createAbsence({ registry, workers, lapsesMs, clock }: AbsenceOptions): AbsentSince {
  function lastSeen(location: string): Date {
    const seen = registry.lastSeenAt(location);
    if (seen !== null) return seen;
    const ofLocation = workers.list().filter((worker) => worker.location === location);
    return new Date(Math.max(0, ...ofLocation.map(({ lastSeenAt, enrolledAt }) => Date.parse(lastSeenAt ?? enrolledAt))));
  }

  return (location, connectedAt) => {
    const now = clock.now().getTime();
    const seen = lastSeen(location);
    if (now - seen.getTime() < lapsesMs && registry.lastSeenAt(location) !== null) return null;
    const isEarly = now - connectedAt.getTime() < lapsesMs;
    return isEarly && connectedAt > seen ? connectedAt : seen;
  };
}
