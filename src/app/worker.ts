/** Wiring of `assay worker`: gatherer, connection to nats-server, health and metrics. No store, no catalog, no pages. */

import { Elysia } from "elysia";
import type { Readiness } from "../api/health.ts";
import { version } from "../base/build.ts";
import { aborted, systemClock } from "../base/clock.ts";
import { createLog, logWith } from "../base/log.ts";
import type { EgressSettings } from "../egress/settings.ts";
import { type ConnectionOptions, certificatesOf, connectNats, FleetError, userOfCredentials } from "../fleet/connection.ts";
import type { WorkerReach } from "../fleet/messages.ts";
import { inboxPrefixOf } from "../fleet/subjects.ts";
import { type FleetWorker, startFleetWorker } from "../fleet/worker/fleet-worker.ts";
import { addGauge, type Metrics, openMetrics } from "../metrics/metrics.ts";
import { createScanMetrics } from "../metrics/scan-metrics.ts";
import { endpointText, natsUrlText } from "../parse/address.ts";
import { ConfigError, type LoadedConfig } from "../settings/config.ts";
import { loadDataFiles } from "../settings/files.ts";
import type { Config } from "../settings/settings.ts";
import { natsEndpoints } from "./fleet.ts";
import { metricsAnswer } from "./observation.ts";
import {
  browserFault,
  caPems,
  egressSettings,
  keepBrowserAvailable,
  openConfiguredBrowsers,
  openConfiguredGatherer,
  scanDeadlines,
} from "./scanning.ts";
import { createReadiness, listenAt } from "./sockets.ts";

const drainMs = 7_000;
/** Names of nats-server may get other addresses. */
const lookupEveryMs = 60_000;

export interface WorkerOptions {
  /** Ends the worker. Running scans get `drainMs`; other workers get the rest. */
  readonly stop: AbortSignal;
  readonly announce: (text: string) => void;
}

/** Resolves when the worker has stopped. @throws ConfigError if it cannot start; BrowserError never: it tries again. */
export async function runWorker({ config }: LoadedConfig, { stop, announce }: WorkerOptions): Promise<void> {
  const { servers, location, credentialsFile } = workerSettings(config);
  const caFile = config["nats.ca_file"];
  const worker = await usable(() => userOfCredentials(credentialsFile));
  // Before anything is started; read again at each start of a connection.
  if (caFile !== null) await usable(() => certificatesOf(caFile));
  const log = logWith(createLog({ level: config["log.level"], format: config["log.format"] }), { worker });
  const slots = config["scan.concurrency"];
  const metrics = openMetrics({ version });
  const scans = createScanMetrics(metrics.registry, [{ location }]);
  const browsers = openConfiguredBrowsers(config, log, scans.browserReplaced);
  let running: FleetWorker | null = null;
  let connecting = "nats-server is not connected yet";

  const sources = {
    nats: () => (running === null ? connecting : running.natsFault()),
    head: () => (running === null ? null : running.headFault()),
    browser: () => browserFault(browsers),
  };
  const ready = createReadiness(sources, {}, log);
  addGauge(metrics.registry, "assay_worker_slots", "Scans that this worker runs at the same time.", () => slots);
  addGauge(metrics.registry, "assay_worker_busy_slots", "Scans that this worker holds.", () => running?.busy() ?? 0);
  addGauge(metrics.registry, "assay_worker_ready", "1 while this worker takes jobs, else 0.", () => (ready().ready ? 1 : 0));
  const listening = listenAt({ ...config["worker.listen"], flag: "--health" }, createWorkerHealth(ready, metrics), log);
  const endpoint = `http://${endpointText(listening.hostname, listening.port)}`;
  const endpoints = followEndpoints(config, { address: listening.hostname, port: listening.port });
  const gatherer = openConfiguredGatherer(config, { ...gatheringOf(config, endpoints.current), concurrency: slots, browsers, log });
  announce(`assay worker ${worker} of the location ${location}: health and metrics on ${endpoint}`);
  const stopKeepingBrowser = keepBrowserAvailable(gatherer, browsers, () => running?.refresh());

  try {
    const connection = await connected({
      servers: servers.map(natsUrlText),
      credentialsFile,
      caFile,
      name: `assay worker ${location}`,
      inboxPrefix: inboxPrefixOf(worker),
      log,
      signal: stop,
      onFailure: (because) => {
        connecting = `nats-server is not connected yet: ${because}`;
      },
    });
    if (connection !== null) {
      running = startFleetWorker({
        connection,
        address: { location, worker },
        slots,
        version,
        reach: reachOf(config),
        deadlines: scanDeadlines(config),
        gatherer,
        browserFault: () => browserFault(browsers),
        timeScan: scans.begin,
        onEnd: (outcome) => scans.ended(outcome, { location }),
        ...{ clock: systemClock, log },
      });
      await aborted(stop);
      log.info("stopping", { running: running.busy(), drainMs });
      await running.stop(drainMs);
      await connection.close();
    }
  } finally {
    endpoints.stop();
    stopKeepingBrowser();
    await listening.stop();
    await gatherer.close();
    await browsers.stop();
  }
}

/** @throws ConfigError for the first setting without which a worker cannot start. */
function workerSettings(config: Config) {
  const { "nats.url": servers, "fleet.location": location, "nats.credentials_file": credentialsFile } = config;
  if (servers.length === 0)
    throw new ConfigError("nats.url is not set: a worker needs the address of nats-server, as in --nats tls://nats.example.com");
  if (location === null)
    throw new ConfigError("fleet.location is not set: a worker needs the location that it was enrolled for, as in --location berlin");
  if (credentialsFile === null)
    throw new ConfigError(
      "nats.credentials_file is not set: a worker needs the file with its seed, as in --nats-credentials berlin.nk; assay fleet enrol on the server makes it",
    );
  return { servers, location, credentialsFile };
}

/** Addresses that the worker may scan. Public ones need no setting, so an allowed range is always a private one. */
function reachOf({ profile, "scan.allow_cidrs": ranges }: Config): WorkerReach {
  return profile === "internal" || ranges.length > 0 ? "private" : "public";
}

/** Null if the worker is stopped before it is connected. @throws ConfigError */
function connected(options: Omit<ConnectionOptions, "clock">) {
  return usable(() => connectNats({ ...options, clock: systemClock })).catch((error: unknown) => {
    if (options.signal.aborted) return null;
    throw error;
  });
}

/** Errors of the fleet become a `ConfigError`. */
async function usable<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof FleetError ? new ConfigError(error.message) : error;
  }
}

/** Gathers as the server does. The addresses closed to scans include nats-server, and follow its changes. */
function gatheringOf(config: Config, ownEndpoints: () => EgressSettings["ownEndpoints"]) {
  const settings = egressSettings(config, []);
  return {
    egress: {
      ...settings,
      get ownEndpoints() {
        return ownEndpoints();
      },
    },
    caPems: caPems(config),
    ...loadDataFiles(config),
  };
}

function followEndpoints(config: Config, own: EgressSettings["ownEndpoints"][number]) {
  let current: EgressSettings["ownEndpoints"] = [own];
  const update = async () => {
    const found = await natsEndpoints(config["nats.url"]);
    // Without an answer of the resolver, the earlier addresses stay closed.
    if (found.length > 0) current = [own, ...found];
  };
  void update();
  const timer = setInterval(() => void update(), lookupEveryMs);
  return { current: () => current, stop: () => clearInterval(timer) };
}

const headers = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};

const nothingHere = { errorMessage: "There is nothing here: /healthz, /readyz and /metrics are served." };

/** Answers with the same bodies as the probes of the server. */
function createWorkerHealth(ready: () => Readiness, metrics: Metrics) {
  return new Elysia({ name: "worker-health", strictPath: true, normalize: false, handler: { standardHostname: false } })
    .onError(({ code }) => (code === "NOT_FOUND" ? json(404, nothingHere) : undefined))
    .get("/healthz", () => json(200, { status: "ok" }))
    .get("/readyz", () => {
      const readiness = ready();
      if (readiness.ready) return json(200, { status: "ok" });
      const { reasons } = readiness;
      return json(503, { errorMessage: `Not ready: ${reasons.map(({ because }) => because).join("; ")}.`, reasons });
    })
    .get("/metrics", () => metricsAnswer(metrics));
}

function json(status: number, body: object): Response {
  return Response.json(body, { status, headers });
}
