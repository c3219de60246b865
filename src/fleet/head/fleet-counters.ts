/** What happened since the start of the head, for metrics. */
const events = ["results", "faults", "lost", "dropped", "republished", "removed", "spent"] as const;
type FleetEvent = (typeof events)[number];

/**
 * `results`: taken in. `faults`: refused as invalid. `lost`: without a part. `dropped`: of scans that were over, or of unknown workers.
 * `republished`: jobs that NATS had lost. `removed`: messages of scans that were over. `spent`: jobs without deliveries left.
 */
export type FleetCounters = Readonly<Record<FleetEvent, number>>;

export function createFleetCounters() {
  const counts = Object.fromEntries(events.map((event) => [event, 0])) as Record<FleetEvent, number>;
  return {
    count: (event: FleetEvent) => void counts[event]++,
    read: (): FleetCounters => ({ ...counts }),
  };
}
