/** Metrics of the server: what scans report, and gauges that are read at each scrape. No read walks over stored scans. */
import { readBackupState } from "../backup/backup-folder.ts";
import { version } from "../base/build.ts";
import type { FleetState } from "../fleet/worker-operations.ts";
import { createDeliveryMetrics, type DeliveryMetrics } from "../metrics/delivery-metrics.ts";
import { addGauge, addLabelledGauge, type GaugeRow, type Metrics, openMetrics } from "../metrics/metrics.ts";
import { createScanMetrics, type ScanMetrics } from "../metrics/scan-metrics.ts";
import { localLocation } from "../parse/location.ts";
import { laneNames } from "../store/lanes.ts";
import type { LaneState } from "../store/queue.ts";
import type { Store } from "../store/store.ts";
import { ConfigError } from "./config.ts";
import { diskSpaceOf, storeBytesOf } from "./disk-use.ts";
import { passwordInFile } from "./passwords.ts";
import type { Config } from "./settings.ts";

const tokenCharsMin = 16;
const tokenForm = /^[\x21-\x7e]+$/;

export interface ServerMetricsSources {
  readonly store: Pick<Store, "deliveries" | "scans" | "workers">;
  readonly dataDir: string;
  /** Null without workers on other machines. */
  readonly fleet: Pick<FleetState, "presentWorkers"> | null;
}

export interface ServerMetrics extends Metrics {
  readonly scans: ScanMetrics;
  readonly deliveries: DeliveryMetrics;
}

export function openServerMetrics({ store, dataDir, fleet }: ServerMetricsSources): ServerMetrics {
  const metrics = openMetrics({ version });
  const { registry } = metrics;
  const queue = { name: "assay_queue_scans", help: "Scans that wait, by lane and location.", labelNames: ["lane", "location"] };
  addLabelledGauge(registry, queue, () => lanesOf(store).map(({ lane, location, scans }): GaugeRow => [{ lane, location }, scans]));
  addGauge(registry, "assay_queue_oldest_age_seconds", "Age of the scan that has waited longest; 0 while none waits.", () =>
    oldestAgeSeconds(store, Date.now()),
  );
  const workers = {
    name: "assay_workers",
    help: "Workers that take scans, by location. For local it is the server itself.",
    labelNames: ["location"],
  };
  addLabelledGauge(registry, workers, () => workersByLocation(store, fleet));
  addGauge(registry, "assay_store_bytes", "Size of the file of the store.", () => storeBytesOf(dataDir) ?? Number.NaN);
  addGauge(
    registry,
    "assay_disk_free_bytes",
    "Space on the disk of the data directory that the server may use.",
    () => diskSpaceOf(dataDir)?.freeBytes ?? Number.NaN,
  );
  const backup = "End of the last backup that succeeded, since the Unix epoch; 0 without one.";
  addGauge(registry, "assay_backup_last_success_timestamp_seconds", backup, () => backupSucceededAtSeconds(dataDir));
  const scans = createScanMetrics(
    registry,
    laneNames.map((lane) => ({ lane, location: localLocation })),
  );
  return { ...metrics, scans, deliveries: createDeliveryMetrics(registry, store.deliveries.waitingCount) };
}

function backupSucceededAtSeconds(dataDir: string): number {
  const { lastSuccess } = readBackupState(dataDir);
  return lastSuccess === null ? 0 : Date.parse(lastSuccess.at) / 1_000;
}

/** Null without `metrics.token_file`. @throws ConfigError if the file holds no usable token. */
export function metricsTokenOf(config: Config): string | null {
  const file = config["metrics.token_file"];
  if (file === null) return null;
  const token = passwordInFile(file, "metrics.token_file").trim();
  if (token.length < tokenCharsMin || !tokenForm.test(token))
    throw new ConfigError(
      `metrics.token_file: the first line of ${file} must be a token of at least ${tokenCharsMin} ASCII characters without blanks`,
    );
  return token;
}

/** A location with an empty queue has its lanes too. */
function lanesOf(store: ServerMetricsSources["store"]): readonly LaneState[] {
  const locations = new Set([localLocation, ...store.workers.locations(), ...store.scans.queuedLocations()]);
  return [...locations].flatMap((location) => store.scans.lanesOf(location));
}

/** The first of a lane has waited longest, for an interrupted scan returns to the front. */
function oldestAgeSeconds(store: ServerMetricsSources["store"], nowMs: number): number {
  const ages = lanesOf(store).flatMap(({ next }) => {
    const scan = next === null ? undefined : store.scans.findByToken(next);
    return scan === undefined ? [] : [(nowMs - Date.parse(scan.createdAt)) / 1_000];
  });
  return Math.max(0, ...ages);
}

function workersByLocation({ workers }: ServerMetricsSources["store"], fleet: ServerMetricsSources["fleet"]): readonly GaugeRow[] {
  const counts = new Map([[localLocation, 1], ...workers.locations().map((location) => [location, 0] as const)]);
  for (const { id, answer, slots } of fleet?.presentWorkers() ?? []) {
    const location = workers.find(id)?.location;
    if (location !== undefined && answer === "accepted" && slots > 0) counts.set(location, (counts.get(location) ?? 0) + 1);
  }
  return [...counts].map(([location, count]) => [{ location }, count]);
}
