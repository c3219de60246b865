/** Looks at what a scan needs, part by part: data directory, port, checks, DNS and browser. */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { openBrowserOf } from "../app/browser.ts";
import { workerFile } from "../app/placement.ts";
import { egressSettings, scanDeadlines } from "../app/scan-settings.ts";
import type { Config } from "../app/settings.ts";
import { createLog, messageOf } from "../base/log.ts";
import type { BrowserHost } from "../browser/browser.ts";
import { type Catalog, CatalogError, loadCatalog } from "../catalog/load.ts";
import { checksDirOf } from "../cli/checks.ts";
import { VerbError } from "../cli/exit.ts";
import { parseDnsServer } from "../egress/dns-client.ts";
import { lookupAddresses } from "../egress/lookup.ts";
import { openScanner } from "../scan/scanner.ts";
import type { ScanOutcome } from "../scan/task.ts";
import { DataDirError } from "../store/data-dir.ts";
import { lockDataDir } from "../store/lock.ts";
import { openStore } from "../store/store.ts";
import type { Finding } from "./background-run.ts";

/** Reserved by RFC 2606 and served by IANA: it resolves wherever public names do. */
const nameToResolve = "example.com";
const lookupMs = 10_000;

/** What a server that examines itself has at hand already. */
export interface RunningServer {
  readonly accounts: () => number;
  readonly catalog: Catalog;
  readonly browser: BrowserHost;
}

/** Seen from outside, by a process of its own. Nothing is changed. */
export async function examine(config: Config): Promise<readonly Finding[]> {
  const { finding, usable } = await checks(config);
  const findings = [await dataDirectory(config), port(config), finding, await dns(config)];
  const browser = openBrowserOf(config, quietLog());
  try {
    return [...findings, await scanOwnPage(config, browser, usable)];
  } finally {
    await browser.stop();
  }
}

/** Seen from inside, with the browser that does the scans. */
export async function examineRunning(config: Config, { accounts, catalog, browser }: RunningServer): Promise<readonly Finding[]> {
  const { data } = config;
  return [
    mayWrite(data)
      ? { what: "data directory", state: "ok", detail: `${data} can be written; accounts: ${accounts()}; server: running` }
      : { what: "data directory", state: "failed", detail: `${data} cannot be written by this user` },
    { what: "checks", state: "ok", detail: checksWords(catalog) },
    await dns(config),
    await scanOwnPage(config, browser, true),
  ];
}

/** Nothing is made where nothing is: a directory that root made here would be shut to the server. */
async function dataDirectory({ data }: Config): Promise<Finding> {
  const what = "data directory";
  if (!existsSync(join(data, "store"))) {
    const parent = nearestExisting(data);
    return mayWrite(parent)
      ? { what, state: "ok", detail: `${data} has no store yet; the first start makes it` }
      : { what, state: "failed", detail: `${data} has no store yet, and ${parent} is no folder in which this user can make one` };
  }
  try {
    const store = openStore(data);
    const accounts = store.accounts.list().length;
    await store.close();
    return {
      what,
      state: "ok",
      detail: `${data} can be written; accounts: ${accounts}; server: ${serverRuns(data) ? "running" : "not running"}`,
    };
  } catch (error) {
    return { what, state: "failed", detail: messageOf(error) };
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

function mayWrite(dir: string): boolean {
  try {
    // With the slash, a file in the place of the folder is refused as well.
    accessSync(`${dir}/`, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function serverRuns(data: string): boolean {
  try {
    lockDataDir(data).release();
    return false;
  } catch (error) {
    return error instanceof DataDirError && error.fault === "locked";
  }
}

function port({ listen: { address, port }, data }: Config): Finding {
  const what = "port";
  try {
    Bun.serve({ hostname: address, port, fetch: () => new Response() }).stop(true);
    return { what, state: "ok", detail: `${address} port ${port} is free` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const ours = code === "EADDRINUSE" && existsSync(data) && serverRuns(data);
    return ours
      ? { what, state: "ok", detail: `${address} port ${port} is taken, and the server of this data directory runs` }
      : { what, state: "failed", detail: `${address} port ${port} cannot be had (${code}); listen names another` };
  }
}

/** `usable`: whether the checks beside the binary can be loaded; a scan would end at those that cannot. */
async function checks(config: Config): Promise<{ readonly finding: Finding; readonly usable: boolean }> {
  try {
    const catalog = await loadCatalog({ checksDir: checksDirOf(config) });
    return { finding: { what: "checks", state: "ok", detail: checksWords(catalog) }, usable: true };
  } catch (error) {
    if (!(error instanceof CatalogError || error instanceof VerbError)) throw error;
    return { finding: { what: "checks", state: "failed", detail: error.message }, usable: false };
  }
}

function checksWords({ checks, droppedIn }: Catalog): string {
  const own = Object.keys(droppedIn).length;
  return `${checks.length - own} built in; beside the binary: ${own}`;
}

async function dns(config: Config): Promise<Finding> {
  const servers = config["dns.servers"];
  const asked = servers.length === 0 ? "the system's resolver" : servers.join(", ");
  try {
    const addresses = await lookupAddresses(nameToResolve, servers.map(parseDnsServer), AbortSignal.timeout(lookupMs));
    return { what: "dns", state: "ok", detail: `${asked} knows ${addresses.length} addresses of ${nameToResolve}` };
  } catch (error) {
    return {
      what: "dns",
      state: "failed",
      detail: `${asked}: ${messageOf(error)}; to scan public names, name resolvers that know them in dns.servers`,
    };
  }
}

/** A whole scan of a page on this machine: worker, egress guard, browser and checks. */
async function scanOwnPage(config: Config, browser: BrowserHost, withOwnChecks: boolean): Promise<Finding> {
  const what = "browser";
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<!doctype html><title>assay doctor</title>", { headers: { "content-type": "text/html" } }),
  });
  try {
    await browser.endpoint();
    const outcome = await scanPort(Number(site.port), config, browser, withOwnChecks ? checksDirOf(config) : null);
    if (outcome.status === "failed") return { what, state: "failed", detail: `a page of its own could not be scanned (${outcome.code})` };
    return { what, state: "ok", detail: `scanned a page of its own in ${outcome.timings.total} ms; sandbox: ${sandboxWords(browser)}` };
  } catch (error) {
    return { what, state: "failed", detail: messageOf(error) };
  } finally {
    site.stop(true);
  }
}

async function scanPort(port: number, config: Config, browser: BrowserHost, checksDir: string | null): Promise<ScanOutcome> {
  const scanner = openScanner({
    egress: { ...egressSettings(config, []), allowCidrs: ["127.0.0.1"], allowPorts: [port] },
    caPems: [],
    deadlines: scanDeadlines(config),
    concurrency: 1,
    checksDir,
    browser,
    workerFile,
    log: quietLog(),
  });
  try {
    return await scanner.scanUrl(`http://127.0.0.1:${port}/`, () => {});
  } finally {
    await scanner.close();
  }
}

function sandboxWords(browser: BrowserHost): string {
  const because = browser.state()?.unsandboxedBecause ?? null;
  return because === null ? "on" : `off, because ${because}`;
}

function quietLog() {
  return createLog({ level: "error", format: "text" });
}
