/** From the operator's settings to what a scan is told. */
import { readFileSync } from "node:fs";
import { exitCodes, VerbError } from "../cli/exit.ts";
import type { EgressSettings } from "../egress/settings.ts";
import { systemRoots } from "../probe/tls/system-roots.ts";
import { defaultDeadlines, type ScanDeadlines } from "../scan/task.ts";
import type { Config } from "./settings.ts";

/** Where scans may go. The appliance's own doors are shut to them. */
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

/** No part of a scan may take longer than the whole. */
export function scanDeadlines(config: Config): ScanDeadlines {
  const scanMs = config["scan.timeout"] * 1000;
  const { navigationMs, probeMs } = defaultDeadlines;
  return { ...defaultDeadlines, scanMs, navigationMs: Math.min(navigationMs, scanMs), probeMs: Math.min(probeMs, scanMs) };
}

/** What is trusted besides the bundled roots, as PEM texts. @throws VerbError for a file of `scan.ca_files` that holds no certificate. */
export function caPems(config: Config): readonly string[] {
  const ofSystem = config["scan.system_roots"] ? systemRoots(process.env.SSL_CERT_FILE) : [];
  return [...ofSystem, ...config["scan.ca_files"].map(certificateFile)];
}

function certificateFile(file: string): string {
  const pem = readPem(file);
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new VerbError(exitCodes.usage, `scan.ca_files: ${file} holds no PEM certificate`);
  return pem;
}

function readPem(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new VerbError(exitCodes.usage, `scan.ca_files: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
