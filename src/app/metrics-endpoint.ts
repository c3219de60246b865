/** `/metrics` over HTTP: on an address of its own, or beside pages and API for requests with a token. */
import { createHash, timingSafeEqual } from "node:crypto";
import { type HttpHandler, pathOf } from "../http/server.ts";
import type { Metrics } from "../metrics/metrics.ts";

const metricsPath = "/metrics";
const bearer = /^bearer +(\S+) *$/i;

/** For a port that serves nothing else. */
export function createMetricsHandler(metrics: Metrics): HttpHandler {
  return {
    fetch: (request) =>
      isScrape(request)
        ? metricsAnswer(metrics)
        : Response.json({ errorMessage: `There is nothing here: GET ${metricsPath} is served.` }, { status: 404 }),
    server: null,
  };
}

/** Requests without the token get what `handler` answers to an unknown path. */
export function withMetrics(handler: HttpHandler, metrics: Metrics, token: string): HttpHandler {
  const expected = digestOf(token);
  const isAllowed = ({ headers }: Request) => {
    const given = bearer.exec(headers.get("authorization") ?? "")?.[1];
    return given !== undefined && timingSafeEqual(digestOf(given), expected);
  };
  return {
    fetch: (request) => (isScrape(request) && isAllowed(request) ? metricsAnswer(metrics) : handler.fetch(request)),
    set server(server: unknown) {
      handler.server = server;
    },
  };
}

export async function metricsAnswer(metrics: Metrics): Promise<Response> {
  const headers = { "cache-control": "no-store", "content-type": metrics.contentType, "x-content-type-options": "nosniff" };
  return new Response(await metrics.text(), { headers });
}

function isScrape(request: Request): boolean {
  return pathOf(request) === metricsPath && (request.method === "GET" || request.method === "HEAD");
}

/** Digests have one length, as the comparison in constant time needs. */
function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
