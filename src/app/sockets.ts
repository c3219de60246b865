/** Sockets of the server and what they answer: while it starts, pages and API afterwards, readiness, and metrics on another socket. */
import type { Api } from "../api/app.ts";
import { createStartingApi, type NotReadyReason, type Readiness, type StoreCheckProgress } from "../api/health.ts";
import type { Log } from "../base/log.ts";
import { observeRequests } from "../http/observe-requests.ts";
import { combineHandlers, type HttpHandler, type Listening, listen } from "../http/server.ts";
import { createHttpMetrics } from "../metrics/metrics.ts";
import { endpointText } from "../parse/address.ts";
import { ConfigError } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";
import { createTexts, type Texts } from "../text/i18n.ts";
import type { createPages } from "../web/app.ts";
import { createStartingPages } from "../web/starting-page.tsx";
import { createMetricsHandler, metricsTokenOf, type ServerMetrics, withMetrics } from "./observation.ts";

interface Served {
  /** Socket that answers requests already, with what a starting server can say. */
  readonly main: Listening;
  readonly api: Api;
  readonly pages: ReturnType<typeof createPages>;
  readonly metrics: ServerMetrics;
  readonly log: Log;
}

/** From now on, the main socket answers with API and pages. @throws ConfigError if an address or the token of the metrics cannot be used. */
export function openServerSockets(config: Config, { main, log, ...served }: Served) {
  const handler = handlerOf(config, served, metricsTokenOf(config));
  const place = config["metrics.listen"];
  const others = place === null ? [] : [listenAt({ ...place, flag: "metrics.listen" }, createMetricsHandler(served.metrics), log)];
  main.replace(handler);
  for (const { hostname, port } of others) log.info("metrics are served", { address: hostname, port });
  const all = [main, ...others];
  return {
    hostname: main.hostname,
    port: main.port,
    /** Addresses that no scan may reach. */
    endpoints: all.map(({ hostname, port }) => ({ address: hostname, port })),
    stop: async (): Promise<void> => {
      await Promise.all(all.map((each) => each.stop()));
    },
  };
}

/** Requests are timed only where the times can be read. */
function handlerOf(config: Config, { api, pages, metrics }: Omit<Served, "main" | "log">, token: string | null): HttpHandler {
  const handler = combineHandlers({ api, pages });
  if (token === null && config["metrics.listen"] === null) return handler;
  const routes = [...api.routes, ...pages.routes].map(({ path }) => path).filter((path) => !path.startsWith(assetsFolder));
  const observed = observeRequests(handler, routes, createHttpMetrics(metrics.registry));
  return token === null ? observed : withMetrics(observed, metrics, token);
}

/** Their names change with their content. */
const assetsFolder = "/assets/";

/** `flag` names the setting in the error. @throws ConfigError if the address is in use or not allowed. */
export function listenAt({ address, port, flag }: Config["listen"] & { readonly flag: string }, handler: HttpHandler, log: Log): Listening {
  try {
    return listen(handler, { hostname: address, port, log });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`cannot listen on ${endpointText(address, port)} (${code}); ${flag} names another address`);
  }
}

/** A check takes about a second for 100 MB. */
const retryAfterSeconds = 5;

export function createStartup(config: Config) {
  let check: StoreCheckProgress | null = null;
  let texts: Texts | undefined;
  const api = createStartingApi({ reasons: () => [reasonOf(check)], retryAfterSeconds });
  const pages = createStartingPages({
    texts: () => {
      texts ??= createTexts({ "en-gb": {}, "de-de": {} });
      return texts;
    },
    defaultLocale: config["locale.default"],
    percent: () => check?.percent ?? null,
    retryAfterSeconds,
  });
  return {
    handler: combineHandlers({ api, pages }),
    /** State of the check of the whole store; null while no check runs. */
    noteCheck: (progress: StoreCheckProgress | null): void => {
      check = progress;
    },
  };
}

function reasonOf(progress: StoreCheckProgress | null): NotReadyReason {
  if (progress === null) return { source: "start", because: "the server is starting" };
  return { source: "store", because: `the store is checked after an end out of order, ${progress.percent} % so far`, progress };
}

/** Sources by a fixed name for programs. Every probe calls each: a short clause, or null while all is well. */
type ReadinessSources = Readonly<Record<string, () => string | null>>;

/** Asks every source. The log names each reason when it first shows, and its end. `degrading` sources leave the server ready. */
export function createReadiness(sources: ReadinessSources, degrading: ReadinessSources, log: Log): () => Readiness {
  const known = new Map<string, string | null>();

  function reasonsOf(asked: ReadinessSources): readonly NotReadyReason[] {
    return Object.entries(asked).flatMap(([source, ask]) => {
      const because = ask();
      if ((known.get(source) ?? null) !== because) {
        if (because === null) log.info("ready again", { source });
        else log.warn("not ready", { source, because });
        known.set(source, because);
      }
      return because === null ? [] : [{ source, because }];
    });
  }

  return () => {
    const reasons = reasonsOf(sources);
    const degraded = reasonsOf(degrading);
    if (reasons.length > 0) return { ready: false, reasons: [...reasons, ...degraded] };
    return degraded.length === 0 ? { ready: true } : { ready: true, degraded };
  };
}
