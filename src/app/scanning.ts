/** Browser, checks and scanner of this process, built from the configuration. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../base/log.ts";
import { type BrowserHost, openBrowser } from "../browser/browser.ts";
import type { EgressSettings } from "../egress/settings.ts";
import { systemRoots } from "../probe/tls/system-roots.ts";
import { openScanner, type Scanner, type ScannerOptions } from "../scan/scanner.ts";
import { defaultDeadlines, type ScanDeadlines } from "../scan/task.ts";
import { ConfigError } from "./config.ts";
import { workerFile } from "./placement.ts";
import type { Config } from "./settings.ts";

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

function scanDeadlines(config: Config): ScanDeadlines {
  const scanMs = config["scan.timeout"] * 1000;
  const { navigationMs, probeMs } = defaultDeadlines;
  return { ...defaultDeadlines, scanMs, navigationMs: Math.min(navigationMs, scanMs), probeMs: Math.min(probeMs, scanMs) };
}

/** Certificates trusted besides the bundled roots, as PEM texts. @throws ConfigError for a file of `scan.ca_files` without certificate. */
export function caPems(config: Config): readonly string[] {
  const ofSystem = config["scan.system_roots"] ? systemRoots(process.env.SSL_CERT_FILE) : [];
  return [...ofSystem, ...config["scan.ca_files"].map(certificateFile)];
}

function certificateFile(file: string): string {
  const pem = readPem(file);
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new ConfigError(`scan.ca_files: ${file} holds no PEM certificate`);
  return pem;
}

function readPem(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`scan.ca_files: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** The folder may be missing unless `checks.dir` names it: a missing check changes every score. @throws ConfigError */
export function checksDirOf(config: Config): string {
  const named = config["checks.dir"];
  if (named !== null && !existsSync(named)) throw new ConfigError(`checks.dir: there is no folder ${named}`);
  return named ?? join(config.data, "checks");
}

/** Browser of the configuration, started on the first use. The log names the reason if it runs without sandbox. */
export function openConfiguredBrowser(config: Config, log: Log): BrowserHost {
  return openBrowser({
    path: config["browser.path"],
    dir: config["browser.dir"] ?? join(config.data, "browser"),
    sandbox: config["browser.sandbox"],
    onStart: ({ pid, version, unsandboxedBecause }) => {
      log.info("browser started", { pid, version });
      if (unsandboxedBecause !== null) log.warn("browser runs without sandbox", { because: unsandboxedBecause });
    },
  });
}

/** Scanner with the deadlines of the configuration; `options` names what differs between server, one-shot scan and self-test. */
export function openConfiguredScanner(
  config: Config,
  options: Omit<ScannerOptions, "deadlines" | "headerValueCharsMax" | "workerFile">,
): Scanner {
  return openScanner({ ...options, deadlines: scanDeadlines(config), headerValueCharsMax: config["scan.header_chars_max"], workerFile });
}
