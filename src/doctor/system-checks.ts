/** System checks of the doctor: data directory, port, checks, DNS, nats-server and browser, which scans a page of this machine. */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { OidcExamination } from "../accounts/oidc/provider.ts";
import { messageOf } from "../base/log.ts";
import { tryOr } from "../base/try-or.ts";
import type { Browsers } from "../browser/browser.ts";
import { builtInCatalog, type Catalog } from "../catalog/catalog.ts";
import type { CatalogHolder, ReloadResult } from "../catalog/catalog-holder.ts";
import { describeFault, describeFaults } from "../catalog/fault.ts";
import { lookupAddresses, parseDnsServer } from "../egress/dns-client.ts";
import type { NatsExamination } from "../fleet/nats-maintenance.ts";
import type { Scanner } from "../scan/scanner.ts";
import type { Config } from "../settings/settings.ts";
import { DataDirError } from "../store/data-dir.ts";
import { lockDataDir } from "../store/lock.ts";
import { openStore } from "../store/store.ts";
import type { DoctorFinding } from "./background-run.ts";

/** Name that IANA reserves and serves (RFC 2606 section 3): it resolves wherever public names do. */
const nameToResolve = "example.com";
const lookupMs = 10_000;

export interface DoctorSettings {
  readonly config: Pick<Config, "data" | "listen" | "dns.servers">;
  /** @throws Error if the plugin folder or one of its checks cannot be used. */
  readonly loadCatalog: () => Promise<Catalog>;
  /** Null without `nats.url`. Never rejects. */
  readonly examineNats: (() => Promise<NatsExamination>) | null;
  /** Null without `oidc.issuer`. Never rejects. */
  readonly examineOidc: (() => Promise<OidcExamination>) | null;
  readonly openBrowsers: () => Browsers;
  /** Scanner that may reach only `port` of 127.0.0.1. */
  readonly openScanner: (browsers: Browsers, port: number, catalog: Catalog) => Scanner;
}

/** Parts of the server that the doctor reuses when it runs inside of it. */
export interface RunningServer {
  readonly accounts: () => number;
  readonly checks: Pick<CatalogHolder, "current" | "lastReload">;
  /** Clause; null while all is well, and without `nats.url`. */
  readonly fleetFault: () => string | null;
}

type What = DoctorFinding["what"];
const ok = (what: What, detail: string): DoctorFinding => ({ what, state: "ok", detail });
const failed = (what: What, detail: string): DoctorFinding => ({ what, state: "failed", detail });

/** Examines the machine from a separate process; changes nothing. */
export async function examineMachine(settings: DoctorSettings): Promise<readonly DoctorFinding[]> {
  const { finding, catalog } = await checks(settings);
  return [
    await dataDirectory(settings),
    port(settings),
    finding,
    await dns(settings),
    ...(await nats(settings, null)),
    ...(await oidc(settings)),
    await selfTest(settings, catalog),
  ];
}

/** Examines the machine from inside the server. */
export async function examineServer(
  settings: DoctorSettings,
  { accounts, checks, fleetFault }: RunningServer,
): Promise<readonly DoctorFinding[]> {
  const { data: dataDir } = settings.config;
  const { catalog } = checks.current();
  return [
    isWritable(dataDir)
      ? ok("data directory", `${dataDir} can be written; accounts: ${accounts()}; server: running`)
      : failed("data directory", `${dataDir} cannot be written by this user`),
    checksOfServer(catalog, checks.lastReload()),
    await dns(settings),
    ...(await nats(settings, fleetFault())),
    ...(await oidc(settings)),
    await selfTest(settings, catalog),
  ];
}

/** Creates nothing: a directory created by root would be closed to the server. */
async function dataDirectory({ config: { data } }: DoctorSettings): Promise<DoctorFinding> {
  const what = "data directory";
  if (!existsSync(join(data, "store"))) {
    const parent = nearestExisting(data);
    return isWritable(parent)
      ? ok(what, `${data} has no store yet; the first start creates it`)
      : failed(what, `${data} has no store yet, and ${parent} is not a folder in which this user can create one`);
  }
  try {
    const store = openStore(data);
    const accounts = store.accounts.list().length;
    await store.close();
    return ok(what, `${data} can be written; accounts: ${accounts}; server: ${serverRuns(data) ? "running" : "not running"}`);
  } catch (error) {
    return failed(what, messageOf(error));
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

function isWritable(dir: string): boolean {
  return tryOr(() => {
    // The trailing slash refuses a file of that name.
    accessSync(`${dir}/`, constants.W_OK | constants.X_OK);
    return true;
  }, false);
}

function serverRuns(data: string): boolean {
  try {
    lockDataDir(data).release();
    return false;
  } catch (error) {
    return error instanceof DataDirError && error.fault === "locked";
  }
}

function port({ config: { data, listen } }: DoctorSettings): DoctorFinding {
  const { address, port } = listen;
  try {
    Bun.serve({ hostname: address, port, fetch: () => new Response() }).stop(true);
    return ok("port", `${address} port ${port} is free`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const ours = code === "EADDRINUSE" && existsSync(data) && serverRuns(data);
    return ours
      ? ok("port", `${address} port ${port} is taken, and the server of this data directory runs`)
      : failed("port", `${address} port ${port} cannot be used (${code}); set listen to another`);
  }
}

/** If the catalog cannot be loaded, the self-test runs without plugins. */
async function checks({ loadCatalog }: DoctorSettings): Promise<{ readonly finding: DoctorFinding; readonly catalog: Catalog }> {
  try {
    const catalog = await loadCatalog();
    return { finding: ok("checks", describeCatalog(catalog)), catalog };
  } catch (error) {
    return { finding: failed("checks", messageOf(error)), catalog: builtInCatalog() };
  }
}

/** After a refused reload the server judges with older files than the folder has. */
function checksOfServer(catalog: Catalog, lastReload: ReloadResult | null): DoctorFinding {
  if (lastReload?.outcome !== "refused") return ok("checks", describeCatalog(catalog));
  const faults = describeFaults(lastReload.faults).join("; ");
  return failed("checks", `the reload at ${lastReload.at} changed nothing: ${faults}`);
}

function describeCatalog({ checks, pluginFiles, warnings }: Catalog): string {
  const plugins = Object.keys(pluginFiles).length;
  return [`${checks.length - plugins} built in`, `plugins: ${plugins}`, ...warnings.map(describeFault)].join("; ");
}

async function dns({ config }: DoctorSettings): Promise<DoctorFinding> {
  const servers = config["dns.servers"];
  const asked = servers.length === 0 ? "the system's resolver" : servers.join(", ");
  try {
    const addresses = await lookupAddresses(nameToResolve, servers.map(parseDnsServer), AbortSignal.timeout(lookupMs));
    return ok("dns", `${asked} knows ${addresses.length} addresses of ${nameToResolve}`);
  } catch (error) {
    return failed("dns", `${asked}: ${messageOf(error)}; to scan public names, set dns.servers to resolvers that know them`);
  }
}

/** A nats-server that works is not enough: another head may use it. */
async function nats({ examineNats }: DoctorSettings, fleetFault: string | null): Promise<readonly DoctorFinding[]> {
  if (examineNats === null) return [];
  const { isUsable, detail } = await examineNats();
  if (fleetFault !== null) return [failed("nats", `fleet: ${fleetFault}; ${detail}`)];
  return [isUsable ? ok("nats", detail) : failed("nats", detail)];
}

async function oidc({ examineOidc }: DoctorSettings): Promise<readonly DoctorFinding[]> {
  if (examineOidc === null) return [];
  const { isUsable, detail } = await examineOidc();
  return [isUsable ? ok("oidc", detail) : failed("oidc", detail)];
}

/** Scans a page of this machine: worker, SSRF guard, browser and checks. */
async function selfTest(settings: DoctorSettings, catalog: Catalog): Promise<DoctorFinding> {
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<!doctype html><title>assay doctor</title>", { headers: { "content-type": "text/html" } }),
  });
  const browsers = settings.openBrowsers();
  const scanner = settings.openScanner(browsers, Number(site.port), catalog);
  try {
    const outcome = await scanner.scanUrl(`http://127.0.0.1:${site.port}/`, () => {});
    const fault = browsers.fault();
    if (fault !== null) return failed("browser", fault);
    if (outcome.status === "failed") return failed("browser", `a page of its own could not be scanned (${outcome.code})`);
    const because = browsers.state()?.unsandboxedBecause ?? null;
    const sandbox = because === null ? "on" : `off, because ${because}`;
    return ok("browser", `scanned a page of its own in ${outcome.timings.total} ms; sandbox: ${sandbox}`);
  } catch (error) {
    return failed("browser", messageOf(error));
  } finally {
    await scanner.close();
    await browsers.stop();
    site.stop(true);
  }
}
