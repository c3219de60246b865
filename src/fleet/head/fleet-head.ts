/** The head of a fleet without its connection: publishes scans as jobs, knows its workers, and takes results in. */
import type { RemoteLocations } from "../../scan/gatherer.ts";
import type { ResultAddress } from "../subjects.ts";
import {
  createFleetCounters,
  createPendingJobs,
  type DeliveredManifest,
  type FleetTimes,
  type HeadParts,
  jobFields,
  type PendingJobs,
} from "./head-parts.ts";
import { createAbsence, createPresenceRegistry, listenToWorkers, type Readers } from "./presence.ts";
import { createRepeated, hasResult, reconcile } from "./reconcile.ts";
import { createJobPublisher, createRemoteGather, type JobSettings } from "./remote-gather.ts";
import { createResultIntake } from "./result-intake.ts";

export interface FleetHeadOptions extends Omit<HeadParts, "pendingJobs"> {
  readonly jobSettings: JobSettings;
  readonly readers: Readers;
  /** A scan whose location has had no worker for so long ends as `no-worker`. */
  readonly waitMaxMs: number;
  readonly times: FleetTimes;
}

export type FleetHead = ReturnType<typeof createFleetHead>;

/** Gathers at the locations of workers. `events` are the calls of the transport. */
export function createFleetHead(options: FleetHeadOptions) {
  const { transport, store, times, clock, log, isConnected } = options;
  const counters = createFleetCounters();
  const pendingJobs = createPendingJobs();
  const registry = createPresenceRegistry(times.presenceLapsesMs);
  const publisher = createJobPublisher(pendingJobs, transport, { isConnected, retryMs: times.retryMs, clock, log });
  const intake = createResultIntake({ ...options, ...times, pendingJobs, count: counters.count });
  const capacityListeners: (() => void)[] = [];
  const capacityRose = () => capacityListeners.forEach((listener) => void listener());
  const absentSince = createAbsence({ registry, workers: store.workers, lapsesMs: times.presenceLapsesMs, clock });
  let connectedAt = clock.now();
  const repeated = { everyMs: times.reconcileMs, soonMs: times.soonMs, failed: "scans not compared with NATS", clock, log };
  const compare = createRepeated(async () => {
    endWithoutWorker(options, pendingJobs, (location) => absentSince(location, connectedAt));
    if (isConnected()) await reconcile({ ...options, pendingJobs, count: counters.count, onUnsent: publisher.wake });
  }, repeated);
  const gather = createRemoteGather({ ...options, pendingJobs, intake, onUnsent: publisher.wake, onAdopted: compare.soon });

  async function failSpent(location: string, token: string): Promise<void> {
    const pending = pendingJobs.find(token);
    if (pending?.location !== location || pending.state !== "sent") return;
    // The result may be on its way while only the acknowledgement of the job was lost.
    const mayCome = await hasResult(transport, pending).catch(() => true);
    if (mayCome || pending.state !== "sent") return;
    counters.count("spent");
    log.error("scan was lost with its worker twice", jobFields(pending));
    pending.end("crashed");
  }

  const { onPresence, onProgress } = listenToWorkers({ ...options, registry, pendingJobs, onCapacity: capacityRose });
  const locations: RemoteLocations = {
    gather,
    names: () => store.workers.locations(),
    capacity: (location) => (isConnected() ? registry.capacity(location, clock.now()) : 0),
    absentSince: (location) => absentSince(location, connectedAt),
    onCapacity: (listener) => void capacityListeners.push(listener),
  };
  return {
    locations,
    /** Calls of the transport. */
    events: {
      onPresence,
      onProgress,
      onManifest: (address: ResultAddress, manifest: DeliveredManifest) => intake.receive(address, manifest),
      onSpentJob: (location: string, token: string) => void failSpent(location, token),
    },
    /** To be called when streams and consumers are ready, at first and after each loss of the connection. */
    connected: () => {
      connectedAt = clock.now();
      // Time limits do not count the time without a connection.
      for (const pending of pendingJobs.list()) if (pending.begunAtMs !== null) pending.begunAtMs = connectedAt.getTime();
      publisher.wake();
      compare.soon();
      capacityRose();
    },
    presentWorkers: () => registry.present(clock.now()),
    counters: counters.read,
    /** Clause for readiness; null while scans can be published. */
    fault: publisher.fault,
    close: () => {
      compare.stop();
      publisher.stop();
      intake.close();
    },
  };
}

function endWithoutWorker(
  { waitMaxMs, clock, log }: FleetHeadOptions,
  pendingJobs: PendingJobs,
  absentSince: (location: string) => Date | null,
): void {
  const now = clock.now().getTime();
  for (const pending of pendingJobs.list()) {
    const since = absentSince(pending.location);
    const isWaiting = pending.state === "unsent" || pending.state === "sent";
    if (!isWaiting || since === null || now - since.getTime() < waitMaxMs) continue;
    log.warn("scan ends: its location has no worker", { ...jobFields(pending), since: since.toISOString() });
    pending.end("no-worker");
  }
}
