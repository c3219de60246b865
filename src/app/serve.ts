/** Wiring of `assay serve`: the order in which parts start, and their end in reverse. */
import { createApi } from "../api/app.ts";
import { isCompiled, version } from "../base/build.ts";
import { aborted, systemClock } from "../base/clock.ts";
import { createLog, type Log } from "../base/log.ts";
import { openDocuments } from "../browser/documents.ts";
import { describeFault } from "../catalog/fault.ts";
import type { CancelAnyScan, CancelProof } from "../evidence/scan.ts";
import type { Fleet } from "../fleet/head/open-fleet.ts";
import type { Listening } from "../http/server.ts";
import { endpointText } from "../parse/address.ts";
import { createProofRunner } from "../prove/run-proof.ts";
import { type Dispatcher, startDispatcher } from "../scan/dispatcher.ts";
import { noRemoteLocations } from "../scan/gatherer.ts";
import type { AskedLines } from "../scan/predict.ts";
import { createProgress, type ProgressHub } from "../scan/progress.ts";
import type { Scanner } from "../scan/scanner.ts";
import { createStartLimits } from "../scans/start-limits.ts";
import type { LoadedConfig } from "../settings/config.ts";
import { loadDataFiles } from "../settings/files.ts";
import type { Config } from "../settings/settings.ts";
import { accountActor, serverActor } from "../store/audit.ts";
import { lockDataDir } from "../store/lock.ts";
import type { Store } from "../store/store.ts";
import { createPages } from "../web/app.ts";
import { createConfiguredAdmin, firstSteps, openConfiguredAccounts } from "./accounts.ts";
import { startScheduledBackups } from "./backups.ts";
import { natsEndpoints, openConfiguredFleet, waitMaxMsOf } from "./fleet.ts";
import { observeServer } from "./observation.ts";
import { createOperator, settingsAtStart } from "./operator.ts";
import { createPolicyRetries } from "./policy-retries.ts";
import {
  browserFault,
  caPems,
  egressSettings,
  keepBrowserAvailable,
  loadConfiguredCatalog,
  openConfiguredBrowsers,
  openConfiguredCatalog,
  openConfiguredScanner,
} from "./scanning.ts";
import { openServerStore, type ServerStore, startHousekeeping } from "./server-store.ts";
import { createReadiness, createStartup, listenAt, openServerSockets } from "./sockets.ts";
import { openWatchedSites } from "./watched-sites.ts";
import { webSettings } from "./web-settings.ts";

const drainMs = 7_000;

interface ServerOptions {
  /** Ends the server. Running scans get `drainMs`; the next start continues the rest. */
  readonly stop: AbortSignal;
  /** Called once with the address and, without accounts, with the instructions for the first one. */
  readonly announce: (text: string) => void;
  /** Called once with the function that reloads the checks. */
  readonly onReloadable: (reload: () => void) => void;
}

/** Resolves when the server has stopped. @throws ConfigError, DataDirError or CatalogError if it cannot start. */
export async function runServer(loaded: LoadedConfig, options: ServerOptions): Promise<void> {
  const { config } = loaded;
  const log = createLog({ level: config["log.level"], format: config["log.format"] });
  const lock = lockDataDir(config.data);
  try {
    const startup = createStartup(config);
    const main = listenAt({ ...config.listen, flag: "--listen" }, startup.handler, log);
    try {
      if (!lock.endedInOrder) log.info("answering probes until the store is checked", { address: main.hostname, port: main.port });
      const opened = await openServerStore(config, { lock, onCheck: startup.noteCheck, log, stop: options.stop });
      if (opened !== null) await serveOpened(loaded, opened, { ...options, main, log });
    } finally {
      await main.stop();
    }
  } finally {
    lock.release();
  }
}

type OpenedOptions = Pick<ServerParts, keyof ServerOptions | "main" | "log">;

async function serveOpened(loaded: LoadedConfig, opened: ServerStore, options: OpenedOptions): Promise<void> {
  const { config } = loaded;
  const { store } = opened;
  const { log } = options;
  const stopHousekeeping = startHousekeeping({ config, store, clock: systemClock, log });
  try {
    await store.audit.noteSettings(settingsAtStart(loaded), new Date());
    const fleet = await openConfiguredFleet(config, { store, log });
    try {
      await serveStore(loaded, { ...options, store, fleet });
    } finally {
      await fleet?.close();
    }
  } finally {
    await stopHousekeeping();
    await opened.close();
  }
}

interface ServerParts extends ServerOptions {
  /** The socket of API and pages. */
  readonly main: Listening;
  readonly store: Store;
  /** Null without workers on other machines. */
  readonly fleet: Fleet | null;
  readonly log: Log;
}

async function serveStore(loaded: LoadedConfig, { stop, announce, onReloadable, main, store, fleet, log }: ServerParts): Promise<void> {
  const { config } = loaded;
  const trustedPems = caPems(config);
  const data = loadDataFiles(config);
  const catalog = await loadConfiguredCatalog(config);
  for (const warning of catalog.warnings) log.warn(describeFault(warning));
  if (await createConfiguredAdmin(store, config, new Date())) log.info("first account created from admin.email");

  const locations = fleet ?? noRemoteLocations(new Date());
  const concurrency = config["scan.concurrency"];
  const progress = createProgress({ concurrency, capacityOf: locations.capacity, clock: systemClock, log });
  let dispatcher: Dispatcher | null = null;
  const dispatching = Promise.withResolvers<Dispatcher>();
  const wake = () => dispatcher?.wake();
  const ready = () => readiness().ready;
  const watched = openWatchedSites(config, { store, ready, locations, wake, texts: () => checks.current().texts, log });
  const observation = observeServer({ store, dataDir: config.data, fleet, onEnded: watched.scanEnded, log });
  const { metrics, activity } = observation;
  const browsers = openConfiguredBrowsers(config, log, observation.browserReplaced);
  const documents = openDocuments({ browsers, log });
  const needed = { browser: () => browserFault(browsers), disk: store.health.diskFault, store: store.health.storeFault };
  const readiness = createReadiness(needed, { fleet: () => fleet?.fault() ?? null }, log);
  const cancels = createCancels(store, dispatching.promise, log);
  let scanner: Scanner | null = null;
  const checks = openConfiguredCatalog(catalog, { config, log, onReplaced: (replaced) => scanner?.useCatalog(replaced) });
  const { services: sites, mails: mail } = watched;
  const { printPdf, decodeLogo } = documents;
  const shared = { store, now: systemClock.now, checks: checks.current, sites, mail, printPdf, decodeLogo, log };
  const queue = { ...queueParts(config, progress, wake), ...cancels };
  const scanning = { ready, progress, locations, ...queue, scoreOfLines: linesScorer(() => scanner) };
  const api = createApi({ ...shared, ...cancels, version, config, locations, scanning, ready: readiness });
  const accounts = await openConfiguredAccounts(config, shared);
  const backups = startScheduledBackups(loaded, log);
  const operator = createOperator(loaded, { store, checks, browsers, fleet: () => fleet, backups, activity, log });
  onReloadable(() => void operator.checks.reload(serverActor));
  const pages = createPages(webSettings(config, { ...shared, accounts, operator, scanning }));
  const listening = openServerSockets(config, { main, api, pages, metrics, log });
  const steps = await firstSteps(store, config, listening.port, new Date());
  announce([`assay listens on http://${endpointText(listening.hostname, listening.port)}`, ...steps, ...waysToStop()].join("\n"));

  const ownEndpoints = [...listening.endpoints, ...(await natsEndpoints(config["nats.url"]))];
  scanner = openConfiguredScanner(config, {
    egress: egressSettings(config, ownEndpoints),
    caPems: trustedPems,
    ...data,
    concurrency,
    catalog: checks.current().catalog,
    browsers,
    log,
    onCheckFault: metrics.scans.checkFailed,
    screenshots: true,
    remote: fleet,
  });
  const proving = openProving(config, { store, scanner, onEvents: watched.services.wakeDeliveries, log });
  const dispatched = { store, scanner, ...proving, concurrency, remote: fleet, waitMaxMs: waitMaxMsOf(config), progress };
  dispatcher = await startDispatcher({ ...dispatched, observer: observation.scans, clock: systemClock, log });
  dispatching.resolve(dispatcher);
  watched.start(ownEndpoints, metrics.deliveries);
  const stopKeepingBrowser = keepBrowserAvailable(scanner, browsers);

  await aborted(stop);
  log.info("stopping", { running: dispatcher.running(), drainMs });
  await Promise.all([listening.stop(), dispatcher.stop(drainMs), watched.stop(drainMs), backups.stop()]);
  stopKeepingBrowser();
  await activity.stop();
  accounts.oidc?.close();
  await scanner.close();
  await documents.close();
  await browsers.stop();
}

/** Hint for people who started it by hand: service managers have their own commands. */
function waysToStop(): readonly string[] {
  if (process.stderr.isTTY === true) return ["Ctrl+C stops it."];
  return isCompiled ? [] : [`"kill ${process.pid}" stops it.`];
}

function openProving(config: Config, sources: Omit<Parameters<typeof createPolicyRetries>[0], "scanner"> & { readonly scanner: Scanner }) {
  const { scanner, log } = sources;
  const headerCharsMax = config["scan.header_chars_max"];
  return { prove: createProofRunner({ scanner, headerCharsMax, clock: systemClock, log }), afterScan: createPolicyRetries(sources) };
}

/** What API and pages do with the queue. */
function queueParts(config: Config, progress: ProgressHub, wake: () => void) {
  const cancelled = (token: string) => progress.publish(token, { type: "cancelled" });
  return { wake, cancelled, limits: createStartLimits(config, systemClock.now) };
}

/** No lines have a score before the scanner has started. */
function linesScorer(scanner: () => Scanner | null) {
  return async (asked: AskedLines) => (await scanner()?.scoreOfLines(asked)) ?? null;
}

/** Requests may come before the dispatcher has started. */
function createCancels({ audit, scans }: Store, dispatching: Promise<Dispatcher>, log: Log) {
  const cancelProof: CancelProof = async (token) => (await dispatching).cancel(token);
  const cancelScan: CancelAnyScan = async (token, by) => {
    const outcome = await (await dispatching).cancel(token);
    const scan = scans.findByToken(token);
    if (outcome !== "cancelled" || scan === undefined) return outcome;
    log.info("scan cancelled", { token, by: by.id });
    const subject = { kind: "scan", id: scan.id } as const;
    await audit.note({ actor: accountActor(by), action: "scan.cancelled", subject, now: new Date() });
    return outcome;
  };
  return { cancelScan, cancelProof };
}
