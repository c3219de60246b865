/** Sockets of the server: pages and API on one, and metrics on another if `metrics.listen` asks for it. */
import type { Api } from "../api/app.ts";
import type { Log } from "../base/log.ts";
import type { EgressSettings } from "../egress/settings.ts";
import { observeRequests } from "../http/observe-requests.ts";
import { combineHandlers, type HttpHandler, type Listening } from "../http/server.ts";
import { createHttpMetrics } from "../metrics/http-metrics.ts";
import type { createPages } from "../web/app.ts";
import { listenAt } from "./listen-at.ts";
import { createMetricsHandler, withMetrics } from "./metrics-endpoint.ts";
import { metricsTokenOf, type ServerMetrics } from "./server-metrics.ts";
import type { Config } from "./settings.ts";

interface Served {
  /** Socket that answers requests already, with what a starting server can say. */
  readonly main: Listening;
  readonly api: Api;
  readonly pages: ReturnType<typeof createPages>;
  readonly metrics: ServerMetrics;
  readonly log: Log;
}

export interface ServerSockets extends Pick<Listening, "hostname" | "port" | "stop"> {
  /** Addresses that no scan may reach. */
  readonly endpoints: EgressSettings["ownEndpoints"];
}

/** From now on the main socket answers with API and pages. @throws ConfigError if an address or the token of the metrics cannot be used. */
export function openServerSockets(config: Config, { main, log, ...served }: Served): ServerSockets {
  const handler = handlerOf(config, served, metricsTokenOf(config));
  const place = config["metrics.listen"];
  const others = place === null ? [] : [listenAt({ ...place, flag: "metrics.listen" }, createMetricsHandler(served.metrics), log)];
  main.replace(handler);
  for (const { hostname, port } of others) log.info("metrics are served", { address: hostname, port });
  const all = [main, ...others];
  return {
    hostname: main.hostname,
    port: main.port,
    endpoints: all.map(({ hostname, port }) => ({ address: hostname, port })),
    stop: async () => {
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
