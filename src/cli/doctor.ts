/** `assay doctor`: looks at what a scan needs, and scans a page of its own. */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { parseDnsServer } from "../egress/dns-client.ts";
import { lookupAddresses } from "../egress/lookup.ts";
import { createLog, messageOf } from "../log.ts";
import { openScanner } from "../scan/scanner.ts";
import type { Config } from "../settings.ts";
import { DataDirError } from "../store/data-dir.ts";
import { lockDataDir } from "../store/lock.ts";
import { openStore } from "../store/store.ts";
import { openBrowserOf } from "./browser.ts";
import { checksDirOf } from "./checks.ts";
import { type ExitCode, exitCodes } from "./exit.ts";
import { workerFile } from "./placement.ts";
import { egressSettings, scanDeadlines } from "./scan-settings.ts";
import { addSettings, configOf } from "./settings.ts";
import { jsonLine, print, table } from "./terminal.ts";

/** Reserved by RFC 2606 and served by IANA: it resolves wherever public names do. */
const nameToResolve = "example.com";
const lookupMs = 10_000;

interface Finding {
  readonly what: "data directory" | "port" | "dns" | "browser";
  readonly state: "ok" | "failed";
  /** One sentence. */
  readonly detail: string;
}

/** `onExit` is told whether everything was well. */
export function doctorCommand(onExit: (code: ExitCode) => void): Command {
  const doctor = new Command("doctor")
    .description("Check data directory, port, DNS and browser; exit 1 if something is wrong.")
    .option("--json", "as a JSON array")
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      const config = configOf(command);
      const findings = [await dataDirectory(config), port(config), await dns(config), await browser(config)];
      if (json === true) print(jsonLine(findings));
      else print(table(findings.map(({ state, what, detail }) => [state, what, detail])));
      onExit(findings.some(({ state }) => state === "failed") ? exitCodes.policy : exitCodes.ok);
    });
  return addSettings(doctor, ["listen", "dns.servers", "browser.path", "browser.sandbox"]);
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
    const accounts = store.accounts().length;
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
      : { what, state: "failed", detail: `${address} port ${port} cannot be had (${code})` };
  }
}

async function dns(config: Config): Promise<Finding> {
  const servers = config["dns.servers"];
  const asked = servers.length === 0 ? "the system's resolver" : servers.join(", ");
  try {
    const addresses = await lookupAddresses(nameToResolve, servers.map(parseDnsServer), AbortSignal.timeout(lookupMs));
    return { what: "dns", state: "ok", detail: `${asked} knows ${addresses.length} addresses of ${nameToResolve}` };
  } catch (error) {
    return { what: "dns", state: "failed", detail: `${asked}: ${messageOf(error)}` };
  }
}

/** A whole scan of a page on this machine: worker, egress guard, browser and checks. */
async function browser(config: Config): Promise<Finding> {
  const what = "browser";
  const checksDir = checksDirOf(config);
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<!doctype html><title>assay doctor</title>", { headers: { "content-type": "text/html" } }),
  });
  const log = createLog({ level: "error", format: "text" });
  const chromium = openBrowserOf(config, log);
  const scanner = openScanner({
    egress: { ...egressSettings(config, []), allowCidrs: ["127.0.0.1"], allowPorts: [Number(site.port)] },
    caPems: [],
    deadlines: scanDeadlines(config),
    concurrency: 1,
    checksDir,
    browser: chromium,
    workerFile,
    log,
  });
  try {
    await chromium.endpoint();
    const state = chromium.state();
    const sandbox = state?.unsandboxedBecause === null ? "on" : `off, because ${state?.unsandboxedBecause}`;
    const outcome = await scanner.scanUrl(`http://127.0.0.1:${site.port}/`, () => {});
    if (outcome.status === "failed") return { what, state: "failed", detail: `a page of its own could not be scanned (${outcome.code})` };
    return { what, state: "ok", detail: `scanned a page of its own in ${outcome.timings.total} ms; sandbox: ${sandbox}` };
  } catch (error) {
    return { what, state: "failed", detail: messageOf(error) };
  } finally {
    await scanner.close();
    await chromium.stop();
    site.stop(true);
  }
}
