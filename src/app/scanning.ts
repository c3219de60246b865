/** Browser, checks and scanner of this process, built from the configuration. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { machineMemoryBytes } from "../base/machine-memory.ts";
import { type Browsers, openBrowsers } from "../browser/browser.ts";
import type { EgressSettings } from "../egress/settings.ts";
import { systemRoots } from "../probe/tls/trust.ts";
import { type LocalGatherer, type LocalGathererOptions, openLocalGatherer } from "../scan/gatherer.ts";
import { openScanner, type Scanner, type ScannerOptions } from "../scan/scanner.ts";
import { defaultDeadlines, type ScanDeadlines } from "../scan/task.ts";
import { ConfigError } from "./config.ts";
import { workerFiles } from "./placement.ts";
import type { Config, SettingKey } from "./settings.ts";
import { memoryNeeded } from "./slot-memory.ts";

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

/** @throws ConfigError */
export function certificatePem(setting: SettingKey, file: string): string {
  const pem = readPem(setting, file);
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new ConfigError(`${setting}: ${file} holds no PEM certificate`);
  return pem;
}

function readPem(setting: SettingKey, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${setting}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
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
