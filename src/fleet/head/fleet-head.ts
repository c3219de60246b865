/** The head of a fleet without its connection: hands scans out, hears workers, and takes results in. */
import type { RemoteLocations } from "../../scan/gatherer.ts";
import {
  createFleetCounters,
  createJobBoard,
  type FleetCounters,
  type FleetTimes,
  type HeadEvents,
  type HeadParts,
  type JobBoard,
  jobFields,
} from "./head-parts.ts";
import { createAbsence, createPresenceRegistry, listenToWorkers, type PresentWorker, type Readers } from "./presence.ts";
import { createRepeated, hasResult, reconcile } from "./reconcile.ts";
import { createJobPublisher, createRemoteGather, type JobSettings } from "./remote-gather.ts";
import { createResultIntake } from "./result-intake.ts";

export interface FleetHeadOptions extends Omit<HeadParts, "board"> {
  readonly jobSettings: JobSettings;
  readonly readers: Readers;
  /** A scan whose location has had no worker for so long ends as `no-worker`. */
  readonly waitMaxMs: number;
  readonly times: FleetTimes;
}

export interface FleetHead extends RemoteLocations {
  readonly events: HeadEvents;
  /** To be called when streams and consumers are ready, at first and after each loss of the connection. */
  connected(): void;
  presentWorkers(): readonly PresentWorker[];
  counters(): FleetCounters;
  /** Clause for readiness; null while scans can be published. */
  fault(): string | null;
  close(): void;
}

export function createFleetHead(options: FleetHeadOptions): FleetHead {
  const { transport, store, times, clock, log, isConnected } = options;
  const counters = createFleetCounters();
  const board = createJobBoard();
  const registry = createPresenceRegistry(times.presenceLapsesMs);
  const publisher = createJobPublisher(board, transport, { isConnected, retryMs: times.retryMs, clock, log });
  const intake = createResultIntake({ ...options, ...times, board, count: counters.count });
  const capacityListeners: (() => void)[] = [];
  const capacityRose = () => capacityListeners.forEach((listener) => void listener());
  const absentSince = createAbsence({ registry, workers: store.workers, lapsesMs: times.presenceLapsesMs, clock });
  let connectedAt = clock.now();
  const repeated = { everyMs: times.reconcileMs, soonMs: times.soonMs, failed: "scans not compared with NATS", clock, log };
  const compare = createRepeated(async () => {
    endWithoutWorker(options, board, (location) => absentSince(location, connectedAt));
    if (isConnected()) await reconcile({ ...options, board, count: counters.count, onUnsent: publisher.wake });
  }, repeated);
  const gather = createRemoteGather({ ...options, board, intake, onUnsent: publisher.wake, onAdopted: compare.soon });

  async function failSpent(location: string, token: string): Promise<void> {
    const out = board.find(token);
    if (out?.location !== location || out.state !== "sent") return;
    // The result may be on its way while only the acknowledgement of the job was lost.
    const mayCome = await hasResult(transport, out).catch(() => true);
    if (mayCome || out.state !== "sent") return;
    counters.count("spent");
    log.error("scan was lost with its worker twice", jobFields(out));
    out.end("crashed");
  }

  const { onPresence, onProgress } = listenToWorkers({ ...options, registry, board, onCapacity: capacityRose });
  return {
    gather,
    names: () => store.workers.locations(),
    capacity: (location) => (isConnected() ? registry.capacity(location, clock.now()) : 0),
    absentSince: (location) => absentSince(location, connectedAt),
    onCapacity: (listener) => void capacityListeners.push(listener),
    events: {
      onPresence,
      onProgress,
      onManifest: (address, manifest) => intake.receive(address, manifest),
      onSpentJob: (location, token) => void failSpent(location, token),
    },
    connected: () => {
      connectedAt = clock.now();
      // Time limits do not count the time without a connection.
      for (const out of board.list()) if (out.begunAtMs !== null) out.begunAtMs = connectedAt.getTime();
      publisher.wake();
      compare.soon();
      capacityRose();
    },
    presentWorkers: () => registry.present(clock.now()),
    counters: counters.read,
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
  board: JobBoard,
  absentSince: (location: string) => Date | null,
): void {
  const now = clock.now().getTime();
  for (const out of board.list()) {
    const since = absentSince(out.location);
    const isWaiting = out.state === "unsent" || out.state === "sent";
    if (!isWaiting || since === null || now - since.getTime() < waitMaxMs) continue;
    log.warn("scan ends: its location has no worker", { ...jobFields(out), since: since.toISOString() });
    out.end("no-worker");
  }
}
