/** Settings that decide how and where scans run: limits, targets, resolvers, checks, browser, fleet. */
import { availableParallelism } from "node:os";
import { Type } from "@sinclair/typebox";
import { machineMemoryBytes } from "../base/machine-memory.ts";
import { headerValueCharsMax, headerValueCharsMaxHighest, scanSecondsDefault } from "../evidence/limits.ts";
import { connectToText, natsUrlText, parseConnectTo, parseNatsUrl, parseResolver } from "../parse/address.ts";
import { localLocation, parseLocation } from "../parse/location.ts";
import { addressRanges, choice, endpoint, file, integer, optional, parsed, path, setting, yesNo } from "./setting.ts";

const scanConcurrencyDefaultMax = 4;
const machineMiB = Math.floor(machineMemoryBytes() / 1024 ** 2);

export const settingsOfScans = {
  "scan.cooldown": integer(0, 3_600, {
    doc: "Seconds in which the form answers a second request for the same URL with the scan of the first; 0 switches this off.",
    fallback: 60,
    unit: "seconds",
  }),
  "scan.concurrency": integer(1, 64, {
    doc: "Scans that run at the same time, each with a browser of its own.",
    fallback: defaultConcurrency,
    defaultDoc: "two for each core, at most 4, fewer with little memory",
    flag: "--concurrency <n>",
  }),
  "scan.queue_max": integer(1, 1_000_000, {
    doc: "Scans that may wait; beyond that a new one gets 503. Guests and the plan Free may use half of it.",
    fallback: 1_000,
  }),
  "scan.timeout": integer(5, 600, {
    doc: "Seconds until a scan is ended as failed.",
    fallback: scanSecondsDefault,
    flag: "--timeout <seconds>",
    unit: "seconds",
  }),
  "scan.header_chars_max": integer(headerValueCharsMax, headerValueCharsMaxHighest, {
    doc: "Characters read of a response header; checks whose header is longer are not carried out.",
    fallback: headerValueCharsMax,
    flag: "--header-chars-max <n>",
  }),
  "scan.allow_cidrs": addressRanges({
    doc: "Address ranges allowed in addition to the profile.",
    example: "192.168.0.0/16",
    flag: "--allow-cidr <cidr...>",
  }),
  "scan.deny_cidrs": addressRanges({
    doc: "Address ranges blocked in addition to the profile; overrides scan.allow_cidrs.",
    example: "203.0.113.0/24",
    flag: "--deny-cidr <cidr...>",
  }),
  "scan.allow_ports": setting(Type.Array(Type.Union([Type.Literal("any"), Type.Integer({ minimum: 1, maximum: 65_535 })])), {
    doc: "Ports allowed besides 80 and 443; profile internal allows all.",
    allowed: 'a list of ports from 1 to 65535, or "any"',
    flag: "--allow-port <port...>",
  }),
  "scan.connect_to": setting(Type.Array(parsed(parseConnectTo, connectToText)), {
    doc: "Names dialled at a fixed address, for sites that the resolver does not know.",
    allowed: "a list of host:port=address:port, as in site.test:443=127.0.0.1:8443",
    flag: "--connect-to <host:port=address:port...>",
  }),
  "scan.ca_files": setting(Type.Array(path), {
    doc: "Certificates (PEM) trusted besides the bundled roots.",
    allowed: "a list of files",
    flag: "--ca-file <file...>",
    isPath: true,
  }),
  "scan.system_roots": yesNo({
    doc: "Whether the roots that this machine trusts are trusted besides the bundled ones (SSL_CERT_FILE or its usual file).",
    fallback: true,
    flag: "--system-roots <true|false>",
  }),
  "dns.servers": setting(Type.Array(parsed(parseResolver)), {
    doc: "Resolvers asked instead of the system's.",
    allowed: "a list of address or address:port, as in 9.9.9.9",
    defaultDoc: "the system's",
    flag: "--dns <address[:port]...>",
  }),
  "hsts.preload_file": file({
    doc: "HSTS preload list that replaces the embedded one. Its date is the one in the file name, as in 2026-06-01, else that of its last change.",
    allowed: "a file with lines of a name, a tab, and 1 where subdomains are covered, else 0; plain or gzip",
    defaultDoc: "the embedded one",
    flag: "--hsts-preload-file <file>",
  }),
  "public_suffixes.file": file({
    doc: "Public suffix list that replaces the embedded one. Its date is that of its VERSION line, else the one in the file name, else that of its last change.",
    allowed: "a file in the format of public_suffix_list.dat of publicsuffix.org; plain or gzip",
    defaultDoc: "the embedded one",
    flag: "--public-suffixes-file <file>",
  }),
  "scripts.advisories_file": file({
    doc: "Advisories for script libraries that replace the embedded ones. Their date is the one in the file name, as in 2026-08-22, else that of its last change.",
    allowed: "a JSON file with version ranges by library",
    defaultDoc: "the embedded ones",
    flag: "--script-advisories-file <file>",
  }),
  "checks.dir": file({
    doc: "Folder of checks of your own; <data>/checks when not set.",
    allowed: "a folder",
    defaultDoc: "<data>/checks",
    flag: "--checks-dir <dir>",
  }),
  "checks.require_sha256": file({
    doc: "List of hashes of the files in checks.dir, as sha256sum prints it; other files are refused.",
    allowed: "a file with the output of sha256sum",
  }),
  "browser.path": file({
    doc: "Chromium to use instead of the embedded one.",
    allowed: "an executable file",
    defaultDoc: "the embedded one",
    flag: "--browser-path <file>",
  }),
  "browser.sandbox": choice(["auto", "on", "off"], {
    doc: "Chromium's sandbox: auto uses it wherever the system allows.",
    fallback: "auto",
    flag: "--browser-sandbox",
  }),
  "browser.dir": file({
    doc: "Folder the embedded browser is unpacked into; <data>/browser when not set.",
    allowed: "a folder on a file system that allows programs to run",
    defaultDoc: "<data>/browser",
  }),
  "browser.memory_max": integer(256, 65_536, {
    doc: "Megabytes (MiB) that all processes of one browser may use; beyond that it is ended.",
    fallback: (_env, { "scan.concurrency": slots = 1 }) => browserMemoryMax(machineMiB, slots),
    defaultDoc: "the memory of the machine or container less 400, divided by scan.concurrency; at most 2048",
  }),
  "browser.child_memory_max": integer(128, 65_536, {
    doc: "Megabytes (MiB) that one process of a browser may use, such as that of a page; beyond that it is ended.",
    fallback: (_env, { "browser.memory_max": browserMiB = 0 }) => childMemoryMax(browserMiB),
    defaultDoc: "three quarters of browser.memory_max; at most 1024",
  }),
} as const;

/** Two scans per core, because a scan mostly waits for the page. */
function defaultConcurrency(): number {
  return Math.min(scanConcurrencyDefaultMax, 2 * availableParallelism(), slotsThatFit(machineMiB));
}

/** The program itself, with the threads of its slots. */
const programMiB = 400;
/** Less than this breaks ordinary pages. */
const slotMiBMin = 600;
/** More than this is never needed by an ordinary page. */
const browserMiBMax = 2_048;
const browserMiBMin = 384;
const childMiBMax = 1_024;
/** The rest of a browser's memory is for its other processes. */
const childShare = 0.75;

/** Slots whose browsers fit into the memory; at least one. */
export function slotsThatFit(machineMiB: number): number {
  return Math.max(1, Math.floor((machineMiB - programMiB) / slotMiBMin));
}

/** All processes of one browser. */
export function browserMemoryMax(machineMiB: number, slots: number): number {
  return clamp(Math.floor((machineMiB - programMiB) / slots), browserMiBMin, browserMiBMax);
}

/** One process of a browser. */
export function childMemoryMax(browserMiB: number): number {
  return Math.min(childMiBMax, Math.floor(browserMiB * childShare));
}

/** For the program and all browsers at their limits. */
export function memoryNeeded(slots: number, browserMiB: number): number {
  return programMiB + slots * browserMiB;
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}

export const settingsOfFleet = {
  readers: choice(["everybody", "accounts"], {
    doc: "Who may read the pages of scans: everybody, or accounts that are signed in. With accounts, guests start no scans, whatever guest.scans says.",
    fallback: "everybody",
  }),
  "nats.url": setting(Type.Array(parsed(parseNatsUrl, natsUrlText)), {
    doc: "Servers of NATS JetStream that workers of other machines connect to. Without one, all scans run in this process.",
    allowed: "a list of tls://host:port; nats:// only with a loopback address",
    defaultDoc: "none",
    flag: "--nats <url...>",
  }),
  "nats.credentials_file": file({
    doc: "File with the nkey seed of this process, or with its JWT and seed (creds).",
    defaultDoc: "the server's own seed in <data>; a worker has no default",
    flag: "--nats-credentials <file>",
  }),
  "nats.ca_file": file({
    doc: "Certificates (PEM) trusted for nats.url instead of the bundled roots.",
    defaultDoc: "the bundled roots",
    flag: "--nats-ca <file>",
  }),
  "fleet.location": setting(optional(parsed(parseRemoteLocation)), {
    doc: "Location of this worker, as it was enrolled.",
    allowed: "small letters, digits and hyphens, at most 32, as in berlin; not local",
    defaultDoc: "none; a worker needs one",
    flag: "--location <name>",
  }),
  "fleet.wait_max": integer(1, 720, {
    doc: "Hours that scans wait for a location without workers; then they fail.",
    fallback: 24,
    unit: "hours",
  }),
  "worker.listen": setting(endpoint, {
    doc: "Address and port of health and metrics of a worker. Port 0 takes a free one.",
    allowed: "address:port, as in 127.0.0.1:8788",
    fallback: "127.0.0.1:8788",
    flag: "--health <address:port>",
  }),
} as const;

function parseRemoteLocation(text: string): string | null {
  return text === localLocation ? null : parseLocation(text);
}
