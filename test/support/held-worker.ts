/** The worker's side of the fleet on a real nats-server. Its gatherer holds each scan until the test ends it. */
import type { NatsConnection } from "@nats-io/transport-node";
import { systemClock } from "../../src/base/clock.ts";
import type { ScanErrorCode } from "../../src/evidence/scan.ts";
import { inboxPrefixOf } from "../../src/fleet/subjects.ts";
import { type FleetWorker, type FleetWorkerOptions, startFleetWorker } from "../../src/fleet/worker/fleet-worker.ts";
import type { ScanTerms } from "../../src/scan/gatherer.ts";
import { defaultDeadlines, type Gathered } from "../../src/scan/task.ts";
import { knownScans } from "./finished-scans.ts";
import { connectAs, type EnrolledIdentity } from "./fleet-places.ts";
import type { NatsServer } from "./nats.ts";
import { rawLocation, rawWorkers } from "./raw-head.ts";

export const heldResult: Gathered = {
  evidence: knownScans.shop.evidence,
  screenshot: null,
  timings: { total: 12 },
  unreachable: null,
  browserBroke: false,
  refusals: [],
};

export interface HeldTask {
  readonly token: string;
  readonly terms: ScanTerms;
  readonly signal: AbortSignal | undefined;
  end(value?: Gathered | ScanErrorCode): void;
}

export interface HeldWorker extends FleetWorker {
  /** Scans in order of their start. */
  readonly scans: readonly HeldTask[];
  readonly logged: readonly string[];
  readonly outcomes: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

const silent = { stage: () => {}, end: () => {} };

interface HeldWorkerOptions extends Partial<FleetWorkerOptions> {
  readonly connected?: (connection: NatsConnection) => void;
}

export async function startHeldWorker(
  nats: Pick<NatsServer, "url">,
  { connected, ...options }: HeldWorkerOptions = {},
  keys: EnrolledIdentity = rawWorkers[0],
): Promise<HeldWorker> {
  const { id } = keys;
  const reconnecting = { maxReconnectAttempts: -1, reconnectTimeWait: 50 };
  const connection = await connectAs(keys, nats.url, { inboxPrefix: inboxPrefixOf(id), ...reconnecting });
  connected?.(connection);
  const scans: HeldTask[] = [];
  const logged: string[] = [];
  const outcomes: string[] = [];
  const line = (event: string, fields = {}) => void logged.push(`${event} ${JSON.stringify(fields)}`);
  const worker = startFleetWorker({
    connection,
    address: { location: rawLocation, worker: id },
    slots: 2,
    version: "1.2.3",
    reach: "public",
    deadlines: defaultDeadlines,
    browserFault: () => null,
    timeScan: () => silent,
    onEnd: (outcome) => void outcomes.push(outcome),
    clock: systemClock,
    log: { debug: line, info: line, warn: line, error: line },
    gatherer: {
      visitOn: async () => "crashed",
      gatherOn: (terms, { stored }, { onStage, signal }) =>
        new Promise((resolve) => {
          onStage("resolving");
          signal?.addEventListener("abort", () => resolve("interrupted"));
          scans.push({ token: stored?.token ?? "", terms, signal, end: (value = heldResult) => resolve(value) });
        }),
    },
    presence: { everyMs: 100, lapsesMs: 2_000 },
    feed: { expiresMs: 500, retryMs: 50 },
    ...options,
  });
  const dispose = async () => {
    await worker.stop(0);
    await connection.close();
  };
  return Object.assign(worker, { scans, logged, outcomes, [Symbol.asyncDispose]: dispose });
}
