/** What the server notes of its own work: metrics of this process with their endpoint, and figures of the last day that outlive it. */

import { createHash, timingSafeEqual } from "node:crypto";
import { readBackupState } from "../backup/backup-folder.ts";
import { version } from "../base/build.ts";
import { diskSpaceOf } from "../base/disk.ts";
import { type Log, messageOf } from "../base/log.ts";
import type { FleetState } from "../fleet/worker-operations.ts";
import { type HttpHandler, pathOf } from "../http/server.ts";
import {
  addGauge,
  addLabelledGauge,
  createDeliveryMetrics,
  type DeliveryMetrics,
  type GaugeRow,
  type Metrics,
  openMetrics,
} from "../metrics/metrics.ts";
import { createScanMetrics, type ScanMetrics } from "../metrics/scan-metrics.ts";
import { localLocation } from "../parse/location.ts";
import type { ScanObserver } from "../scan/progress.ts";
import { ConfigError } from "../settings/config.ts";
import { passwordInFile } from "../settings/files.ts";
import type { Config } from "../settings/settings.ts";
import { type Activity, noActivity, sumOfActivity } from "../store/activity.ts";
import type { LaneState } from "../store/queue.ts";
import { laneNames } from "../store/queue.ts";
import { scanLocationOf } from "../store/scan-location.ts";
import { isProof } from "../store/scans.ts";
import type { Store } from "../store/store.ts";
import { storeBytesOf } from "../store/store-file.ts";

interface ObservationSources extends ServerMetricsSources {
  readonly store: ServerMetricsSources["store"] & Pick<Store, "activity">;
  /** Called after the outcome of a scan or proof was stored. */
  readonly onEnded: (token: string) => void;
  readonly log: Log;
}

export function observeServer(sources: ObservationSources) {
  const metrics = openServerMetrics(sources);
  const activity = countActivity(sources.store, sources.log);
  return {
    metrics,
    activity,
    scans: observeScans(metrics.scans, activity, sources.onEnded),
    browserReplaced: (): void => {
      metrics.scans.browserReplaced();
      activity.count({ browserRestarts: 1 });
    },
  };
}

function observeScans(scans: ScanMetrics, activity: ActivityCounter, onEnded: (token: string) => void): ScanObserver {
  return {
    claimed: (waitedMs) => activity.count({ claimed: 1, waitedMs, longestWaitMs: waitedMs }),
    begin: scans.begin,
    ended: (job, code) => {
      onEnded(job.token);
      if (isProof(job)) return;
      const lane = job.queueKey?.[1];
      const outcome = code === null ? "finished" : code === "cancelled" ? "cancelled" : "failed";
      scans.ended(outcome, { location: scanLocationOf(job), ...(lane === undefined ? {} : { lane }) });
      activity.count(code === null ? { finished: 1 } : { failed: { [code]: 1 } });
    },
  };
}

const storeEveryMs = 60_000;

export interface ActivityCounter {
  /** Adds the change; its `since` is ignored. */
  count(change: Partial<Activity>): void;
  /** Figures up to now, with those not stored yet. */
  lastDay(): Activity;
  /** Stores the rest. */
  stop(): Promise<void>;
}

export function countActivity({ activity }: Pick<Store, "activity">, log: Log, now: () => Date = () => new Date()): ActivityCounter {
  let pending = noActivity(now());
  let hasChanged = true;

  async function storePending(): Promise<void> {
    if (!hasChanged) return;
    const stored = pending;
    pending = noActivity(now());
    hasChanged = false;
    try {
      await activity.add(stored);
    } catch (error) {
      pending = sumOfActivity(stored, pending);
      hasChanged = true;
      log.warn("figures of the day not stored yet", { because: messageOf(error) });
    }
  }

  // Stores the start of counting.
  void storePending();
  const timer = setInterval(() => void storePending(), storeEveryMs);
  return {
    count: (change) => {
      // An idle hour is not the hour of the change.
      if (!hasChanged) pending = noActivity(now());
      pending = sumOfActivity(pending, { ...noActivity(now()), ...change });
      hasChanged = true;
    },
    lastDay: () => sumOfActivity(activity.lastDay(now()), pending),
    stop: async () => {
      clearInterval(timer);
      await storePending();
    },
  };
}

const tokenCharsMin = 16;
const tokenForm = /^[\x21-\x7e]+$/;

interface ServerMetricsSources {
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

const metricsPath = "/metrics";
const bearer = /^bearer +(\S+) *$/i;

/** Handler of a port that serves nothing else. */
export function createMetricsHandler(metrics: Metrics): HttpHandler {
  return {
    fetch: (request) =>
      isScrape(request)
        ? metricsAnswer(metrics)
        : Response.json({ errorMessage: `There is nothing here: GET ${metricsPath} is served.` }, { status: 404 }),
    server: null,
  };
}

/** Requests without the token get what `handler` answers to an unknown path. */
export function withMetrics(handler: HttpHandler, metrics: Metrics, token: string): HttpHandler {
  const expected = digestOf(token);
  const isAllowed = ({ headers }: Request) => {
    const given = bearer.exec(headers.get("authorization") ?? "")?.[1];
    return given !== undefined && timingSafeEqual(digestOf(given), expected);
  };
  return {
    fetch: (request) => (isScrape(request) && isAllowed(request) ? metricsAnswer(metrics) : handler.fetch(request)),
    set server(server: unknown) {
      handler.server = server;
    },
  };
}

export async function metricsAnswer(metrics: Metrics): Promise<Response> {
  const headers = { "cache-control": "no-store", "content-type": metrics.contentType, "x-content-type-options": "nosniff" };
  return new Response(await metrics.text(), { headers });
}

function isScrape(request: Request): boolean {
  return pathOf(request) === metricsPath && (request.method === "GET" || request.method === "HEAD");
}

/** Digests have one length, as the comparison in constant time needs. */
function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
