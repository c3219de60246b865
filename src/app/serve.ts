/** `assay serve`: puts the appliance together, API first, and takes it apart in reverse. */
import { Command } from "commander";
import { createApi, requestLimitDefault } from "../api/app.ts";
import type { Readiness } from "../api/health.ts";
import { createLog, type Log } from "../base/log.ts";
import { loadCatalog } from "../catalog/load.ts";
import { checksDirOf } from "../cli/checks.ts";
import { exitCodes, VerbError } from "../cli/exit.ts";
import { addSettings, loadedConfigOf, scanSettings, settingsWithoutFlag } from "../cli/settings.ts";
import { note } from "../cli/terminal.ts";
import { combineHandlers, type HttpHandler, type Listening, listen } from "../http/server.ts";
import { type Dispatcher, startDispatcher } from "../scan/dispatcher.ts";
import { createProgress } from "../scan/progress.ts";
import { openScanner } from "../scan/scanner.ts";
import { lockDataDir } from "../store/lock.ts";
import { openStore } from "../store/store.ts";
import { createTexts } from "../text/i18n.ts";
import { createPages } from "../web/app.ts";
import { openBrowserOf } from "./browser.ts";
import type { LoadedConfig } from "./config.ts";
import { createConfiguredAdmin, firstSteps } from "./first-account.ts";
import { urlHost } from "./links.ts";
import { createOperator } from "./operator.ts";
import { workerFile } from "./placement.ts";
import { caPems, egressSettings, scanDeadlines } from "./scan-settings.ts";
import type { Config } from "./settings.ts";
import { untilAskedToStop } from "./shutdown.ts";
import { pagesSettingsOf } from "./web-settings.ts";

/** How long scans under way may take once a stop is asked for ... */
const drainMs = 7_000;
/** ... and how long everything together: Docker kills ten seconds after asking. What is left then is taken up at the next start. */
const stopMsMax = 9_500;

export function serveCommand(): Command {
  const serve = new Command("serve")
    .description("Serve pages and API and work through the queue of scans, until SIGTERM or SIGINT.")
    .addHelpText("after", settingsWithoutFlag())
    .action((_options, command: Command) => runServer(loadedConfigOf(command)));
  return addSettings(serve, ["listen", "public_url", "trusted_proxies", ...scanSettings]);
}

/** Returns once the server has stopped. */
async function runServer(loaded: LoadedConfig): Promise<void> {
  const { config } = loaded;
  const asked = untilAskedToStop();
  const log = createLog({ level: config["log.level"], format: config["log.format"] });
  const trustedPems = caPems(config);
  const lock = lockDataDir(config.data);
  const store = openStore(config.data, { queueMax: config["scan.queue_max"], lock });
  const catalog = await loadCatalog({ checksDir: checksDirOf(config) });
  if (await createConfiguredAdmin(store, config, new Date())) log.info("first account made from admin.email");

  const progress = createProgress({ concurrency: config["scan.concurrency"], log });
  let dispatcher: Dispatcher | null = null;
  let readiness: Readiness = { ready: false, because: "the browser is starting" };
  const wake = () => dispatcher?.wake();
  const shared = { store, texts: createTexts(catalog.texts), now: () => new Date(), log };
  const api = createApi({
    ...shared,
    wake,
    trustedProxies: config.trusted_proxies,
    requestLimit: { ...requestLimitDefault, requestsMax: config["api.rate_per_minute"] },
    ready: () => readiness,
  });
  const browser = openBrowserOf(config, log);
  const operator = createOperator(loaded, { store, catalog, browser, log });
  const scanning = { ready: () => readiness.ready, progress, wake };
  const pages = createPages(pagesSettingsOf(config, { ...shared, catalog, operator, scanning }));
  const listening = listenAt(config, combineHandlers({ api, pages }), log);
  const steps = await firstSteps(store, config, listening.port, new Date());
  note([`assay listens on http://${urlHost(listening.hostname)}:${listening.port}`, ...steps].join("\n"));

  const scanner = openScanner({
    egress: egressSettings(config, [{ address: listening.hostname, port: listening.port }]),
    caPems: trustedPems,
    deadlines: scanDeadlines(config),
    concurrency: config["scan.concurrency"],
    checksDir: checksDirOf(config),
    browser,
    workerFile,
    log,
    screenshots: true,
  });
  dispatcher = await startDispatcher({ store, scanner, concurrency: config["scan.concurrency"], progress, log });
  browser.endpoint().then(
    () => {
      readiness = { ready: true };
    },
    (error: Error) => {
      readiness = { ready: false, because: "the browser does not start" };
      log.error("browser does not start", { because: error.message });
    },
  );

  await aborted(asked);
  setTimeout(() => process.exit(exitCodes.ok), stopMsMax).unref();
  log.info("stopping", { running: dispatcher.running(), drainMs });
  await Promise.all([listening.stop(), dispatcher.stop(drainMs)]);
  await scanner.close();
  await browser.stop();
  await store.close();
  lock.release();
}

/** @throws VerbError when the address cannot be had. */
function listenAt({ listen: { address, port } }: Config, door: HttpHandler, log: Log): Listening {
  try {
    return listen(door, { hostname: address, port, log });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new VerbError(exitCodes.usage, `cannot listen on ${urlHost(address)}:${port} (${code}); --listen names another address`);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
