/** Browser, checks and scanner of this process, built from the configuration, for a server or for one command. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { machineMemoryBytes } from "../base/machine-memory.ts";
import { type Browsers, openBrowsers } from "../browser/browser.ts";
import { builtInCatalog, type Catalog } from "../catalog/catalog.ts";
import { type CatalogHolder, createCatalogHolder, type ReloadResult } from "../catalog/catalog-holder.ts";
import { describeFaults, faultOfFile } from "../catalog/fault.ts";
import { type CatalogOptions, loadCatalog, loadCatalogSafely } from "../catalog/load.ts";
import type { EgressSettings } from "../egress/settings.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import { systemRoots } from "../probe/tls/trust.ts";
import { draftOfScan } from "../prove/scan-draft.ts";
import { type LocalGatherer, type LocalGathererOptions, openLocalGatherer } from "../scan/gatherer.ts";
import { performJudge } from "../scan/judge-task.ts";
import { openJudging, storedResult } from "../scan/judging.ts";
import { openScanner, type Scanner, type ScannerOptions } from "../scan/scanner.ts";
import { defaultDeadlines, type ScanDeadlines } from "../scan/task.ts";
import { ConfigError } from "../settings/config.ts";
import { certificatePem, loadDataFiles } from "../settings/files.ts";
import { memoryNeeded } from "../settings/scans.ts";
import type { Config } from "../settings/settings.ts";
import { createTexts } from "../text/i18n.ts";
import { workerFiles } from "./placement.ts";

const mebibyte = 1024 ** 2;

/** Targets that scans may reach. `ownEndpoints` are the addresses on which this server listens: the SSRF guard blocks them. */
export function egressSettings(config: Config, ownEndpoints: EgressSettings["ownEndpoints"]): EgressSettings {
  const ports = config["scan.allow_ports"];
  const anyPort = config.profile === "internal" || ports.includes("any");
  return {
    profile: config.profile,
    allowCidrs: config["scan.allow_cidrs"],
    denyCidrs: config["scan.deny_cidrs"],
    allowPorts: anyPort ? "any" : ports.filter((port) => port !== "any"),
    connectTo: config["scan.connect_to"],
    dnsServers: config["dns.servers"],
    ownEndpoints,
  };
}

export function scanDeadlines(config: Config): ScanDeadlines {
  const scanMs = config["scan.timeout"] * 1000;
  const { navigationMs, probeMs } = defaultDeadlines;
  return { ...defaultDeadlines, scanMs, navigationMs: Math.min(navigationMs, scanMs), probeMs: Math.min(probeMs, scanMs) };
}

/** Certificates trusted besides the bundled roots, as PEM texts. @throws ConfigError for a file of `scan.ca_files` without certificate. */
export function caPems(config: Config): readonly string[] {
  const ofSystem = config["scan.system_roots"] ? systemRoots(process.env.SSL_CERT_FILE) : [];
  return [...ofSystem, ...config["scan.ca_files"].map((file) => certificatePem("scan.ca_files", file))];
}

/** Browsers of the configuration, each started on its first use. */
export function openConfiguredBrowsers(config: Config, log: Log, onReplaced: () => void = () => {}): Browsers {
  const machineMegabytes = machineMemoryBytes() / mebibyte;
  const neededMegabytes = memoryNeeded(config["scan.concurrency"], config["browser.memory_max"]);
  if (neededMegabytes > machineMegabytes)
    log.warn("the browsers may use more memory than this machine or container has; lower scan.concurrency or browser.memory_max", {
      machineMegabytes: Math.floor(machineMegabytes),
      neededMegabytes,
    });
  return openBrowsers({
    path: config["browser.path"],
    dir: config["browser.dir"] ?? join(config.data, "browser"),
    sandbox: config["browser.sandbox"],
    limits: {
      childBytesMax: config["browser.child_memory_max"] * mebibyte,
      browserBytesMax: config["browser.memory_max"] * mebibyte,
    },
    onReplaced,
    log,
  });
}

/** Scanner with the deadlines of the configuration; `options` names what differs between server, one-shot scan and self-test. */
export function openConfiguredScanner(
  config: Config,
  options: Omit<ScannerOptions, "clock" | "deadlines" | "headerValueCharsMax" | "workerFiles">,
): Scanner {
  const settings = { deadlines: scanDeadlines(config), headerValueCharsMax: config["scan.header_chars_max"] };
  return openScanner({ ...options, ...settings, clock: systemClock, workerFiles });
}

/** Gatherer of a worker, which judges nothing. The head's jobs name terms of their own, within these deadlines. */
export function openConfiguredGatherer(
  config: Config,
  options: Omit<LocalGathererOptions, "clock" | "deadlines" | "headerValueCharsMax" | "workerFile">,
): LocalGatherer {
  return openLocalGatherer({ ...options, clock: systemClock, deadlines: scanDeadlines(config), workerFile: workerFiles.gather });
}

export function catalogOptions(config: Config): Omit<CatalogOptions, "unknownKeys"> {
  const named = config["checks.dir"];
  return { checksDir: named ?? join(config.data, "checks"), pinsFile: config["checks.require_sha256"], workerFile: workerFiles.catalog };
}

/** The folder may be missing unless `checks.dir` names it: a missing check changes every score. */
function isFolderMissing(config: Config): boolean {
  const named = config["checks.dir"];
  return named !== null && !existsSync(named);
}

/** Loads the catalog at a start: unknown keys are warnings. @throws ConfigError, or CatalogError with every fault. */
export async function loadConfiguredCatalog(config: Config): Promise<Catalog> {
  if (isFolderMissing(config)) throw new ConfigError(`checks.dir: there is no folder ${config["checks.dir"]}`);
  return loadCatalog({ ...catalogOptions(config), unknownKeys: "warn" });
}

/** The catalog of a server, with the log lines of its reloads. `onReplaced` gets each new catalog. */
export function openConfiguredCatalog(
  first: Catalog,
  { config, log, onReplaced }: { readonly config: Config; readonly log: Log; readonly onReplaced: (catalog: Catalog) => void },
): CatalogHolder {
  return createCatalogHolder(first, {
    load: async () => {
      const options = catalogOptions(config);
      if (isFolderMissing(config)) return { catalog: null, faults: [faultOfFile(options.checksDir ?? "", "there is no such folder")] };
      return loadCatalogSafely({ ...options, unknownKeys: "refuse" });
    },
    onReload: (result, catalog) => {
      logReload(result, log);
      if (result.outcome === "replaced") onReplaced(catalog);
    },
    now: () => new Date(),
  });
}

function logReload(result: ReloadResult, log: Log): void {
  if (result.outcome === "refused") {
    for (const fault of describeFaults(result.faults)) log.error(fault);
    log.error("checks not reloaded: nothing changed", { faults: result.faults.length });
    return;
  }
  log.info("checks reloaded", { catalogVersion: result.version, ...changesOf(result) });
}

/** Keys of checks that a reload added, removed and changed, as text. */
export function changesOf({ added, removed, changed }: Extract<ReloadResult, { readonly outcome: "replaced" }>) {
  return { added: added.join(" "), removed: removed.join(" "), changed: changed.join(" ") };
}

interface OneShotOptions {
  /** By default the catalog of the configuration. */
  readonly catalog?: Catalog | null;
  /** Null or absent for pages without sign-in. */
  readonly credentialsFor?: ScannerOptions["credentialsFor"] | null;
}

/** @throws ConfigError or CatalogError before anything is started. */
export async function openOneShotScanner(
  config: Config,
  concurrency: number,
  log: Log,
  { catalog: given = null, credentialsFor = null }: OneShotOptions = {},
) {
  const settings = { egress: egressSettings(config, []), caPems: caPems(config), ...loadDataFiles(config) };
  const catalog = given ?? (await loadConfiguredCatalog(config));
  const browsers = openConfiguredBrowsers(config, log);
  const ofScans = credentialsFor === null ? {} : { credentialsFor };
  const scanner = openConfiguredScanner(config, { ...settings, concurrency, catalog, browsers, log, ...ofScans });
  return {
    ...scanner,
    checks: catalog.checks,
    texts: createTexts(catalog.texts, catalog.checks),
    close: async (): Promise<void> => {
      await scanner.close();
      await browsers.stop();
    },
  };
}

interface JudgeOnceOptions {
  readonly catalog: Catalog;
  readonly log: Log;
  /** A check that threw or returned no verdict; its row is `notChecked`. */
  readonly onCheckFault: (key: string, fault: string) => void;
}

/** Returns an error code if the thread could not judge. */
export async function judgeOnce(
  evidence: Evidence,
  { catalog, log, onCheckFault }: JudgeOnceOptions,
): Promise<StoredResult | ScanErrorCode> {
  if (catalog.snapshot === null) {
    const judged = performJudge({ evidence, hung: [] }, builtInCatalog(), () => {}, draftOfScan);
    for (const { key, fault } of judged.faults) onCheckFault(key, fault);
    return storedResult(judged);
  }
  const judging = openJudging(
    {
      workerFile: workerFiles.judge,
      threads: 1,
      deadlineMs: defaultDeadlines.judgeMs,
      onIdleFault: (fault) => log.error("idle worker broke", { fault }),
      onCheckFault,
      clock: systemClock,
      log,
    },
    catalog,
  );
  try {
    return await judging.withCurrent((judge) => judge({ fields: { url: evidence.subject.url }, evidence }));
  } finally {
    await judging.close();
  }
}

/** A browser may not start because disk or memory are full, which can pass. */
const browserRetryMs = 30_000;

/** `onTried` is called after each attempt. Returns the function that stops further ones. */
export function keepBrowserAvailable(
  starter: Pick<LocalGatherer, "startBrowser">,
  browsers: Pick<Browsers, "fault" | "state">,
  onTried: () => void = () => {},
): () => void {
  const start = () => void starter.startBrowser().then(onTried);
  start();
  const timer = setInterval(() => {
    if (browserFault(browsers) !== null) start();
  }, browserRetryMs);
  return () => clearInterval(timer);
}

/** Clause for readiness; null while the browser works. */
export function browserFault(browsers: Pick<Browsers, "fault" | "state">): string | null {
  if (browsers.fault() !== null) return "the browser does not start";
  return browsers.state() === null ? "the browser is starting" : null;
}
